"""Tuples of cells that the rules look at together.

A goal or the end of a match follows from facts on the cells, or a part of the rules depends on them and on no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gdl_miner.agent.geometry import NOWHERE, Geometry, Points
from gdl_miner.agent.reasoner.circuit import Circuit

_MOST_CONDITIONS = 20_000  # alternatives of a literal; goals with more, such as counts of pieces, are passed over

_Together = frozenset[int]  # fluents that hold together
_ANYTHING = frozenset((frozenset[int](),))


def goal_tuples(circuit: Circuit, geometry: Geometry, longest: int) -> list[Points]:
    """Return the points of facts that are together sufficient for a goal or the end, apart from facts that do not hold.

    In connect four these are the lines of four. Tuples have two to `longest` cells, each with one fact.
    """
    conditions = _Conditions(circuit)
    found: set[Points] = set()
    for literal in {circuit.terminal, *circuit.goal_literal.tolist()}:
        for facts in conditions.of(literal):
            points = {int(geometry.fluent_point[fluent]) for fluent in facts}
            if 2 <= len(points) == len(facts) <= longest and NOWHERE not in points:
                found.add(tuple(sorted(points)))
    return sorted(found)


def rule_tuples(circuit: Circuit, geometry: Geometry, longest: int) -> list[Points]:
    """Return the largest sets of two to `longest` points such that a gate of the circuit depends on just these points.

    In cubicup these are a place and the three that carry it, in checkers the places of a jump. Facts and moves that are
    on no point do not count. A set that is part of another one is left out. A gate of a loop depends on all that its
    inputs depend on, also by way of the loop.
    """
    points = geometry.fluent_point.tolist()
    of_slot: list[frozenset[int] | None] = [frozenset()] * circuit.first_gate_slot  # None: too many points
    of_slot[1 : circuit.n_fluents + 1] = [frozenset(() if point == NOWHERE else (point,)) for point in points]
    gates = [circuit.gate_literals[start:end].tolist() for start, end in pairwise(circuit.gate_start.tolist())]
    of_slot += [frozenset()] * len(gates)
    ends = dict(circuit.loops.tolist())
    gate, first = 0, circuit.first_gate_slot
    while gate < len(gates):
        end = ends.get(gate, gate + 1)
        changed = True
        while changed:  # sets only grow, so this comes to an end
            before = of_slot[first + gate : first + end]
            for each in range(gate, end):
                of_slot[first + each] = _joined([of_slot[literal // 2] for literal in gates[each]], longest)
            changed = end - gate > 1 and of_slot[first + gate : first + end] != before
        gate = end
    found = {each for each in of_slot if each is not None and len(each) > 1}
    return sorted(tuple(sorted(each)) for each in found if not any(each < other for other in found))


def _joined(inputs: Sequence[frozenset[int] | None], longest: int) -> frozenset[int] | None:
    """Return the points of all inputs, None if they are more than `longest`, or those of one are not known."""
    union: set[int] = set()
    for each in inputs:
        if each is None:
            return None
        union |= each
        if len(union) > longest:
            return None
    return frozenset(union)


class _TooManyError(Exception):
    """A literal has too many alternatives."""


class _Conditions:
    """The alternatives of literals: sets of facts, one of which holds wherever the literal does."""

    def __init__(self, circuit: Circuit) -> None:
        self._start = circuit.gate_start.tolist()
        self._literals = circuit.gate_literals.tolist()
        self._n_fluents = circuit.n_fluents
        self._first_gate = circuit.first_gate_slot
        self._known: dict[int, frozenset[_Together]] = {}

    def of(self, literal: int) -> frozenset[_Together]:
        """Return the alternatives of a literal, none if there are too many."""
        try:
            return self._alternatives(literal)
        except (_TooManyError, RecursionError):
            return frozenset()

    def _alternatives(self, literal: int) -> frozenset[_Together]:
        if literal not in self._known:
            self._known[literal] = self._find(literal)
        return self._known[literal]

    def _find(self, literal: int) -> frozenset[_Together]:
        slot, complement = literal // 2, literal % 2
        if slot == 0:
            return frozenset() if complement else _ANYTHING
        if slot < self._first_gate:
            return _ANYTHING if complement or slot > self._n_fluents else frozenset((frozenset((slot - 1,)),))
        gate = slot - self._first_gate
        inputs = self._literals[self._start[gate] : self._start[gate + 1]]
        return self._any([each ^ 1 for each in inputs]) if complement else self._all(inputs)

    def _any(self, literals: list[int]) -> frozenset[_Together]:
        found: frozenset[_Together] = frozenset()
        for each in literals:
            found |= self._alternatives(each)
            if len(found) > _MOST_CONDITIONS:
                raise _TooManyError
        return found

    def _all(self, literals: list[int]) -> frozenset[_Together]:
        found = _ANYTHING
        for each in literals:
            also = self._alternatives(each)
            if len(found) * len(also) > _MOST_CONDITIONS:
                raise _TooManyError
            found = frozenset(one | other for one in found for other in also)
        return found
