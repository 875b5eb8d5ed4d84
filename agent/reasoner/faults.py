"""Faults of a game that its rules show only when they are grounded or played."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from gdl_miner.agent.gdl.finding import Finding, warning
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, format_term
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.grounding import ground
from gdl_miner.agent.reasoner.line_of_play import written
from gdl_miner.agent.reasoner.normal_form import FRESH, Clause, clauses_of

FIRES = f"{FRESH}fires"


def dead_rules(sheet: RuleSheet, clock: Clock) -> list[Finding]:
    """Return a finding for each rule that can never fire.

    Raises:
        BudgetError: the rules do not ground within the clock's budget.
    """
    number = {rule.position: index for index, rule in enumerate(sheet.rules)}
    clauses = clauses_of(sheet)
    marks = [
        Clause(Compound(FIRES, (Symbol(str(number[clause.position])),)), *clause[1:])
        for clause in clauses
        if clause.positive and not clause.head.name.startswith(FRESH)
    ]
    fired = {int(mark) for (mark,) in ground([*clauses, *marks], clock).relations.get(FIRES, {})}
    never_unified = {rule.position for rule in sheet.rules if rule.body} - {clause.position for clause in clauses}
    return [
        warning(rule.position, f"this rule for '{rule.head.name}' can never fire", "correct or remove it")
        for index, rule in enumerate(sheet.rules)
        if rule.position in never_unified
        or (rule.body and index not in fired and any(mark.position == rule.position for mark in marks))
    ]


class Fault(NamedTuple):
    """A line of play after which a role lacks a legal move or a goal."""

    role: str
    lacks: str  # "legal move" or "goal"
    moves: tuple[tuple[str, ...], ...]  # [step, role] the line of play


def playout_faults(engine: TextEngine[Any], playouts: int, most_steps: int) -> list[Fault]:
    """Return the shortest fault of each role and kind that random playouts find, in the order of the roles.

    Playouts stop when all of them together have made `most_steps` steps.
    """
    dice = random.Random(0)
    shortest: dict[tuple[str, str], Fault] = {}
    steps = 0
    for _ in range(playouts):
        state = engine.initial()
        moves: list[tuple[str, ...]] = []
        while steps < most_steps:
            over = engine.terminal(state)
            legal = [] if over else engine.legal(state)
            lacks = "goal" if over else "legal move"
            lacking = [goal is None for goal in engine.goals(state)] if over else [not known for known in legal]
            if over and CHANCE_ROLE in engine.roles:
                lacking[engine.roles.index(CHANCE_ROLE)] = False  # it needs no goal
            for role, lack in zip(engine.roles, lacking, strict=True):
                known = shortest.get((role, lacks))
                if lack and (known is None or len(moves) < len(known.moves)):
                    shortest[role, lacks] = Fault(role, lacks, tuple(moves))
            if over or any(lacking):
                break
            moves.append(tuple(dice.choice(sorted(known)) for known in legal))
            state = engine.next(state, moves[-1])
            steps += 1
    order = {role: index for index, role in enumerate(engine.roles)}
    return sorted(shortest.values(), key=lambda fault: (order[fault.role], fault.lacks))


def findings_of(sheet: RuleSheet, faults: list[Fault]) -> list[Finding]:
    """Return faults as findings at the `role` facts of the sheet, with the moves that lead to them."""
    places = {
        format_term(rule.head.args[0]): rule.position
        for rule in reversed(sheet.rules)
        if rule.predicate == ("role", 1) and not isinstance(rule.head, str) and hasattr(rule.head, "args")
    }
    return [_finding(sheet, fault, places[fault.role]) for fault in faults]


def _finding(sheet: RuleSheet, fault: Fault, place: Location) -> Finding:
    where = f"after {sheet.display(written(fault.moves))}" if fault.moves else "at the start"
    role = sheet.display(fault.role)
    if fault.lacks == "goal":
        return warning(place, f"the match is over {where}, and {role} has no goal", "give it exactly one there")
    return warning(place, f"{role} has no legal move {where}", "give it one, such as noop, or end the match there")
