"""report.html: the findings of a run on one self-contained page.

This module makes the parts that every run has; a learning method puts its own parts between them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import Knowledge, written_out
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.play.wording import NOTHING_HELPS, count_playouts
from gdl_miner.miner.results.history import RunHistory
from gdl_miner.miner.results.page import Card, Section, report_frame
from gdl_miner.miner.results.report_charts import throughput
from gdl_miner.miner.results.report_features import features, heat, key, signed
from gdl_miner.miner.results.report_values import values

__all__ = [
    "ReportParts",
    "champion_features",
    "champion_values",
    "common_cards",
    "common_sections",
    "report_page",
    "strength_card",
]


@dataclass(frozen=True)
class ReportParts:
    """The parts of a report that depend on the learning method."""

    learned: str  # a main clause that says how the champion was found
    cards: Sequence[Card]
    sections: Sequence[Section]


def report_page(history: RunHistory, parts: ReportParts, game: str) -> str:
    """Return the page of a run with at least one finished step."""
    return report_frame(f"Knowledge of {game}", _summary(history, parts.learned), parts.cards, parts.sections)


def champion_features(knowledge: Knowledge, machine: Machine) -> Section:
    """Return the champion's features, drawn on the board and in words; nothing if it has values of states only."""
    title = "What the champion looks at"
    if knowledge.values is not None and not knowledge.n_features:
        return Section(title, "")
    sheet, geometry = machine.sheet, geometry_of(machine)
    return Section(
        title,
        heat(written_out(knowledge, machine), sheet, geometry) + key(geometry) + features(knowledge, sheet, geometry),
    )


def champion_values(knowledge: Knowledge, machine: Machine) -> Section:
    """Return the champion's values of states, drawn on the board and in words; nothing if it has none."""
    return Section("What states are worth to the champion", values(knowledge, machine))


def common_cards(history: RunHistory) -> list[Card]:
    """Return the cards of matches played and time spent."""
    playing = history.timings[history.timings["work"] != "mining"]
    playouts, seconds = int(playing["playouts"].sum()), float(history.timings["seconds"].sum())
    return [
        Card(
            "matches played",
            f"{int(playing['matches'].sum())}",
            f"{playouts / 1e6:.1f} million playouts" if playouts >= 1e5 else f"{playouts} playouts",
        ),
        Card("time", f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s", "of playing and mining"),
    ]


def strength_card(history: RunHistory) -> Card:
    """Return the champion's strength in fresh matches, or the best player's in the last step where there are none."""
    if history.champion is not None:
        low, high = history.champion["ci95"]
        percent = f"{history.champion['win_percent']:.1f} %"
        return Card("champion, fresh matches", percent, f"95 %: {low:.1f}–{high:.1f}")
    last = history.progress[-1]
    return Card(
        f"best of the last {history.unit}",
        f"{last.win_percent:.1f} %",
        f"Elo {signed(last.elo)} ± {last.elo_se:.0f}, {last.matches} matches",
    )


def common_sections(history: RunHistory) -> tuple[Section, Section]:
    """Return the sections on the time spent and on the provenance of the run."""
    return Section("Throughput", throughput(history)), Section("What was run", _provenance(history))


def _summary(history: RunHistory, learned: str) -> str:
    search = history.settings["search"]
    found = history.champion
    if found is None and history.complete:
        said = "The champion was not measured in fresh matches; the numbers below flatter it."
    elif found is None:
        said = f"After {len(history.progress)} of {history.planned} {history.unit}s the run is not complete."
    else:
        (low, high), drawn = found["ci95"], found["draws"]
        said = (
            f"The champion scored <b>{found['win_percent']:.1f} %</b> in {found['n']} fresh matches against bare UCT "
            f"(95 %: {low:.1f}–{high:.1f}{f'; {drawn} were drawn' if drawn else ''}), about {signed(found['elo'])} ± "
            f"{found['elo_se']:.0f} Elo."
        )
        if found.get("roles", 2) > 2:  # runs of earlier versions do not say
            said += (
                f" It played each of the {found['roles']} roles against copies of bare UCT; points and Elo come from "
                "comparing its goal with that of each opponent."
            )
        if not history.helps:
            said = f"<b>{escape(NOTHING_HELPS.capitalize())}.</b> {said}"
    baseline = max(1, round(search["handicap"] * search["playouts"]))
    sides = f"Bare UCT searched {count_playouts(baseline)} a move"
    if found is not None:
        sides = (
            f"It searched {count_playouts(found['playouts'])} a move, bare UCT {baseline} with a constant of "
            f"{found['baseline_uct_c']:g}; one of its playouts is {found['work_ratio']:.2f} times the work"
        )
    return f"{said} {sides}. {learned}; the seed was {history.settings['seed']}."


def _provenance(history: RunHistory) -> str:
    environment = history.environment
    command = shlex.join(["miner", *environment.get("command", [])])
    start = history.content.get("start")
    started = [] if start is None else [("Starts from", f"{start['given']}, {start['digest'][:16]}")]
    facts = [
        ("Program", f"gdl-miner {environment.get('version')}, Python {environment.get('python')}"),
        ("Libraries", ", ".join(f"{name} {number}" for name, number in environment.get("libraries", {}).items())),
        (
            "Machine",
            f"{environment.get('processor')}, {environment.get('processors', '?')} processors, "
            f"{environment.get('instruction_set')}, {environment.get('system', '')}",
        ),
        ("Started", str(environment.get("started"))),
        ("Rules", f"{history.content['game']['name']}, {history.content['game']['digest'][:16]}"),
        *started,
        ("Configuration", f"{history.content.get('source', '')}, run {history.content.get('fingerprint', '')}"),
    ]
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in facts)
    settings = json.dumps(history.settings, indent=2)
    return (
        f"<pre>{escape(command)}</pre>"
        "<p>The same game, configuration and seed give the same knowledge, byte for byte, on any number of workers. "
        "This runs everything again, in a new folder, and says whether the bytes agree:</p>"
        f"<pre>{escape(shlex.join(['miner', 'repeat', str(history.folder)]))}</pre>"
        f"<div class='scroll'><table class='about'>{rows}</table></div>"
        f"<details><summary>The whole configuration</summary><pre>{escape(settings)}</pre></details>"
    )
