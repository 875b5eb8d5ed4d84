"""Preparation of a game: grounding its rules, compiling the circuit and naming its fluents and moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.errors import BudgetError, RuleError
from gdl_miner.agent.gdl.dependencies import relation_dependencies, relevant_rules
from gdl_miner.agent.gdl.digest import normal_form
from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet, rule_of
from gdl_miner.agent.gdl.syntax import ground as is_ground
from gdl_miner.agent.gdl.syntax import read_expressions
from gdl_miner.agent.gdl.term_growth import growing_rules
from gdl_miner.agent.reasoner.budget import Budget, Clock
from gdl_miner.agent.reasoner.circuit import FORMAT_VERSION, Bytes, Circuit
from gdl_miner.agent.reasoner.compile import (
    CircuitArrays,
    GroundRules,
    Vocabulary,
    compile_rules,
    goals_of,
    moves_by_row,
    rules_of,
)
from gdl_miner.agent.reasoner.grounding import GroundProgram, ground
from gdl_miner.agent.reasoner.normal_form import Clause, clauses_of

# Limits of grounding, in seconds and MiB, for rules that may build ever larger terms.
MOMENT_S = 3.0
MOMENT_MIB = 1024
# The native simulation answers with one of these numbers for each fluent (_native.possible_values).
_NEVER_TRUE, _ALWAYS_TRUE, _MAY_CHANGE = 1, 2, 3


def prepare(sheet: RuleSheet, budget: Budget | None = None) -> Circuit:
    """Return the circuit of a game.

    Fluents and moves that no match can reach have no place in it, and fluents that hold all the time are constants,
    such as the walls of a maze.

    Raises:
        RuleError: the rules have no meaning.
        BudgetError: the rules cannot be prepared within the budget.
    """
    if not sheet.roles:
        raise RuleError(f"{sheet.source}: the game has no roles; add a fact such as (role white)")
    clock = Clock(sheet.name, budget or Budget())
    program = _ground(replace(sheet, rules=tuple(relevant_rules(sheet.rules))), clock)
    grounding_s = clock.elapsed()
    names = Vocabulary.of(sheet.roles, program)
    circuit = _compiled(sheet, names, program, clock)
    fluents, rows = _native.possible_values(circuit)
    if not rows.all() or (fluents != _MAY_CHANGE).any():
        possible = fluents != _NEVER_TRUE
        circuit = _compiled(sheet, names.only(possible, rows), program, clock, fluents[possible] == _ALWAYS_TRUE)
        circuit = replace(circuit, never=names.only(~possible, rows).fluents)
    return replace(circuit, grounding_s=grounding_s, compile_s=clock.elapsed() - grounding_s)


def _ground(sheet: RuleSheet, clock: Clock) -> GroundProgram:
    """Ground the rules; those that may build ever larger terms get a moment only, for they hardly come to an end."""
    growing = growing_rules(sheet.rules)
    if not growing:
        return ground(_clauses(sheet), clock)
    limits = clock.budget
    moment = limits._replace(seconds=min(limits.seconds, MOMENT_S), memory_mib=min(limits.memory_mib, MOMENT_MIB))
    try:
        return ground(_clauses(sheet), Clock(sheet.name, moment))
    except BudgetError:
        each = growing[0]
        raise BudgetError(
            f"{each.position}: the rule for '{sheet.display(each.head)}' builds ever larger terms of {each.variable}, "
            f"so there is no circuit; bind {each.variable} by a condition that does not recur"
        ) from None


def _compiled(
    sheet: RuleSheet, names: Vocabulary, program: GroundProgram, clock: Clock, constant: Bytes | None = None
) -> Circuit:
    """Return the circuit of a ground program; `constant` says of each fluent whether it always holds."""
    goals = goals_of(names, program)
    rules = rules_of(names, program, goals, constant)
    initial = program.relations.get("init", {})
    circuit = Circuit(
        version=FORMAT_VERSION,
        rules_digest=sheet.digest,
        roles=names.roles,
        fluents=names.fluents,
        moves=moves_by_row(names),
        move_start=rules.move_start,
        initial=np.fromiter(((fluent,) in initial for fluent in names.fluents), np.uint8),
        goal_role=np.asarray([goal.role for goal in goals], np.int32),
        goal_value=np.asarray([goal.value for goal in goals], np.int32),
        **_arrays(sheet, rules, clock)._asdict(),
    )
    _native.check_circuit(circuit)
    return circuit


def _clauses(sheet: RuleSheet) -> list[Clause]:
    """Return the clauses of the rules in normal order: the circuit then does not depend on how the sheet is written."""
    try:
        return clauses_of(in_normal_order(sheet))
    except RuleError:
        clauses_of(sheet)  # its error names the variables as the sheet writes them
        raise


def in_normal_order(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet with the same meaning: each rule once, sorted, with sorted conditions and renamed variables.

    Sheets with the same digest have the same rules in normal order, so everything made from these is the same too. A
    rule keeps its position in the text, the first one if equal rules were written; positions inside a rule are lost.
    """
    written = {normal_form(rule.head, rule.body): rule for rule in reversed(sheet.rules)}
    return replace(sheet, rules=tuple(_in_normal_form(text, written[text]) for text in sorted(written)))


def _in_normal_form(text: str, rule: Rule) -> Rule:
    if not rule.body and is_ground(rule.head):
        return rule
    return replace(rule_of(read_expressions(text)[0]), position=rule.position)


def _arrays(sheet: RuleSheet, rules: GroundRules, clock: Clock) -> CircuitArrays:
    try:
        return compile_rules(rules, lambda: clock.check("compiling"))
    except _native.NegativeCycleError:
        raise _negative_cycle(sheet) from None
    except _native.MovesInStateError:
        raise _moves_in_state(sheet) from None


def _negative_cycle(sheet: RuleSheet) -> RuleError:
    """Return the error for rules in which a relation depends on its own negation."""
    component = relation_dependencies(sheet.rules).components
    # A component has a larger number than those it depends on: the cycle on which the others rest is reported.
    cycles = [
        (component[rule.predicate], rule, atom)
        for rule in sheet.rules
        for atom, positive in atoms(rule.body)
        if not positive and component[atom.predicate] == component[rule.predicate]
    ]
    if not cycles:
        return RuleError(f"{sheet.source}: a relation depends on its own negation; run `agent check` on the rules")
    _, rule, atom = min(cycles, key=lambda cycle: cycle[0])
    return RuleError(
        f"{atom.position}: '{rule.head.name}' depends on the negation of '{atom.name}', "
        f"which depends on '{rule.head.name}'; break the cycle"
    )


def _moves_in_state(sheet: RuleSheet) -> RuleError:
    """Return the error for rules in which legal, terminal or goal depends on the moves of the step."""
    dependencies, moves = relation_dependencies(sheet.rules), ("does", 2)
    for rule in sheet.rules:
        if rule.head.name in ("legal", "terminal", "goal"):
            for atom, _ in atoms(rule.body):
                if atom.predicate == moves or dependencies.path(atom.predicate, moves):
                    return RuleError(
                        f"{atom.position}: '{rule.head.name}' depends on 'does', but only 'next' may; read the state"
                    )
    return RuleError(f"{sheet.source}: legal, terminal or goal depends on 'does'; run `agent check` on the rules")
