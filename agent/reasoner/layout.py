"""Nodes to the arrays of a circuit: order, phases, loops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from agent.reasoner.circuit import Bytes, Ints, Literals
from agent.reasoner.components import components
from agent.reasoner.nodes import Nodes, Roots


class MovesInStateError(ValueError):
    """What is asked of a state depends on the moves made in it."""


class Schedule(NamedTuple):
    """Gates in the order of evaluation, gates of the state first. Loops are runs of positions in it."""

    gates: list[int]  # nodes
    n_state_gates: int
    loops: list[tuple[int, int]]


class CircuitArrays(NamedTuple):
    """The part of a circuit that comes from its nodes; fields as in `Circuit`."""

    set_start: Ints
    set_rows: Ints
    gate_start: Ints
    gate_literals: Literals
    n_state_gates: int
    loops: Ints
    loop_initial: Bytes
    legal: Literals
    terminal: int
    goal_role: Ints
    goal_value: Ints
    goal_literal: Literals
    next: Literals


def schedule(nodes: Nodes, roots: Roots) -> Schedule:
    """Order the gates that roots need: depth first, so that a gate stands near the gates that read it."""

    def inputs(node: int) -> Iterator[int]:
        return (literal >> 1 for literal in nodes.gates[node] or ())

    reads_moves = set(nodes.sets)
    phases: tuple[list[list[int]], list[list[int]]] = ([], [])
    for component in components((literal >> 1 for literal in roots.literals()), inputs):
        if nodes.gates[component[0]] is None:
            continue
        later = any(node in reads_moves for member in component for node in inputs(member))
        if later:
            reads_moves.update(component)
        phases[later].append(component)
    asked = (*roots.legal, roots.terminal, *(literal for _, _, literal in roots.goals))
    if any(literal >> 1 in reads_moves for literal in asked):
        raise MovesInStateError
    gates = list(chain.from_iterable(chain.from_iterable(phases)))
    loops = []
    first = 0
    for component in chain.from_iterable(phases):
        if len(component) > 1 or component[0] in inputs(component[0]):
            loops.append((first, first + len(component)))
        first += len(component)
    return Schedule(gates, sum(map(len, phases[0])), loops)


def lay_out(nodes: Nodes, roots: Roots, move_start: list[int]) -> CircuitArrays:
    """Return the arrays of the circuit that computes roots."""
    plan = schedule(nodes, roots)
    used = {literal >> 1 for node in plan.gates for literal in nodes.gates[node] or ()}
    used.update(literal >> 1 for literal in roots.literals())
    sets = [node for node in nodes.sets if node in used]
    slot = {node: node for node in range(1 + nodes.n_fluents)}
    for node in chain(sets, plan.gates):
        slot[node] = len(slot)

    def literal_of(literal: int) -> int:
        return 2 * slot[literal >> 1] + (literal & 1)

    rows = [[move_start[nodes.sets[node].role] + move for move in _moves(nodes.sets[node].moves)] for node in sets]
    literals = [sorted(map(literal_of, nodes.gates[node] or ())) for node in plan.gates]
    placed = roots.mapped(literal_of)
    return CircuitArrays(
        set_start=_starts(rows),
        set_rows=np.fromiter(chain.from_iterable(rows), np.int32),
        gate_start=_starts(literals),
        gate_literals=np.fromiter(chain.from_iterable(literals), np.uint32),
        n_state_gates=plan.n_state_gates,
        loops=np.asarray(plan.loops, np.int32).reshape(-1, 2),
        loop_initial=_least_values(nodes, plan),
        legal=np.asarray(placed.legal, np.uint32),
        terminal=placed.terminal,
        goal_role=np.asarray([role for role, _, _ in placed.goals], np.int32),
        goal_value=np.asarray([value for _, value, _ in placed.goals], np.int32),
        goal_literal=np.asarray([literal for _, _, literal in placed.goals], np.uint32),
        next=np.asarray(placed.next, np.uint32),
    )


def _starts(parts: list[list[int]]) -> Ints:
    return np.fromiter(accumulate(map(len, parts), initial=0), np.int32)


def _moves(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _least_values(nodes: Nodes, plan: Schedule) -> Bytes:
    """Return the value of every gate in the least element of its loop, from which iteration reaches the least fixpoint.

    The atoms on the cycle start false. Every other gate of the loop grows or shrinks with them, never both, since no
    cycle passes a negation; it starts at 0 or 1 accordingly.
    """
    values = np.zeros(len(plan.gates), np.uint8)
    for first, last in plan.loops:
        members = plan.gates[first:last]
        readers: dict[int, list[tuple[int, int]]] = {node: [] for node in members}
        for node in members:
            for literal in nodes.gates[node] or ():
                if literal >> 1 in readers:
                    readers[literal >> 1].append((node, literal & 1))
        least = {node: nodes.placeholders[node] for node in members if node in nodes.placeholders}
        pending = list(least)
        while pending:
            node = pending.pop()
            for reader, complement in readers[node]:
                value = least[node] ^ complement
                if reader not in least:
                    least[reader] = value
                    pending.append(reader)
                elif least[reader] != value:
                    raise ValueError("a loop of gates is not monotone")
        values[first:last] = [least[node] for node in members]
    return values
