"""The pictures of an evolution: fitness and feature classes over generations."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gdl_miner.agent.features import CLASS_COLOURS
from gdl_miner.miner.learners.evolution.history import EvolutionHistory
from gdl_miner.miner.results.canvas import FAINT, INK, canvas, legend, save

__all__ = ["draw_fitness", "draw_plots"]

_BEST, _MEAN, _CHAMPION = "#1664a5", "#8a93a3", "#c2410c"


def draw_plots(history: EvolutionHistory) -> None:
    """Draw fitness.png and features.png into the run's folder, but nothing before the first generation is finished."""
    if history.generations.empty:
        return
    fitness = draw_fitness(history.generations, history.individuals, history.champion)
    save(fitness, history.folder / "fitness.png")
    save(_draw_features(history.individuals), history.folder / "features.png")


def draw_fitness(
    generations: pd.DataFrame,
    individuals: pd.DataFrame,
    champion: dict[str, Any] | None,
    title: str = "Win percentage against bare UCT",
) -> Figure:
    """Draw the best of every generation with its interval, the whole population, and the champion if there is one."""
    figure, axes = canvas(title, "points in % of matches")
    axes.axhline(50, color=FAINT, linewidth=1.2, zorder=1)
    axes.text(
        0.995,
        50,
        "as good as bare UCT ",
        color=_MEAN,
        fontsize=9,
        va="bottom",
        ha="right",
        transform=axes.get_yaxis_transform(),
    )
    axes.scatter(
        individuals["generation"], individuals["win_percent"], s=14, color=FAINT, zorder=2, label="individuals"
    )
    number = generations["generation"]
    axes.plot(number, generations["mean_win_percent"], color=_MEAN, linewidth=1.6, label="mean", zorder=3)
    best = generations["best_win_percent"]
    bars = [best - generations["best_ci95_low"], generations["best_ci95_high"] - best]
    axes.errorbar(
        number,
        best,
        yerr=bars,
        color=_BEST,
        marker="o",
        markersize=5,
        linewidth=2,
        elinewidth=1.2,
        capsize=3,
        label="best, 95 % interval",
        zorder=4,
    )
    if champion is not None:
        _mark_champion(axes, float(number.max()) + 0.5, champion)
    low = min(individuals["win_percent"].min(), generations["best_ci95_low"].min())
    high = generations["best_ci95_high"].max()
    axes.set_ylim(max(0, min(40, low - 5)), min(103, max(60, high + 4)))
    axes.set_xlim(number.min() - 0.4, number.max() + (0.9 if champion is not None else 0.4))
    legend(axes)
    return figure


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


def _draw_features(individuals: pd.DataFrame) -> Figure:
    figure, axes = canvas("Feature classes in the best individual", "features")
    best = individuals[individuals["rank"] == 1].sort_values("generation")
    base = pd.Series(0, index=best.index)
    for name, colour in CLASS_COLOURS.items():
        if (best[name] > 0).any():
            axes.bar(
                best["generation"],
                best[name],
                bottom=base,
                width=0.62,
                color=colour,
                linewidth=0.6,
                edgecolor="white",
                label=name.removeprefix("Feature"),
            )
            base = base + best[name]
    means = individuals.groupby("generation")["features"].mean()
    axes.plot(
        means.index,
        means.to_numpy(),
        color=INK,
        marker="o",
        markersize=4,
        linewidth=1.4,
        label="mean of the population",
    )
    axes.set_xlim(best["generation"].min() - 0.6, best["generation"].max() + 0.6)
    legend(axes)
    return figure
