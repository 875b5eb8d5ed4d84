"""The charts of an evolution's report: fitness, the last tournament, features and parameters over generations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Literal

from gdl_miner.agent.features import CLASS_COLOURS
from gdl_miner.miner.learners.evolution.genes import Gene, IntegerGene, RealGene
from gdl_miner.miner.learners.evolution.genome import CLASS_WEIGHT, ITEMSET_CLASS_WEIGHT, POLICY, WHOLE_GENOME
from gdl_miner.miner.learners.evolution.history import EvolutionHistory, fitness_curves
from gdl_miner.miner.results.chart_svg import (
    Curve,
    Estimate,
    Series,
    draw_curves,
    draw_estimates,
    draw_range,
    draw_stack,
)
from gdl_miner.miner.results.report_charts import figure

if TYPE_CHECKING:
    import pandas as pd
    from pandas.core.groupby.generic import DataFrameGroupBy

__all__ = ["classes", "fitness", "parameters", "tournament"]


def fitness(history: EvolutionHistory) -> str:
    """Draw the best of every generation with its interval, the population and the champion (thesis figures 6.2–6.6)."""
    people = history.individuals.groupby("generation")["win_percent"]
    estimates = [
        Estimate(
            str(int(row["generation"])),
            row["best_win_percent"],
            row["best_ci95_low"],
            row["best_ci95_high"],
            row["mean_win_percent"],
            tuple(people.get_group(row["generation"])),
        )
        for _, row in history.generations.iterrows()
    ]
    legend = [
        ("var(--accent)", "best of the generation, 95 % interval"),
        ("var(--soft)", "mean of the population"),
        ("var(--dot)", "individuals"),
    ]
    champion = history.champion
    if champion is not None:
        low, high = champion["ci95"]
        estimates.append(Estimate("fresh", champion["win_percent"], low, high, special=True))
        legend.insert(1, ("var(--champion)", f"champion, {champion['n']} fresh matches"))
    chart = draw_estimates(estimates, 50.0, "points in % of matches against bare UCT")
    note = (
        "The best of a generation is chosen by the very matches shown here, so its value flatters (the winner’s curse)."
        + (" The fresh matches decided nothing and do not flatter." if champion is not None else "")
    )
    return figure(chart, legend, note)


def tournament(history: EvolutionHistory) -> str:
    """Draw the fitness of every individual in the course of the last tournament (thesis figure 6.1)."""
    generation = int(history.generations["generation"].iloc[-1])
    found = fitness_curves(history, generation)
    if not found:
        return ""
    first = found[0].name
    best = history.best.set_index("generation")["name"].get(generation, first)
    curves = [
        Curve(
            f"{each.name}: {each.win_percent[-1]:.1f} %",
            tuple(map(float, each.matches)),
            each.win_percent,
            each.name == best,
        )
        for each in found
    ]
    chart = draw_curves(curves, found[0].round_ends, 50.0, "points in % so far")
    legend = [("var(--accent)", f"{best}, the best"), ("var(--dot)", "the other individuals")]
    note = "Every line is an individual; after each round (with the matches each has played) the better half goes on."
    return figure(chart, legend, note)


def classes(history: EvolutionHistory) -> str:
    """Draw the best individual's feature classes over generations (thesis figures 6.7, 6.8).

    Lines show the mean number of features that the population knows and the mean number that it may know.
    """
    best = history.best
    series = [
        Series(name.removeprefix("Feature"), colour, tuple(float(count) for count in best[name]))
        for name, colour in CLASS_COLOURS.items()
        if best[name].sum() > 0
    ]
    lists = 2 * _roles(history)
    grouped = history.individuals.groupby("generation")
    known = tuple(float(value) for value in grouped["features"].mean())
    limit = tuple(float(value) * lists for value in grouped["max_features"].mean())
    lines = [
        Series("mean of the population", "var(--ink)", known),
        Series("mean of what it may know", "var(--soft)", limit),
    ]
    chart = draw_stack([str(number) for number in best["generation"]], series, "features of the best individual", lines)
    legend = [(each.colour, each.name) for each in (*series, *lines)]
    return figure(
        chart, legend, "Bars: the best individual, by class. Lines: the population’s mean, and its mean limit."
    )


def parameters(history: EvolutionHistory) -> str:
    """Draw a small chart of every gene that moved: the best individual's value over the population's range."""
    groups: dict[str, list[str]] = {"Search and scoring": [], "Learning": [], "Weights of the feature classes": []}
    grouped = history.individuals.groupby("generation")
    for gene in WHOLE_GENOME.genes:
        if gene.name not in history.individuals:
            continue  # an optional gene that this run does without
        chart = _gene_chart(gene, history, grouped)
        weight = gene.name.startswith((CLASS_WEIGHT, ITEMSET_CLASS_WEIGHT))
        learning = gene.name.startswith(POLICY) or gene.name in ("max_features", "learning_factor")
        place = "Weights of the feature classes" if weight else "Learning" if learning else "Search and scoring"
        groups[place] += [chart] if chart else []
    parts = [
        f"<h3>{escape(name)}</h3><ul class='multiples'>{''.join(charts)}</ul>"
        for name, charts in groups.items()
        if charts
    ]
    note = (
        "Line: the best individual. Band: from the lowest to the highest of the population. Genes that never moved are "
        "left out."
    )
    return f"{''.join(parts)}<p class='note'>{note}</p>" if parts else ""


def _gene_chart(gene: Gene, history: EvolutionHistory, grouped: DataFrameGroupBy[Any, Literal[True]]) -> str:
    """Return the card of a gene; it is empty where the gene never moved."""
    best = history.best[gene.name]
    if isinstance(gene, RealGene | IntegerGene):
        low, high, said, note = grouped[gene.name].min(), grouped[gene.name].max(), f"{best.iloc[-1]:.4g}", ""
    else:
        low = high = _shares(history.individuals, gene.name, best.iloc[-1])
        best, said, note = low, _word(best.iloc[-1]), "<small>% of the population</small>"
    if (low == low.iloc[0]).all() and (high == low.iloc[0]).all():
        return ""
    chart = draw_range(list(map(float, best)), list(map(float, low)), list(map(float, high)), gene.name)
    return f"<li><h4>{escape(_gene(gene.name))} <b>{escape(said)}</b></h4>{chart}{note}</li>"


def _roles(history: EvolutionHistory) -> int:
    """Return the number of roles of the game, from the seats of its first match."""
    return len(str(history.matches["players"].iloc[0]).split()) if len(history.matches) else 2


def _shares(individuals: pd.DataFrame, gene: str, value: object) -> pd.Series[float]:
    """Return the percentage of each generation in which the gene has this value."""
    return 100.0 * (individuals[gene] == value).groupby(individuals["generation"]).mean()


def _gene(name: str) -> str:
    short = name.removeprefix(CLASS_WEIGHT).removeprefix(POLICY).replace(ITEMSET_CLASS_WEIGHT, "with itemset: ")
    return short.replace("Feature", "").replace("_", " ")


def _word(value: object) -> str:
    return {"True": "yes", "False": "no"}.get(str(value), str(value))
