"""Tuples of cells that the rules look at together: a part of the rules depends on them and on no other cells."""

from __future__ import annotations

from gdl_miner.agent.geometry import NOWHERE, Geometry
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.values.shapes import Points

__all__ = ["rule_tuples"]


def rule_tuples(circuit: Circuit, geometry: Geometry, longest: int) -> list[Points]:
    """Return the largest sets of two to `longest` points such that a gate of the circuit depends on just these points.

    In cubicup these are a place and the three that carry it, in checkers the places of a jump. Facts and moves that are
    on no point do not count. A set that is part of another one is left out.
    """
    start, literals = circuit.gate_start.tolist(), circuit.gate_literals.tolist()
    points = geometry.fluent_point.tolist()
    of_slot: list[frozenset[int] | None] = [frozenset()] * circuit.first_gate_slot  # None: too many points
    of_slot[1 : circuit.n_fluents + 1] = [frozenset(() if point == NOWHERE else (point,)) for point in points]
    for gate in range(len(start) - 1):
        inputs = [of_slot[literal // 2] for literal in literals[start[gate] : start[gate + 1]]]
        together: frozenset[int] | None = frozenset()
        for each in inputs:
            together = None if together is None or each is None else together | each
            if together is not None and len(together) > longest:
                together = None
        of_slot.append(together)
    found = {each for each in of_slot if each is not None and len(each) > 1}
    return sorted(tuple(sorted(each)) for each in found if not any(each < other for other in found))
