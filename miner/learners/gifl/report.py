"""What a run has learned from the ends of games, in the report and on the terminal."""

from __future__ import annotations

from rich.table import Table

from agent.knowledge import Knowledge
from agent.reasoner.machine import Machine
from miner.learners.gifl.history import GiflHistory
from miner.results.chart_svg import Estimate, draw_estimates
from miner.results.page import Card, Section
from miner.results.report import ReportParts, champion_features, common_cards, common_sections, strength_card
from miner.results.report_charts import figure
from miner.results.terminal_plots import whisker

__all__ = ["gifl_report", "gifl_table"]

_COLUMNS = 62  # characters of the table on the terminal beside its plot
_LEAST_PLOT, _WIDEST_PLOT = 12, 48


def gifl_report(history: GiflHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
    """Return the parts of the report on a run with at least one finished step; `knowledge` is the champion's."""
    last = history.steps.iloc[-1]
    cards = [
        strength_card(history),
        Card("offensive features", f"{int(last['offensive'])}", "which lead on towards a win"),
        Card("defensive features", f"{int(last['defensive'])}", "which keep an opponent from one"),
        *common_cards(history),
    ]
    learned = f"The champion learned features from the ends of {int(last['games'])} random games"
    sections = [
        Section("Strength by step", _strength(history)),
        champion_features(knowledge, machine),
        *common_sections(history),
    ]
    return ReportParts(learned, cards, sections)


def _strength(history: GiflHistory) -> str:
    """Draw the result of every step against bare UCT."""
    estimates = [Estimate(str(each.step), each.win_percent, *each.ci95) for each in history.progress]
    legend = [("var(--accent)", "against bare UCT, 95 % interval")]
    champion = history.champion
    if champion is not None:
        low, high = champion["ci95"]
        estimates.append(Estimate("fresh", champion["win_percent"], low, high, special=True))
        legend.append(("var(--champion)", f"champion, {champion['n']} fresh matches"))
    chart = draw_estimates(estimates, 50.0, "points in %", [], history.unit)
    return figure(chart, legend, "Every step adds the features of further games.")


def gifl_table(history: GiflHistory, width: int) -> Table:
    """Return the features and the strength of each step for a terminal so wide."""
    table = Table(
        box=None,
        padding=(0, 1),
        title="Features from the ends of games, and points against bare UCT",
        title_justify="left",
        title_style="bold",
    )
    for heading in ("step", "games", "variants", "offensive", "defensive", "win %", "95 %"):
        table.add_column(heading, justify="right", no_wrap=True)
    room = max(_LEAST_PLOT, min(_WIDEST_PLOT, width - _COLUMNS))
    table.add_column(f"0 %{'100 %':>{room - 3}}", no_wrap=True, style="cyan")
    for _, row in history.steps.iterrows():
        score = (float(row["win_percent"]), float(row["ci95_low"]), float(row["ci95_high"]))
        counts = [str(int(row[name])) for name in ("step", "games", "variants", "offensive", "defensive")]
        interval = f"{score[1]:.0f}–{score[2]:.0f}"
        table.add_row(*counts, f"{score[0]:.1f}", interval, whisker(*score, (0.0, 100.0), room, 50.0))
    return table
