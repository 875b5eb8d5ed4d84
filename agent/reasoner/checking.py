"""What is wrong with the rules of a game: in their text, when they are grounded, and when random matches are played."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.check import check_sheet
from gdl_miner.agent.gdl.finding import Finding
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.budget import Budget, Clock
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine
from gdl_miner.agent.reasoner.faults import MANY_PLAYOUTS, dead_rules, findings_of, play_at_random
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine

MOST_STEPS = 20_000  # steps of all playouts together
MOST_SLOW_STEPS = 100  # steps of all playouts together, without a circuit


def tried_findings(
    sheet: RuleSheet,
    known: Iterable[Finding],
    machine: Machine | None,
    playouts: int,
    budget: Budget,
    notes: list[str],
) -> list[Finding]:
    """Return the findings of grounding the rules and of playing the game, without those that others explain.

    Args:
        sheet: rules whose text has no errors.
        known: the findings about their text.
        machine: the game; None where its rules are too large for a circuit.
        playouts: random playouts, 0 for none.
        budget: of the grounding, and again of the playouts.
        notes: what could not be tried is added here.
    """
    starts = sorted((rule.position.line, rule.position.column) for rule in sheet.rules)
    own = set(starts)
    inside = {bisect_right(starts, place_of(finding)) for finding in known if place_of(finding) not in own}
    return [
        finding
        for finding in _tried(sheet, machine, playouts, budget, notes)
        if place_of(finding) not in own or bisect_right(starts, place_of(finding)) not in inside
    ]


def sheet_warnings(machine: Machine, seconds: float) -> list[Finding]:
    """Return the warnings of `agent check` about the rules of a game, in the order of the text, without hints.

    Those that show only when the rules are grounded and played are sought for so many seconds each, and may be missing
    where that is not enough. Bundled games are not looked at: they have none.
    """
    sheet, budget = machine.sheet, Budget(seconds)
    if sheet.source in map(str, bundled().values()):
        return []
    try:
        known = check_sheet(sheet, partial(Clock(sheet.name, budget).check, "checking"))
    except BudgetError:
        return []
    tried = tried_findings(sheet, known, machine, MANY_PLAYOUTS, budget, [])
    return sorted((each for each in (*known, *tried) if each.severity != "hint"), key=place_of)


def place_of(finding: Finding) -> tuple[int, int]:
    """Return the line and the column of a finding."""
    return finding.position.line, finding.position.column


def _tried(
    sheet: RuleSheet, machine: Machine | None, playouts: int, budget: Budget, notes: list[str]
) -> Iterator[Finding]:
    try:
        yield from dead_rules(sheet, Clock(sheet.name, budget))
    except BudgetError as error:
        notes.append(f"no rule was shown to be dead: {error}")
    if playouts == 0:
        return
    tick = partial(Clock(sheet.name, budget).check, "playing")
    if machine is not None:
        play = play_at_random(CircuitEngine(machine), playouts, MOST_STEPS, tick)
    else:
        play = play_at_random(InterpreterEngine(Interpreter(sheet, tick)), playouts, MOST_SLOW_STEPS, tick)
    yield from findings_of(sheet, play)
    if play.stopped:
        notes.append(f"{play.ended} of {playouts} random playouts were played to their end: {play.stopped}")
