"""The charts of a report: strength, the last tournament, feature classes, measures, and the time spent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from gdl_miner.agent.features import class_colours
from gdl_miner.miner.results.chart_svg import (
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
from gdl_miner.miner.results.history import BARE_UCT, RunHistory
from gdl_miner.miner.results.step_columns import shown

if TYPE_CHECKING:
    import pandas as pd

_PLAYING, _LEARNING = "var(--accent)", "var(--second)"
# Lines in the chart of strength, with colour and name.
_LINES = {
    "past_win_percent": ("var(--second)", "against the best before"),
    "random_win_percent": ("var(--dot)", "against random moves"),
}
_Z95 = 1.96  # standard errors on each side of a 95 % interval
_MOST_WORDS = 12  # different values of a metric in words that is charted


def strength(history: RunHistory) -> str:
    """Draw the player whom each step is about, with its interval, and the champion (thesis figures 6.2–6.6).

    Beside it stand the others of its population, or its results against other opponents.
    """
    main = history.main.dropna(subset=["win_percent"])
    if main.empty:
        return ""
    people, crowded, unit = history.players.groupby("step")["win_percent"], history.crowded, history.unit
    estimates = [
        Estimate(
            str(int(row["step"])),
            row["win_percent"],
            row["ci95_low"],
            row["ci95_high"],
            people.get_group(row["step"]).mean() if crowded else None,
            tuple(people.get_group(row["step"])) if crowded else (),
        )
        for _, row in main.iterrows()
    ]
    legend = [("var(--accent)", f"best of the {unit}, 95 % interval" if crowded else "against bare UCT, 95 % interval")]
    legend += [("var(--soft)", "mean of the population"), ("var(--dot)", "individuals")] if crowded else []
    lines = []
    for metric, (colour, name) in _LINES.items():
        if metric in main:
            lines.append(Series(name, colour, tuple(main[metric].astype(float))))
            legend.append((colour, name))
    champion, note = history.champion, ""
    if champion is not None:
        low, high = champion["ci95"]
        estimates.append(Estimate("fresh", champion["win_percent"], low, high, special=True))
        legend.insert(1, ("var(--champion)", f"champion, {champion['n']} fresh matches"))
    if crowded:
        note = (
            f"The best of a {unit} is chosen by the very matches shown here, so its value flatters (the winner’s "
            "curse)."
        )
        note += " The fresh matches decided nothing and do not flatter." if champion is not None else ""
    elif "past_win_percent" in main:
        note = (
            f"The best stays the best until a sequential test, with the matches of every {unit} since then, accepts "
            "that the learner is stronger; at the end of learning, until that is the likelier."
        )
    opponents = BARE_UCT if history.origin == BARE_UCT else "each other"
    unit_of_points, level = f"points in % of matches against {opponents}", f"as good as {opponents}"
    chart = draw_estimates(estimates, 50.0, unit_of_points, lines, unit, level)
    return figure(chart, legend, note)


def lead(history: RunHistory) -> str:
    """Draw the Elo of the best of each step over the first player of the run, with those of the others beside it."""
    main = history.main.dropna(subset=["elo"])
    if main.empty or history.origin == BARE_UCT:
        return ""
    people = history.players.dropna(subset=["elo"]).groupby("step")["elo"]
    estimates = [
        Estimate(
            str(int(row["step"])),
            row["elo"],
            row["elo"] - _Z95 * row["elo_se"],
            row["elo"] + _Z95 * row["elo_se"],
            people.get_group(row["step"]).mean(),
            tuple(people.get_group(row["step"])),
        )
        for _, row in main.iterrows()
    ]
    legend = [
        ("var(--accent)", f"best of the {history.unit}, 95 % interval"),
        ("var(--soft)", "mean of the population"),
        ("var(--dot)", "individuals"),
    ]
    note = f"The leads of each {history.unit} over the best before add up, and so do their errors."
    unit, level = f"Elo over {history.origin}", f"as good as {history.origin}"
    chart = draw_estimates(estimates, 0.0, unit, (), history.unit, level, (-math.inf, math.inf))
    return figure(chart, legend, note)


def tournament(history: RunHistory) -> str:
    """Draw the fitness of every player in the course of the last tournament (thesis figure 6.1)."""
    step = int(history.main["step"].iloc[-1])
    found = history.fitness_curves(step)
    if not found:
        return ""
    best = str(history.main["name"].iloc[-1])
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


def classes(history: RunHistory) -> str:
    """Draw the feature classes of the best by step (thesis figures 6.7, 6.8), and the population's mean."""
    main = history.main
    series = [
        Series(name.removeprefix("Feature"), colour, tuple(main[name].fillna(0).astype(float)))
        for name, colour in history.class_colours.items()
        if name in main and main[name].sum() > 0
    ]
    if not series:
        return ""
    known = history.players.groupby("step")["features"].mean().reindex(main["step"])
    lines = [Series("mean of the population", "var(--ink)", tuple(known.astype(float)))]
    chart = draw_stack([str(step) for step in main["step"]], series, "features of the best individual", lines)
    legend = [(each.colour, each.name) for each in (*series, *lines)]
    return figure(chart, legend, "Bars: the best individual, by class. Line: the population’s mean.")


