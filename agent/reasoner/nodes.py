"""Nodes of a circuit under construction: hash-consed conjunctions, complements and move sets.

A literal is ``2 * node + complement``. Node 0 is TRUE, nodes 1 .. n_fluents are the fluents; the rest are move sets and
gates in order of creation. Every role makes exactly one move a step, so a formula over the moves of one role *is* a set
of moves: complement, intersection and union of such formulas fold into one set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from agent.reasoner.circuit import FALSE, TRUE

Gate = tuple[int, ...]  # ascending literals; the gate is their AND


class MoveSet(NamedTuple):
    """Moves of one role: bit i of `moves` stands for the role's i-th move."""

    role: int
    moves: int


class Roots(NamedTuple):
    """The literals a game asks about."""

    legal: tuple[int, ...]  # [row]
    terminal: int
    goals: tuple[tuple[int, int, int], ...]  # role, value, literal
    next: tuple[int, ...]  # [fluent]

    def literals(self) -> tuple[int, ...]:
        """Return all of them, in the order in which a step needs them."""
        return (*self.legal, self.terminal, *(literal for _, _, literal in self.goals), *self.next)

    def mapped(self, replace: Callable[[int], int]) -> Roots:
        """Return the roots with every literal replaced."""
        goals = tuple((role, value, replace(literal)) for role, value, literal in self.goals)
        return Roots(tuple(map(replace, self.legal)), replace(self.terminal), goals, tuple(map(replace, self.next)))


class Nodes:
    """A growing set of nodes in which equal nodes are the same node."""

    def __init__(self, n_fluents: int, moves_of_role: Iterable[int]) -> None:
        self.n_fluents = n_fluents
        self.all_moves = tuple((1 << count) - 1 for count in moves_of_role)  # [role]
        self.gates: list[Gate | None] = [None] * (1 + n_fluents)  # [node]; None: no gate
        self.sets: dict[int, MoveSet] = {}  # node -> its set
        self.placeholders: dict[int, int] = {}  # gate on a cycle -> its value in the least element
        self._gate_of: dict[Gate, int] = {}
        self._set_of: dict[MoveSet, int] = {}

    def fluent(self, index: int) -> int:
        """Return the literal of a fluent."""
        return 2 * (1 + index)

    def move_set(self, role: int, moves: int) -> int:
        """Return the literal of a set of moves. Of a set and its complement, the smaller one gets a node."""
        everything = self.all_moves[role]
        if moves == 0:
            return FALSE
        if moves == everything:
            return TRUE
        complement = 2 * moves.bit_count() > everything.bit_count()
        key = MoveSet(role, everything ^ moves if complement else moves)
        node = self._set_of.get(key)
        if node is None:
            node = self._add(None)
            self._set_of[key] = node
            self.sets[node] = key
        return 2 * node + complement

    def as_move_set(self, literal: int) -> MoveSet | None:
        """Return the moves for which a literal is true, None where it is no move set."""
        found = self.sets.get(literal >> 1)
        if found is None or not literal & 1:
            return found
        return MoveSet(found.role, self.all_moves[found.role] ^ found.moves)

    def move_alternatives(self, literal: int) -> Gate:
        """Return move sets (of several roles) whose OR is the literal; nothing where it reads more than moves."""
        if literal >> 1 in self.sets:
            return (literal,)
        gate = self.gates[literal >> 1] if literal & 1 else None
        if gate and all(inner >> 1 in self.sets for inner in gate):
            return tuple(inner ^ 1 for inner in gate)
        return ()

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of the AND of literals."""
        plain: set[int] = set()
        moves: dict[int, int] = {}
        for literal in literals:
            found = self.as_move_set(literal)
            if found is not None:
                moves[found.role] = moves.get(found.role, self.all_moves[found.role]) & found.moves
            elif literal == FALSE or literal ^ 1 in plain:
                return FALSE
            elif literal != TRUE:
                plain.add(literal)
        for role, chosen in moves.items():
            literal = self.move_set(role, chosen)
            if literal == FALSE:
                return FALSE
            if literal != TRUE:
                plain.add(literal)
        return self._gate(plain)

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of the OR of literals."""
        return self.conjunction(literal ^ 1 for literal in literals) ^ 1

    def placeholder(self, initial: int) -> int:
        """Add a gate of a cycle, to be defined later, and return its node."""
        node = self._add(())
        self.placeholders[node] = initial
        return node

    def define(self, placeholder: int, literal: int) -> None:
        """Make a placeholder equal to a literal."""
        gate = None if literal & 1 else self.gates[literal >> 1]
        self.gates[placeholder] = gate if gate else (literal,)

    def _gate(self, literals: set[int]) -> int:
        if not literals:
            return TRUE
        if len(literals) == 1:
            return next(iter(literals))
        gate = tuple(sorted(literals))
        node = self._gate_of.get(gate)
        if node is None:
            node = self._add(gate)
            self._gate_of[gate] = node
        return 2 * node

    def _add(self, gate: Gate | None) -> int:
        self.gates.append(gate)
        return len(self.gates) - 1
