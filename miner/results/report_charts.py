"""The charts of every report: the champion's feature classes and the time spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from gdl_miner.agent.features import CLASS_COLOURS
from gdl_miner.miner.results.chart_svg import Bar, Series, draw_bars, draw_stack
from gdl_miner.miner.results.history import RunHistory

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["class_bars", "figure", "throughput"]

_PLAYING, _MINING = "var(--accent)", "var(--second)"


def class_bars(counts: Sequence[tuple[str, int, float]]) -> str:
    """Draw features by class on a logarithmic axis (thesis figure 6.7).

    `counts` are (class, number of features, share of the weight).
    """
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
    return figure(draw_bars(bars), [], note)


def throughput(history: RunHistory) -> str:
    """Draw the time spent on playing and mining, and the matches played per second, by step."""
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
    time_chart = figure(draw_stack(names, spent, "seconds"), legend, "Time by generation.")
    return f"<div class='pair'>{time_chart}{figure(draw_stack(names, [speed], speed.name), [], note)}</div>"


def figure(chart: str, legend: Iterable[tuple[str, str]], note: str) -> str:
    """Return a chart with its legend (colour, name) and a note below it."""
    items = "".join(f"<li><i style='background:{colour}'></i>{escape(name)}</li>" for colour, name in legend)
    listed = f"<ul class='legend'>{items}</ul>" if items else ""
    return f"<figure>{chart}<figcaption>{listed}<p>{escape(note)}</p></figcaption></figure>"
