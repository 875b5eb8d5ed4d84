"""Preparation of a game: grounding its rules, compiling the circuit and naming its fluents and moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.normal_order import in_normal_order
from gdl_miner.agent.gdl.rules import RuleSheet
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
from gdl_miner.agent.reasoner.faults import moves_in_state, negative_cycle
from gdl_miner.agent.reasoner.grounding import GroundProgram, ground
from gdl_miner.agent.reasoner.normal_form import Clause, clauses_of

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
    program = ground(_clauses(sheet), clock)
    grounding_s = clock.elapsed()
    names = Vocabulary.of(sheet.roles, program)
    circuit = _compiled(sheet, names, program, clock)
    fluents, rows = _native.possible_values(circuit)
    if not rows.all() or (fluents != _MAY_CHANGE).any():
        possible = fluents != _NEVER_TRUE
        circuit = _compiled(sheet, names.only(possible, rows), program, clock, fluents[possible] == _ALWAYS_TRUE)
        circuit = replace(circuit, never=names.only(~possible, rows).fluents)
    return replace(circuit, grounding_s=grounding_s, compile_s=clock.elapsed() - grounding_s)


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


def _arrays(sheet: RuleSheet, rules: GroundRules, clock: Clock) -> CircuitArrays:
    try:
        return compile_rules(rules, lambda: clock.check("compiling"))
    except _native.NegativeCycleError:
        raise negative_cycle(sheet) from None
    except _native.MovesInStateError:
        raise moves_in_state(sheet) from None