def measures(history: RunHistory) -> str:
    """Draw a small chart of every metric that moved: the step's player, over the range of all players of the step."""
    groups: dict[str, list[str]] = {}
    for metric in history.main.columns:
        chart = _measure(history, metric)
        if chart:
            group = metric.rpartition(".")[0].replace("_", " ")  # what stands before the point of its name
            groups.setdefault(group, []).append(chart)
    parts = [
        f"{f'<h3>{escape(name)}</h3>' if name else ''}<ul class='multiples'>{''.join(cards)}</ul>"
        for name, cards in sorted(groups.items(), key=lambda group: bool(group[0]))
    ]
    unit = history.unit
    note = f"Line: the best of the {unit}. Band: all of its players." if history.crowded else f"By {unit}."
    return f"{''.join(parts)}<p class='note'>{note} What never moved is left out.</p>" if parts else ""


def _measure(history: RunHistory, metric: str) -> str:
    """Return the card of a metric; it is empty where the metric never moved, or is drawn elsewhere."""
    main, people = history.main.dropna(subset=[metric]), history.players
    if not history.charted(metric) or main.empty:
        return ""
    last, note = main[metric].iloc[-1], ""
    if metric in main.select_dtypes("number"):
        low = high = values = main[metric]
        if metric in people:
            grouped = people.groupby("step")[metric]
            low, high = (each.reindex(main["step"]) for each in (grouped.min(), grouped.max()))
    elif metric in people and people[metric].nunique() <= _MOST_WORDS:
        share = 100.0 * (people[metric] == last).groupby(people["step"]).mean().reindex(main["step"])
        low = high = values = share
        note = "<small>% of the players</small>"
    else:
        return ""
    line, least, most = (list(map(float, each)) for each in (values, low, high))
    if len({*line, *least, *most}) == 1:
        return ""
    chart = draw_range(line, least, most, metric, history.unit)
    return f"<li><h4>{escape(_short(metric))} <b>{escape(shown(last))}</b></h4>{chart}{note}</li>"


def _short(metric: str) -> str:
    return metric.rpartition(".")[2].replace("Feature", "").replace("_", " ")


def class_bars(counts: Sequence[tuple[str, int, float]]) -> str:
    """Draw features by class on a logarithmic axis (thesis figure 6.7).

    `counts` are (class, number of features, share of the weight).
    """
    colours = class_colours(name for name, _, _ in counts)
    bars = [
        Bar(name.removeprefix("Feature"), colours[name], count, f"{100 * share:.0f} %")
        for name, count, share in counts
        if count
    ]
    if not bars:
        return ""
    note = (
        "The champion’s features by class, on a logarithmic axis, and the share of the weight that each class carries."
    )
    return figure(draw_bars(bars), [], note)


def throughput(history: RunHistory) -> str:
    """Draw the time spent on playing and learning, and the matches played per second, by step."""
    timings = history.timings
    if timings.empty:
        return ""
    numbers = sorted(timings["step"].unique())
    names = [str(number) if number <= history.planned else "fresh" for number in numbers]
    playing = timings["matches"].notna()

    def seconds(name: str, colour: str, kind: pd.Series[bool]) -> Series:
        spent = timings[kind].groupby("step")["seconds"].sum().reindex(numbers, fill_value=0.0)
        return Series(name, colour, tuple(map(float, spent)))

    spent = [seconds("playing", _PLAYING, playing), seconds("learning", _LEARNING, ~playing)]
    played = timings[playing].groupby("step")[["matches", "playouts", "seconds"]].sum().reindex(numbers)
    rate = (played["matches"] / played["seconds"].clip(lower=1e-9)).fillna(0.0)
    speed = Series("matches per second", _PLAYING, tuple(map(float, rate)))
    total = played.sum()
    note = (
        f"{int(total['matches'])} matches with {int(total['playouts']):,} playouts in {total['seconds']:.3g} s of "
        f"playing: {total['playouts'] / max(total['seconds'], 1e-9):,.0f} playouts a second."
    ).replace(",", "\u202f")
    legend = [(each.colour, each.name) for each in spent]
    time_chart = figure(draw_stack(names, spent, "seconds"), legend, f"Time by {history.unit}.")
    return f"<div class='pair'>{time_chart}{figure(draw_stack(names, [speed], speed.name), [], note)}</div>"


def figure(chart: str, legend: Iterable[tuple[str, str]], note: str) -> str:
    """Return a chart with its legend (colour, name) and a note below it."""
    items = "".join(f"<li><i style='background:{colour}'></i>{escape(name)}</li>" for colour, name in legend)
    listed = f"<ul class='legend'>{items}</ul>" if items else ""
    said = f"<p>{escape(note)}</p>" if note else ""
    return f"<figure>{chart}<figcaption>{listed}{said}</figcaption></figure>"
