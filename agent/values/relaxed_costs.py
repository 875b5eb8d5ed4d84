"""Relaxed costs: what it would cost each role to reach its best goal if nobody stood in its way and nothing were lost.

In hex that is the number of stones of the shortest path, in connect four that of the cheapest line, in breakthrough
that of the steps of the foremost pawn (delete relaxation with additive costs: Bonet & Geffner 2001; distances to goals
in general game playing: Schiffel & Thielscher 2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.values.random_play import sampled_states

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.circuit import Circuit
    from gdl_miner.agent.reasoner.machine import Machine

MOST_COST = 15  # stands for itself, for all that costs more, and for what never comes about
COST_NAMES = tuple(map(str, range(MOST_COST + 1)))  # what a cost is called among the contents of a tuple


@dataclass(frozen=True, eq=False)
class RelaxedCosts:
    """The steps that find the costs of all roles, as arrays for the native module (circuit/relaxed_costs.hpp).

    Fact `role * MOST_COST + cost - 1` says that the best goal of the role costs so many moves; where it costs nothing,
    none of the role's facts holds.
    """

    initial: NDArray[np.uint8]  # [slot] cost at first; the slots after these are written before they are read
    shapes: NDArray[np.int32]  # [shape, 5] sum, least or move; terms of one, two, three slots; length of one more
    step_shape: NDArray[np.int32]  # [step] place among the shapes
    step_start: NDArray[np.int32]  # [step + 1] into the array below
    step_slots: NDArray[np.int32]  # the slot that the step writes, the literal of a move, the slots of its terms
    loops: NDArray[np.int32]  # first step and step after the last of each loop
    role_slots: NDArray[np.int32]  # [role] slot of its cost, -1 if it always costs the same

    @property
    def n_facts(self) -> int:
        """Number of facts."""
        return len(self.role_slots) * MOST_COST

    @property
    def roles(self) -> tuple[int, ...]:
        """The roles whose cost changes."""
        return tuple(np.flatnonzero(self.role_slots >= 0).tolist())

    def images(self, symmetry: Symmetry) -> NDArray[np.int32]:
        """Return [fact] its image."""
        return (np.array(symmetry.roles)[:, None] * MOST_COST + np.arange(MOST_COST)).ravel().astype(np.int32)

    def in_states(self, machine: Machine, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return [state, fact] the facts of packed states."""
        return unpack_states(_native.StateBatch(machine.native).costs(states, self), self.n_facts)

    def of_states(self, machine: Machine, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return [state, role] the costs in packed states."""
        facts = self.in_states(machine, states).reshape(len(states), -1, MOST_COST)
        return facts.astype(np.int64) @ np.arange(1, MOST_COST + 1)


@lru_cache(maxsize=2)
def relaxed_costs(machine: Machine) -> RelaxedCosts | None:
    """Return the costs of the best goals of a game; None where they are the same in all states of random matches."""
    costs = _goal_costs(machine, range(len(machine.roles)))
    found = costs.of_states(machine, sampled_states(machine))
    varied = tuple(np.flatnonzero(found.min(axis=0) < found.max(axis=0)).tolist())
    if not varied:
        return None
    return costs if varied == costs.roles else _goal_costs(machine, varied)


def _goal_costs(machine: Machine, roles: Iterable[int]) -> RelaxedCosts:
    return RelaxedCosts(*_native.goal_costs(machine.native, np.array(list(roles), np.int32)))


def plain_costs(machine: Machine, role: int, state: NDArray[np.uint64]) -> int:
    """Return what the best goal of a role costs it in a packed state: the plain twin of the native module."""
    circuit = machine.circuit
    goals = [
        (int(value), int(literal))
        for owner, value, literal in zip(circuit.goal_role, circuit.goal_value, circuit.goal_literal, strict=True)
        if owner == role
    ]
    best = max(goals, key=lambda goal: goal[0])[1]
    held = unpack_states(state, circuit.n_fluents).tolist()
    free = {int(fluent) for fluent in _native.turns(machine.native)[0]}
    cost = [MOST_COST] * (2 * (circuit.first_gate_slot + circuit.n_gates))
    cost[0] = 0
    for fluent in range(circuit.n_fluents):
        for complement in (0, 1):
            cost[2 * (1 + fluent) + complement] = 0 if fluent in free or held[fluent] != complement else MOST_COST
    for slot in range(circuit.first_set_slot, circuit.first_gate_slot):
        cost[2 * slot + 1] = 0
    changes = True
    while changes:
        _cost_of_gates(circuit, cost, range(circuit.n_state_gates))
        for number in range(circuit.n_sets):
            rows = circuit.set_rows[circuit.set_start[number] : circuit.set_start[number + 1]].tolist()
            own = rows[0] in circuit.rows(role)
            cost[2 * (circuit.first_set_slot + number)] = min(cost[circuit.legal[row]] for row in rows) if own else 0
        _cost_of_gates(circuit, cost, range(circuit.n_state_gates, circuit.n_gates))
        changes = False
        for fluent in range(circuit.n_fluents):
            moved = 1 + cost[circuit.next[fluent]]
            if moved < cost[2 * (1 + fluent)]:
                cost[2 * (1 + fluent)] = moved
                changes = True
    for fluent in range(circuit.n_fluents):  # goals may ask for what holds to be removed, moves may not
        literal = 2 * (1 + fluent) + 1
        cost[literal] = min(cost[literal], 1 + cost[int(circuit.next[fluent]) ^ 1])
    _cost_of_gates(circuit, cost, range(circuit.n_state_gates))
    return cost[best]


def _cost_of_gates(circuit: Circuit, cost: list[int], gates: range) -> None:
    """Find the costs of gates in their order, those of a loop again and again until none changes."""
    loops: Mapping[int, int] = dict(circuit.loops.tolist())
    at = gates.start
    while at < gates.stop:
        last = loops.get(at, at + 1)
        changes = at in loops
        if changes:
            for gate in range(at, last):
                literal = 2 * (circuit.first_gate_slot + gate)
                holds = bool(circuit.loop_initial[gate])
                cost[literal], cost[literal + 1] = (0, MOST_COST) if holds else (MOST_COST, 0)
        while True:
            before = cost[2 * (circuit.first_gate_slot + at) : 2 * (circuit.first_gate_slot + last)]
            for gate in range(at, last):
                literals = circuit.gate_literals[circuit.gate_start[gate] : circuit.gate_start[gate + 1]].tolist()
                own = 2 * (circuit.first_gate_slot + gate)
                cost[own] = min(MOST_COST, sum(cost[literal] for literal in literals))
                cost[own + 1] = min(cost[literal ^ 1] for literal in literals)
            if not changes or cost[2 * (circuit.first_gate_slot + at) : 2 * (circuit.first_gate_slot + last)] == before:
                break
        at = last
