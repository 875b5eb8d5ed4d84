"""Faults of a game that its rules show only when they are grounded or played."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.dependencies import relevant_rules
from gdl_miner.agent.gdl.finding import Finding, warning
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, format_term
from gdl_miner.agent.gdl.term_growth import growing_rules
from gdl_miner.agent.gdl.wellformed import rules_with_unmet_conditions
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.grounding import ground
from gdl_miner.agent.reasoner.line_of_play import written
from gdl_miner.agent.reasoner.normal_form import FRESH, Clause, clauses_of

FIRES = f"{FRESH}fires"
LEAST_PLAYOUTS = 10  # that have time for their steps where none of them ends
LONG_PLAYOUT = 1000  # steps after which a match that has not ended is remarkable


def dead_rules(sheet: RuleSheet, clock: Clock) -> list[Finding]:
    """Return a finding for each rule that can never fire, of those on which matches depend.

    Rules with a condition that no rule or fact can meet are left out: the check names these conditions.

    Raises:
        BudgetError: the rules do not ground within the clock's budget, or have no end of ground rules.
    """
    rules = relevant_rules(sheet.rules)
    if growing_rules(rules):
        raise BudgetError("rules that build ever larger terms are not ground")
    number = {rule.position: index for index, rule in enumerate(rules)}
    clauses = clauses_of(replace(sheet, rules=tuple(rules)))
    marks = [
        Clause(Compound(FIRES, (Symbol(str(number[clause.position])),)), *clause[1:])
        for clause in clauses
        if clause.positive and not clause.head.name.startswith(FRESH)
    ]
    fired = {int(mark) for (mark,) in ground([*clauses, *marks], clock).relations.get(FIRES, {})}
    never_unified = {rule.position for rule in rules if rule.body} - {clause.position for clause in clauses}
    marked = {mark.position for mark in marks}
    explained = rules_with_unmet_conditions(sheet)
    return [
        warning(rule.position, f"this rule for '{rule.head.name}' can never fire", "correct or remove it")
        for index, rule in enumerate(rules)
        if rule.position not in explained
        and (rule.position in never_unified or (rule.body and index not in fired and rule.position in marked))
    ]


class Fault(NamedTuple):
    """A line of play after which a role lacks a legal move or a goal, or has several goals at once."""

    role: str
    what: str  # "no legal move", "no goal" or "two goals"
    moves: tuple[tuple[str, ...], ...]  # [step, role] the line of play
    goals: tuple[int, int] = (0, 0)  # the least and the largest, where there are several


class RandomPlay(NamedTuple):
    """The result of random playouts: their numbers, and the faults of the rules that they met."""

    faults: tuple[Fault, ...]  # the shortest of each role and kind, in the order of the roles
    begun: int  # playouts
    ended: int  # of these; a fault ends a playout, too
    longest: int  # steps after which a playout was broken off
    stopped: str  # why it stopped before the playouts or the steps were made, empty if it did not


def play_at_random(
    engine: TextEngine[Any], playouts: int, most_steps: int, tick: Callable[[], None] = lambda: None
) -> RandomPlay:
    """Play random playouts and look for faults; all of them together make at most `most_steps` steps.

    `tick` is called before each step, and stops the play by raising BudgetError, as the engine may.
    """
    dice = random.Random(0)
    shortest: dict[tuple[str, str], Fault] = {}
    longest = max(most_steps // LEAST_PLAYOUTS, min(most_steps, LONG_PLAYOUT))
    steps = begun = ended = 0
    stopped = ""
    try:
        while begun < playouts and steps < most_steps:
            state, begun = engine.initial(), begun + 1
            moves: list[tuple[str, ...]] = []
            while len(moves) < longest and steps < most_steps:
                tick()
                over = engine.terminal(state)
                legal = [] if over else engine.legal(state)
                found = _goal_faults(engine, state) if over else _stuck(engine, legal)
                for fault in found:
                    known = shortest.get(fault[:2])
                    if known is None or len(moves) < len(known.moves):
                        shortest[fault[:2]] = fault._replace(moves=tuple(moves))
                if over or found:
                    ended += 1
                    break
                moves.append(tuple(dice.choice(sorted(known)) for known in legal))
                state = engine.next(state, moves[-1])
                steps += 1
    except BudgetError as error:
        stopped = str(error)
    order = {role: index for index, role in enumerate(engine.roles)}
    faults = sorted(shortest.values(), key=lambda fault: (order[fault.role], fault.what))
    return RandomPlay(tuple(faults), begun, ended, longest, stopped)


def _stuck(engine: TextEngine[Any], legal: Sequence[Collection[str]]) -> list[Fault]:
    return [Fault(role, "no legal move", ()) for role, known in zip(engine.roles, legal, strict=True) if not known]


def _goal_faults(engine: TextEngine[Any], state: Any) -> list[Fault]:
    found = []
    for role, least, most in zip(engine.roles, engine.least_goals(state), engine.goals(state), strict=True):
        if role == CHANCE_ROLE:
            continue  # it needs no goal
        if least is None or most is None:
            found.append(Fault(role, "no goal", ()))
        elif least != most:
            found.append(Fault(role, "two goals", (), (least, most)))
    return found


def findings_of(sheet: RuleSheet, play: RandomPlay) -> list[Finding]:
    """Return what random playouts showed as findings, with the moves that lead to faults.

    Faults stand at the `role` fact of the first role that has them, and matches that do not end at the first rule for
    `terminal`.
    """
    places = {
        format_term(rule.head.args[0]): rule.position
        for rule in reversed(sheet.rules)
        if rule.predicate == ("role", 1) and isinstance(rule.head, Compound)
    }
    alike: dict[tuple[str, tuple[tuple[str, ...], ...]], list[Fault]] = {}
    for fault in play.faults:
        alike.setdefault((fault.what, fault.moves), []).append(fault)
    found = [_finding(sheet, faults, places[faults[0].role]) for faults in alike.values()]
    if play.begun and not play.ended and not play.stopped and play.longest >= LONG_PLAYOUT:
        matches = "the random match did not end" if play.begun == 1 else f"none of {play.begun} random matches ended"
        found.append(
            warning(
                next(rule.position for rule in sheet.rules if rule.head.name == "terminal"),
                f"{matches} within {play.longest:,} moves, so searches by playouts learn nothing",
                "let the match end sooner, for instance by a fluent that counts the moves",
            )
        )
    return found


def _finding(sheet: RuleSheet, faults: Sequence[Fault], place: Location) -> Finding:
    """Return the finding of faults of one kind after the same moves."""
    kind, moves = faults[0].what, faults[0].moves
    where = f"after {sheet.display(written(moves))}" if moves else "at the start"
    roles = [sheet.display(fault.role) for fault in faults]
    all_of_them = " and ".join([", ".join(roles[:-1]), roles[-1]] if roles[1:] else roles)
    have, each = ("have", "each of them") if roles[1:] else ("has", "it")
    if kind == "no goal":
        what = f"the match is over {where}, and {all_of_them} {have} no goal"
        return warning(place, what, f"give {each} exactly one there")
    if kind == "two goals":
        goals = [
            f"{role} has the goals {fault.goals[0]} and {fault.goals[1]} at once"
            for role, fault in zip(roles, faults, strict=True)
        ]
        what = f"the match is over {where}, and {', and '.join(goals)}"
        return warning(place, what, f"give {each} exactly one there; play takes the largest")
    what = f"{all_of_them} {have} no legal move {where}"
    return warning(place, what, f"give {each} one, such as noop, or end the match there")
