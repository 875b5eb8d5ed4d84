"""The charts of a report: fitness, the last tournament, features, parameters and throughput over generations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from miner.learners.evolution.genes import Gene, IntegerGene, RealGene
from miner.learners.evolution.genome import CLASS_WEIGHT, GENOME, ITEMSET_CLASS_WEIGHT, POLICY
from miner.results.chart_svg import (
    Bar,
    Curve,
    Estimate,
    Series,
    draw_bars,
    draw_curves,
    draw_estimates,
    draw_range,
    draw_stack,
)
from miner.results.history import RunHistory, fitness_curves
from miner.results.plots import CLASS_COLOURS

if TYPE_CHECKING:
    import pandas as pd
    from pandas.core.groupby.generic import DataFrameGroupBy

__all__ = ["class_bars", "classes", "fitness", "parameters", "throughput", "tournament"]

_PLAYING, _MINING = "var(--accent)", "var(--second)"


def fitness(history: RunHistory) -> str:
    """The best of every generation with its interval, the whole population, the champion (thesis figures 6.2–6.6)."""
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
    return _figure(chart, legend, note)


def tournament(history: RunHistory) -> str:
    """How fitness settled during the last tournament (thesis figure 6.1)."""
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
    return _figure(chart, legend, note)


def classes(history: RunHistory) -> str:
    """Feature classes of the best, and what the population knows and may know, over generations (figures 6.7, 6.8)."""
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
    return _figure(
        chart, legend, "Bars: the best individual, by class. Lines: the population’s mean, and its mean limit."
    )


def class_bars(counts: Sequence[tuple[str, int, float]]) -> str:
    """Features by class on a logarithmic axis (figure 6.7); `counts` are (class, features, share of the weight)."""
    bars = [
        Bar(name.removeprefix("Feature"), CLASS_COLOURS[name], count, f"{100 * share:.0f} %")
        for name, count, share in counts
        if count
    ]
    if not bars:
        return ""
    note = (
        "The champion’s features by class, on a logarithmic axis, and the share of the weight that each class carries."
    )
    return _figure(draw_bars(bars), [], note)


def parameters(history: RunHistory) -> str:
    """Small charts: every gene that moved, the best individual's value over the population's range."""
    groups: dict[str, list[str]] = {"Search and scoring": [], "Learning": [], "Weights of the feature classes": []}
    grouped = history.individuals.groupby("generation")
    for gene in GENOME.genes:
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


def _gene_chart(gene: Gene, history: RunHistory, grouped: DataFrameGroupBy[Any, Literal[True]]) -> str:
    """The card of a gene; empty where it never moved."""
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


def throughput(history: RunHistory) -> str:
    """Where the time went, and how many matches a second were played."""
    timings = history.timings
    if timings.empty:
        return ""
    numbers = sorted(timings["generation"].unique())
    names = [str(number) if number <= history.planned else "fresh" for number in numbers]
    mining = timings["work"] == "mining"

    def seconds(name: str, colour: str, kind: pd.Series[bool]) -> Series:
        spent = timings[kind].groupby("generation")["seconds"].sum().reindex(numbers, fill_value=0.0)
        return Series(name, colour, tuple(map(float, spent)))

    spent = [seconds("playing", _PLAYING, ~mining), seconds("mining", _MINING, mining)]
    played = timings[~mining].groupby("generation")[["matches", "playouts", "seconds"]].sum().reindex(numbers)
    rate = (played["matches"] / played["seconds"].clip(lower=1e-9)).fillna(0.0)
    speed = Series("matches per second", _PLAYING, tuple(map(float, rate)))
    total = played.sum()
    note = (
        f"{int(total['matches'])} matches with {int(total['playouts']):,} playouts in {total['seconds']:.0f} s of "
        f"playing: {total['playouts'] / max(total['seconds'], 1e-9):,.0f} playouts a second."
    ).replace(",", "\u202f")
    legend = [(each.colour, each.name) for each in spent]
    time_chart = _figure(draw_stack(names, spent, "seconds"), legend, "Time by generation.")
    return f"<div class='pair'>{time_chart}{_figure(draw_stack(names, [speed], speed.name), [], note)}</div>"


def _roles(history: RunHistory) -> int:
    """Roles of the game, from the seats of its first match."""
    return len(str(history.matches["players"].iloc[0]).split()) if len(history.matches) else 2


def _shares(individuals: pd.DataFrame, gene: str, value: object) -> pd.Series[float]:
    """Percentage of each generation whose gene has this value."""
    return 100.0 * (individuals[gene] == value).groupby(individuals["generation"]).mean()


def _gene(name: str) -> str:
    short = name.removeprefix(CLASS_WEIGHT).removeprefix(POLICY).replace(ITEMSET_CLASS_WEIGHT, "with itemset: ")
    return short.replace("Feature", "").replace("_", " ")


def _word(value: object) -> str:
    return {"True": "yes", "False": "no"}.get(str(value), str(value))


def _figure(chart: str, legend: Iterable[tuple[str, str]], note: str) -> str:
    items = "".join(f"<li><i style='background:{colour}'></i>{escape(name)}</li>" for colour, name in legend)
    listed = f"<ul class='legend'>{items}</ul>" if items else ""
    return f"<figure>{chart}<figcaption>{listed}<p>{escape(note)}</p></figcaption></figure>"
