"""Figures 6.1 to 6.8 of the thesis: tournaments, fitness and features of finished or running evolutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from matplotlib.figure import Figure

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import class_colours
from gdl_miner.miner.results.history import RunHistory, read_run
from gdl_miner.miner.results.plots import FAINT, INK, canvas, draw_fitness, legend, save
from lab.tables import Column, Row, StudyTable

_FITNESS = {"amazons": "6.2", "checkers": "6.3", "connectfour": "6.4", "cubicup": "6.5", "othello": "6.6"}
_BEST, _LIMIT = "#1664a5", "#8a93a3"


def figures(
    run: Annotated[list[Path], typer.Argument(help="Folders of runs, one for each game.", metavar="RUN…")],
    out: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("results/figures"),
) -> Iterator[StudyTable]:
    """Figures 6.1 to 6.8: tournaments, fitness, and features of evolutions.

    6.1 is how fitness settled in the last tournament, 6.2 to 6.6 the fitness of amazons, checkers, connect four,
    cubicup and othello (6.2 for any other game), 6.7 the classes of the best individuals, 6.8 the numbers of features.
    """
    yield StudyTable((Column("picture", "picture", 60),), _drawn(run, out))


def _drawn(folders: Sequence[Path], out: Path) -> Iterator[Row]:
    """Yield each picture once it is written.

    Raises ConfigError where a folder holds no run, or a run without a finished generation.
    """
    runs = [read_run(folder) for folder in folders]
    for run in runs:
        if run.main.empty:
            raise ConfigError(f"{run.folder}: no generation is finished yet; let the run go on first")
    out.mkdir(parents=True, exist_ok=True)
    for run in runs:
        game = _game(run)
        title = f"Win percentage against bare UCT: {game}"
        fitness = draw_fitness(run, title)
        for number, figure in (
            ("6.1", _draw_convergence(run)),
            (_FITNESS.get(game, "6.2"), fitness),
            ("6.8", _draw_feature_counts(run)),
        ):
            path = out / f"figure-{number}-{game}.png"
            save(figure, path)
            yield {"picture": str(path)}
    path = out / "figure-6.7.png"
    save(_draw_classes(runs), path)
    yield {"picture": str(path)}


def _game(run: RunHistory) -> str:
    name: str = run.content["game"]["name"]
    return name.removesuffix(".ext")


def _draw_convergence(run: RunHistory) -> Figure:
    """Draw figure 6.1: fitness in the last tournament, match by match; lines end where the weaker half leaves."""
    curves = run.fitness_curves(int(run.main["step"].iloc[-1]))
    figure, axes = canvas(
        f"Fitness in the last tournament: {_game(run)}", "points in % so far", across="matches of the individual"
    )
    for rank, curve in enumerate(curves):
        first = rank == 0
        axes.plot(
            curve.matches,
            curve.win_percent,
            color=_BEST if first else _LIMIT,
            linewidth=2.0 if first else 0.9,
            alpha=1.0 if first else 0.7,
            zorder=3 if first else 2,
        )
    for end in curves[0].round_ends[:-1]:
        axes.axvline(end, color=FAINT, linewidth=1.2, linestyle="--", zorder=1)
    axes.axhline(50, color=FAINT, linewidth=1.2, zorder=1)
    return figure


def _draw_feature_counts(run: RunHistory) -> Figure:
    """Draw figure 6.8: the numbers of features that individuals may have and have, averaged over the population."""
    figure, axes = canvas(f"Features in the population: {_game(run)}", "features, mean of the individuals")
    people = run.players.groupby("step")[["max_features", "features"]].mean()
    lists = 2 * len(run.matches["goals"].iloc[0].split())
    axes.plot(people.index, people["max_features"] * lists, color=_LIMIT, marker="s", markersize=4, label="at most")
    axes.plot(people.index, people["features"], color=_BEST, marker="o", markersize=5, linewidth=2, label="in fact")
    axes.set_ylim(bottom=0)
    legend(axes)
    return figure


def _draw_classes(runs: Sequence[RunHistory]) -> Figure:
    """Draw figure 6.7: the feature classes of the best individual of each run, on a logarithmic axis."""
    figure, axes = canvas("Feature classes of the best individual", "features", across="")
    counts = [run.main.reindex(columns=list(class_colours())).fillna(0).iloc[-1] for run in runs]
    most = max(int(best.max()) for best in counts)
    axes.set_yscale("log")
    axes.set_ylim(0.8, 1.3 * max(10, most))
    axes.yaxis.set_major_formatter("{x:g}")
    places = np.arange(len(runs))
    width = 0.8 / len(class_colours())
    for number, (name, colour) in enumerate(class_colours().items()):
        axes.bar(
            places + (number - (len(class_colours()) - 1) / 2) * width,
            [int(best[name]) for best in counts],
            width=width,
            color=colour,
            label=name.removeprefix("Feature"),
        )
    axes.set_xticks(places, [_game(run) for run in runs], color=INK)
    legend(axes)
    return figure
