"""The figure of learning curves: a chart for each game, a line with its band for each method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gdl_miner.miner.results.curves import LearningCurve
from gdl_miner.miner.results.plots import FAINT, INK

_COLOURS = ("#1664a5", "#c2410c", "#3f8f4f", "#7b4bab", "#a2781f", "#0f8a8a", "#b3346c", "#555b66")
_MARKERS = "osD^vPX*"
_ACROSS = 3  # charts in a row
_LEVELS = {"win_percent": 50.0, "elo": 0.0}  # where a player is as good as its opponent
_WORDS = {"win_percent": "points in % of matches", "elo": "Elo"}


def draw_curves(
    curves: Sequence[LearningCurve], metric: str, across: Literal["step", "seconds"] = "step", *, log: bool = False
) -> Figure:
    """Draw curves by step or by seconds, these on a logarithmic axis with `log`. Each label has its colour and marker.

    The figure has the width of a page of a paper for three charts in a row.
    """
    games = list(dict.fromkeys(each.game for each in curves))
    labels = list(dict.fromkeys(each.label for each in sorted(curves, key=lambda each: each.label)))
    columns = min(_ACROSS, len(games))
    rows = math.ceil(len(games) / columns)
    with mpl.rc_context({"font.size": 9}):
        size = (1.2 + 2.5 * columns, 0.6 + 2.3 * rows)
        figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, sharey=True, layout="constrained")
        for game, axes in zip(games, grid.flat, strict=False):
            own = [each for each in curves if each.game == game]
            for curve in own:
                number = labels.index(curve.label)
                _draw(axes, curve, across, _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)])
            _dress(axes, game, metric)
            units = sorted({each.unit for each in own})
            axes.set_xlabel("processor seconds" if across == "seconds" else units[0] if len(units) == 1 else "step")
            if across == "seconds" and log:
                axes.set_xscale("log")
        for axes in list(grid.flat)[len(games) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel(_WORDS.get(metric, metric))
        lines = {
            line.get_label(): line for axes in grid.flat for line in axes.get_lines() if line.get_label() in labels
        }
        figure.legend(
            [lines[label] for label in labels],
            labels,
            loc="outside lower center",
            ncols=4,
            frameon=False,
            labelcolor=INK,
        )
    return figure


def _draw(axes: Axes, curve: LearningCurve, across: str, colour: str, marker: str) -> None:
    places = curve.seconds if across == "seconds" else curve.steps
    axes.plot(places, curve.mean, color=colour, marker=marker, markersize=3, linewidth=1.4, label=curve.label)
    if curve.low != curve.high:
        axes.fill_between(places, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)


def _dress(axes: Axes, game: str, metric: str) -> None:
    axes.set_title(game, fontsize=10, color=INK, parse_math=False)
    if metric in _LEVELS:
        axes.axhline(_LEVELS[metric], color=FAINT, linewidth=1.0, zorder=1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes.tick_params(colors=INK, length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
