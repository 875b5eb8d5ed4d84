"""The report of an evolution."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.evolution import report_charts as charts
from gdl_miner.miner.learners.evolution.genome import WHOLE_GENOME
from gdl_miner.miner.learners.evolution.history import EvolutionHistory
from gdl_miner.miner.results.page import Card, Section
from gdl_miner.miner.results.pruning import pruning_section
from gdl_miner.miner.results.report import (
    ReportParts,
    champion_features,
    champion_values,
    common_cards,
    common_sections,
    strength_card,
)
from gdl_miner.miner.results.report_charts import class_bars
from gdl_miner.miner.results.report_features import class_shares, signed

__all__ = ["report_parts"]


def report_parts(history: EvolutionHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
    """Return the report's parts on an evolution with at least one finished generation.

    `knowledge` is the champion's knowledge.
    """
    last = history.generations.iloc[-1]
    throughput, provenance = common_sections(history)
    features = int(last["best_features"]) if history.pruning is None else history.pruning["features"]
    mined = f"of {int(last['features_mined'])} mined last"
    individuals = f"{history.settings['evolution']['population']} individuals {history.values}".rstrip()
    return ReportParts(
        f"{individuals} evolved over {history.planned} generations",
        [
            strength_card(history),
            Card("features of the champion", f"{features}", mined),
            *common_cards(history),
        ],
        [
            Section("Fitness", charts.fitness(history)),
            Section("The last tournament", charts.tournament(history)),
            Section("Features", charts.classes(history) + class_bars(class_shares(knowledge))),
            pruning_section(history),
            champion_features(knowledge, machine),
            champion_values(knowledge, machine),
            Section("Parameters", charts.parameters(history) + _all_parameters(history)),
            throughput,
            Section("Generations", _generations(history)),
            provenance,
        ],
    )


def _all_parameters(history: EvolutionHistory) -> str:
    best = history.best.iloc[-1]
    genes = [name for name in WHOLE_GENOME.names if name in best]
    rows = "".join(f"<tr><td>{escape(gene)}</td><td>{escape(_value(best[gene]))}</td></tr>" for gene in genes)
    return (
        "<details><summary>Every parameter of the champion</summary>"
        f"<div class='columns'><table>{rows}</table></div></details>"
    )


def _generations(history: EvolutionHistory) -> str:
    columns: list[tuple[str, Callable[[Any], str]]] = [
        ("generation", lambda row: f"{int(row['generation'])}"),
        ("best", lambda row: str(row["best"])),
        ("win %", lambda row: f"{row['best_win_percent']:.1f}"),
        ("95 %", lambda row: f"{row['best_ci95_low']:.1f}–{row['best_ci95_high']:.1f}"),
        ("Elo", lambda row: f"{signed(row['best_elo'])} ± {row['best_elo_se']:.0f}"),
        ("mean win %", lambda row: f"{row['mean_win_percent']:.1f}"),
        ("matches", lambda row: f"{int(row['matches'])}"),
        ("mined", lambda row: f"{int(row['features_mined'])}"),
        ("features", lambda row: f"{int(row['best_features'])}"),
        ("work per playout", lambda row: f"{row['best_work_ratio']:.2f}"),
        ("UCT c", lambda row: f"{row['best_uct_c']:.3g}"),
        ("PUCT c", lambda row: f"{row['best_puct_c']:.3g}"),
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(show(row))}</td>" for _, show in columns) + "</tr>"
        for _, row in history.generations.iterrows()
    )
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
