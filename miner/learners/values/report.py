"""The report of learned values."""

from __future__ import annotations

from agent.knowledge import Knowledge
from agent.reasoner.machine import Machine
from miner.learners.values.history import ValuesHistory
from miner.results.chart_svg import Estimate, Series, draw_estimates
from miner.results.report import (
    Card,
    ReportParts,
    Section,
    champion_values,
    common_cards,
    common_sections,
    strength_card,
)
from miner.results.report_charts import figure

__all__ = ["report_parts"]

_PAST, _RANDOM = "var(--second)", "var(--dot)"


def report_parts(history: ValuesHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
    """Return the parts of the report on a run with at least one finished step; `knowledge` is that of the champion."""
    last, games = history.training.iloc[-1], int(history.training["games"].sum())
    cards = [
        strength_card(history),
        Card("weights", f"{int(last['weights'])}", f"{games} training games"),
        *common_cards(history),
    ]
    learned = f"The champion learned what states are worth from {games} games against itself"
    curve = Section("Learning curve", learning_curve(history))
    return ReportParts(learned, cards, [curve, champion_values(knowledge, machine), *common_sections(history)])


def learning_curve(history: ValuesHistory) -> str:
    """Draw the result of every step against bare UCT, against the best before and against random moves."""
    estimates = [Estimate(str(each.step), each.win_percent, *each.ci95) for each in history.progress]
    legend = [("var(--accent)", "against bare UCT, 95 % interval")]
    lines = []
    for column, colour, name in (
        ("past_win_percent", _PAST, "against the best before"),
        ("random_win_percent", _RANDOM, "against random moves"),
    ):
        values = tuple(history.training[column].astype(float))
        if history.training[column].notna().any():
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
