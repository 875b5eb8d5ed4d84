"""The learning curve in the report and on the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.curve.history import CurveHistory
from gdl_miner.miner.results.chart_svg import Estimate, Series, draw_estimates
from gdl_miner.miner.results.page import Card, Section
from gdl_miner.miner.results.report import (
    ReportParts,
    champion_features,
    champion_values,
    common_cards,
    common_sections,
    strength_card,
)
from gdl_miner.miner.results.report_charts import figure
from gdl_miner.miner.results.terminal_plots import whisker

__all__ = ["curve_report", "curve_table"]

_LEAST_PLOT, _WIDEST_PLOT = 12, 48
_PAST, _RANDOM = "var(--second)", "var(--dot)"


def curve_report(
    history: CurveHistory, learned: str, knowledge: Knowledge, machine: Machine, *, own: Sequence[str] = ()
) -> ReportParts:
    """Return the parts of the report on a run with at least one finished step.

    `learned` says from what the champion learned, in a sentence without its full stop; `knowledge` is the champion's,
    whose values are shown, or else its features. `own` are columns of the learner's own whose last numbers are shown.
    """
    last = history.curve.iloc[-1]
    cards = [
        strength_card(history),
        Card("weights", f"{int(last['weights'])}", f"{history.games} training games"),
        *(Card(name, f"{int(last[name])}", "after the last step") for name in own),
        *common_cards(history),
    ]
    curve = Section("Learning curve", _learning_curve(history))
    champion = champion_features if knowledge.values is None else champion_values
    return ReportParts(learned, cards, [curve, champion(knowledge, machine), *common_sections(history)])


def _learning_curve(history: CurveHistory) -> str:
    """Draw the result of every step against bare UCT, against the best before and against random moves."""
    estimates = [Estimate(str(each.step), each.win_percent, *each.ci95) for each in history.progress]
    legend = [("var(--accent)", "against bare UCT, 95 % interval")]
    lines = []
    for column, colour, name in (
        ("past_win_percent", _PAST, "against the best before"),
        ("random_win_percent", _RANDOM, "against random moves"),
    ):
        values = tuple(history.curve[column].astype(float))
        if history.curve[column].notna().any():
            lines.append(Series(name, colour, values))
            legend.append((colour, name))
    champion = history.champion
    if champion is not None:
        low, high = champion["ci95"]
        estimates.append(Estimate("fresh", champion["win_percent"], low, high, special=True))
        legend.insert(1, ("var(--champion)", f"champion, {champion['n']} fresh matches"))
    chart = draw_estimates(estimates, 50.0, "points in %", lines, history.unit)
    note = "The best stays the best until a later step has at least 50 % against it."
    return figure(chart, legend, note)


def curve_table(history: CurveHistory, width: int, *, own: Sequence[str] = ()) -> Table:
    """Return the learning curve for a terminal so wide, step by step; `own` are columns of the learner's own."""
    table = Table(
        box=None,
        padding=(0, 1),
        title="Learning curve against bare UCT, the best before (past) and random moves",
        title_justify="left",
        title_style="bold",
    )
    rows = [row for _, row in history.curve.iterrows()]
    columns = {
        **{name: [str(int(row[name])) for row in rows] for name in ("step", "games")},
        "error": [_number(row["rms_error"], 3) for row in rows],
        "win %": [f"{row['win_percent']:.1f}" for row in rows],
        "95 %": [f"{row['ci95_low']:.0f}–{row['ci95_high']:.0f}" for row in rows],
        **{f"{name} %": [_number(row[f"{name}_win_percent"], 1) for row in rows] for name in ("past", "random")},
        **{name: [str(int(row[name])) for row in rows] for name in ("weights", *own)},
    }
    columns = {heading: cells for heading, cells in columns.items() if any(cells)}
    taken = sum(max(map(len, (heading, *cells))) + 2 for heading, cells in columns.items())
    room = max(_LEAST_PLOT, min(_WIDEST_PLOT, width - taken - 2))
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"0 %{'100 %':>{room - 3}}", no_wrap=True, style="cyan")
    plots = (whisker(each.win_percent, *each.ci95, (0.0, 100.0), room, 50.0) for each in history.progress)
    for cells in zip(*columns.values(), plots, strict=True):
        table.add_row(*cells)
    return table


def _number(value: float, places: int) -> str:
    return "" if math.isnan(value) else f"{value:.{places}f}"
