"""The pictures of a run: strength and feature classes over its steps, and the common look of such charts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.miner.results.history import BARE_UCT, RunHistory

INK, FAINT = "#1f2430", "#c9ced8"
_BEST, _MEAN, _CHAMPION = "#1664a5", "#8a93a3", "#c2410c"
_UNDATED: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_Z95 = 1.96  # standard errors on each side of a 95 % interval


PictureFormat: TypeAlias = Literal["png", "svg", "pdf"]


def draw_plots(history: RunHistory, folder: Path | None = None, kind: PictureFormat = "png") -> list[Path]:
    """Draw the pictures of a run of a population with at least one finished step, and return their paths.

    They are `fitness`, and `features` where there are features, in a folder, by default that of the run.
    """
    folder = history.folder if folder is None else folder
    paths = [folder / f"fitness.{kind}"]
    save(_signed(draw_fitness(history), history), paths[0])
    if any(name in history.main for name in history.class_colours):
        paths.append(folder / f"features.{kind}")
        save(_signed(_draw_features(history), history), paths[1])
    return paths


def _signed(figure: Figure, history: RunHistory) -> Figure:
    """Return the chart of a run with its game and its seed, by which it is known also outside of its folder."""
    told = f"{history.content['game']['name']}, seed {history.settings['seed']}"
    figure.axes[0].set_title(told, loc="right", fontsize=10, color=_MEAN, pad=12, parse_math=False)
    return figure


def draw_fitness(history: RunHistory, title: str = "Win percentage against bare UCT") -> Figure:
    """Draw the player of every step with its interval, the other players, and the champion if there is one.

    Strength is the percentage of points against bare UCT, or Elo where players meet each other.
    """
    if history.origin != BARE_UCT:
        main, people = history.main, history.players
        ends = [main["elo"] - _Z95 * main["elo_se"], main["elo"] + _Z95 * main["elo_se"]]
        figure, axes = canvas(f"Strength over {history.origin}", "Elo", across=history.unit)
        _draw_strength(axes, history, main["elo"], ends, people["elo"], 0.0, history.origin)
        return figure
    main, people, champion = history.main, history.players, history.champion
    figure, axes = canvas(title, "points in % of matches", across=history.unit)
    ends = [main["ci95_low"], main["ci95_high"]]
    if champion is not None:
        _mark_champion(axes, float(main["step"].max()) + 0.5, champion)
    _draw_strength(axes, history, main["win_percent"], ends, people["win_percent"], 50.0, BARE_UCT)
    low, high = min(people["win_percent"].min(), ends[0].min()), ends[1].max()
    axes.set_ylim(max(0, min(40, low - 5)), min(103, max(60, high + 4)))
    axes.set_xlim(main["step"].min() - 0.4, main["step"].max() + (0.9 if champion is not None else 0.4))
    return figure


def _draw_strength(
    axes: Axes,
    history: RunHistory,
    best: pd.Series[float],
    ends: Sequence[pd.Series[float]],
    everyone: pd.Series[float],
    middle: float,
    opponent: str,
) -> None:
    """Draw the strengths of the best of each step with their intervals, those of all players, and their means."""
    number, steps = history.main["step"], history.players["step"]
    axes.axhline(middle, color=FAINT, linewidth=1.2, zorder=1)
    axes.text(
        0.995,
        middle,
        f"as good as {opponent} ",
        color=_MEAN,
        fontsize=9,
        va="bottom",
        ha="right",
        transform=axes.get_yaxis_transform(),
    )
    if history.crowded:
        axes.scatter(steps, everyone, s=14, color=FAINT, zorder=2, label="individuals")
        axes.plot(
            number, everyone.groupby(steps).mean().reindex(number), color=_MEAN, linewidth=1.6, label="mean", zorder=3
        )
    axes.errorbar(
        number,
        best,
        yerr=[best - ends[0], ends[1] - best],
        color=_BEST,
        marker="o",
        markersize=5,
        linewidth=2,
        elinewidth=1.2,
        capsize=3,
        label="best, 95 % interval",
        zorder=4,
    )
    legend(axes)


def _mark_champion(axes: Axes, place: float, champion: dict[str, Any]) -> None:
    percent, (low, high) = champion["win_percent"], champion["ci95"]
    axes.errorbar(
        [place],
        [percent],
        yerr=[[percent - low], [high - percent]],
        color=_CHAMPION,
        marker="D",
        markersize=6,
        elinewidth=1.6,
        capsize=4,
        linestyle="none",
        zorder=5,
        label=f"champion, {champion['n']} fresh matches: {percent:.1f} %",
    )


def _draw_features(history: RunHistory) -> Figure:
    figure, axes = canvas("Feature classes in the best individual", "features", across=history.unit)
    main = history.main
    base = pd.Series(0, index=main.index)
    for name, colour in history.class_colours.items():
        if name in main and (main[name] > 0).any():
            counts = main[name].fillna(0)
            axes.bar(
                main["step"],
                counts,
                bottom=base,
                width=0.62,
                color=colour,
                linewidth=0.6,
                edgecolor="white",
                label=name.removeprefix("Feature"),
            )
            base = base + counts
    means = history.players.groupby("step")["features"].mean()
    axes.plot(
        means.index,
        means.to_numpy(),
        color=INK,
        marker="o",
        markersize=4,
        linewidth=1.4,
        label="mean of the population",
    )
    axes.set_xlim(main["step"].min() - 0.6, main["step"].max() + 0.6)
    legend(axes)
    return figure


def canvas(title: str, unit: str, *, across: str = "generation") -> tuple[Figure, Axes]:
    """Return an empty chart with a title and labels; `unit` labels the vertical axis, `across` the horizontal one."""
    figure, axes = plt.subplots(figsize=(9.0, 5.2), dpi=120, layout="constrained")
    axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
    axes.set_xlabel(across, color=INK)
    axes.set_ylabel(unit, color=INK)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", color="#eceff4", linewidth=0.9)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    axes.tick_params(colors=INK, length=3)
    return figure, axes


def legend(axes: Axes) -> None:
    """Draw a legend beside the chart."""
    axes.legend(frameon=False, fontsize=9.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), labelcolor=INK)


def save(figure: Figure, path: Path, *, keep_text: bool = False) -> None:
    """Write the picture in place of an earlier one, which stays as it is where writing fails.

    Its format is that of the name, png, svg or pdf. With `keep_text`, text stays text there, for the fonts of a paper;
    else it is drawn. The same figure gives the same bytes.
    """
    picture, kind = io.BytesIO(), path.suffix.removeprefix(".")
    fonts = ("none", 42) if keep_text else ("path", 3)
    with mpl.rc_context({"svg.hashsalt": "gdl-miner", "svg.fonttype": fonts[0], "pdf.fonttype": fonts[1]}):
        figure.savefig(picture, format=kind, metadata=_UNDATED.get(kind))
    plt.close(figure)
    with new_file(path, UserError) as write:
        write(picture.getvalue())
