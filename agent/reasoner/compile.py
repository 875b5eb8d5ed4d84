"""Stage 2: compile a ground program to a circuit.

This module determines the vocabulary of the ground program: the atoms that are the fluents, the moves and the questions
of a game, in their canonical order. The native code does the work that repeats millions of times: it turns atoms into
hash-consed nodes, factors alternatives, simplifies the circuit and lays it out
(`agent/native/compiler/rule_compiler.hpp` and the files it names).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, compress, islice
from typing import NamedTuple

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.gdl.keywords import goal_value
from gdl_miner.agent.reasoner.circuit import Bytes, Ints, Literals
from gdl_miner.agent.reasoner.grounding import GroundProgram

NEVER = -1  # stands for an atom that no rule makes true
Atoms = Mapping[tuple[str, ...], int]


class Vocabulary(NamedTuple):
    """The names of a game in their canonical order."""

    roles: tuple[str, ...]  # in the order of the sheet
    fluents: tuple[str, ...]  # sorted
    moves: tuple[tuple[str, ...], ...]  # [role]; sorted

    @classmethod
    def of(cls, roles: tuple[str, ...], program: GroundProgram) -> Vocabulary:
        """Return the names of the fluents and moves that a ground program can reach."""
        moves: dict[str, list[str]] = {role: [] for role in roles}
        for role, move in program.relations.get("does", {}):
            moves[role].append(move)
        fluents = tuple(sorted(fluent for (fluent,) in program.relations.get("true", {})))
        return cls(roles, fluents, tuple(tuple(sorted(moves[role])) for role in roles))

    def only(self, fluents: Bytes, rows: Bytes) -> Vocabulary:
        """Return the names of some fluents and rows: those with a number other than 0."""
        kept = iter(rows.tolist())
        return Vocabulary(
            self.roles,
            tuple(compress(self.fluents, fluents.tolist())),
            tuple(tuple(compress(moves, islice(kept, len(moves)))) for moves in self.moves),
        )


class Goal(NamedTuple):
    """A goal that rules may give a role."""

    role: int
    value: int  # 0..100
    atom: int


@dataclass(frozen=True, eq=False)
class GroundRules:
    """The input of the native compiler; `agent/native/compiler/ground_rules.hpp` mirrors it field by field.

    Atoms are numbers below `n_atoms`. Atom 0 always holds, and NEVER never holds.
    """

    n_atoms: int
    rules: Ints  # each as head, length of the body, body; a negative number is a negated atom
    fluents: Ints  # [fluent] atom of the relation `true` with the fluent
    does: Ints  # [row]
    move_start: Ints  # [n_roles + 1] rows of role r: move_start[r] .. move_start[r + 1]
    legal: Ints  # [row]
    terminal: int
    goals: Ints  # [goal]
    next: Ints  # [fluent]


class CircuitArrays(NamedTuple):
    """The part of a circuit that the compiler computes; the fields are those of `Circuit`."""

    set_start: Ints
    set_rows: Ints
    gate_start: Ints
    gate_literals: Literals
    n_state_gates: int
    loops: Ints
    loop_initial: Bytes
    legal: Literals
    terminal: int
    goal_literal: Literals
    next: Literals


def goals_of(names: Vocabulary, program: GroundProgram) -> list[Goal]:
    """Return the goals by role, the largest value first."""
    role_of = {role: index for index, role in enumerate(names.roles)}
    goals = [
        Goal(role_of[role], value, atom)
        for (role, text), atom in program.relations.get("goal", {}).items()
        if role in role_of and (value := goal_value(text)) is not None
    ]
    return sorted(goals, key=lambda goal: (goal.role, -goal.value, goal.atom))


def rules_of(
    names: Vocabulary, program: GroundProgram, goals: list[Goal], constant: Bytes | None = None
) -> GroundRules:
    """Return the ground program in terms of fluents, rows and goals.

    Fluents and moves that have no name never hold. A fluent that is `constant` (not 0) always holds: what rules say
    about it becomes a fact, so no gate reads the fluent.
    """
    rows = [(role, move) for role, moves in zip(names.roles, names.moves, strict=True) for move in moves]
    fluents = [(fluent,) for fluent in names.fluents]
    relations = program.relations
    atoms = _atoms(relations.get("true", {}), fluents)
    following = _atoms(relations.get("next", {}), fluents)
    always = np.flatnonzero(np.zeros(len(fluents)) if constant is None else constant)
    facts = np.stack([atoms[always], np.zeros_like(atoms[always])], axis=1).ravel()
    atoms[always] = np.arange(program.n_atoms, program.n_atoms + len(always))
    following[always] = 0
    return GroundRules(
        n_atoms=program.n_atoms + len(always),
        rules=np.concatenate([program.rules, facts]),
        fluents=atoms,
        does=_atoms(relations.get("does", {}), rows),
        move_start=np.fromiter(accumulate(map(len, names.moves), initial=0), np.int32),
        legal=_atoms(relations.get("legal", {}), rows),
        terminal=relations.get("terminal", {}).get((), NEVER),
        goals=np.asarray([goal.atom for goal in goals], np.int32),
        next=following,
    )


def compile_rules(
    rules: GroundRules, tick: Callable[[], None] = lambda: None, *, simplify: bool = True
) -> CircuitArrays:
    """Return the arrays of the circuit. `tick` is called every few milliseconds and may raise to end the work.

    Without `simplify` the circuit follows the rules directly, without simplification.

    Raises:
        _native.NegativeCycleError: a relation depends on its own negation.
        _native.MovesInStateError: legal, terminal or goal depends on the moves of the step.
    """
    return CircuitArrays(*_native.compile_rules(rules, tick, simplify))


def moves_by_row(names: Vocabulary) -> tuple[str, ...]:
    """Return the moves of all roles in the order of the roles."""
    return tuple(chain.from_iterable(names.moves))


def _atoms(known: Atoms, wanted: Iterable[tuple[str, ...]]) -> Ints:
    return np.fromiter((known.get(name, NEVER) for name in wanted), np.int32)
