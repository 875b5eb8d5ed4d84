"""A reference evaluator of circuits in plain Python, one state at a time; tests compare the native machine with it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import Circuit, State


class Evaluator:
    """Answers the questions of `_native.Machine` about single states."""

    def __init__(self, circuit: Circuit) -> None:
        _native.check_circuit(circuit)
        self._circuit = circuit
        starts, literals = circuit.gate_start.tolist(), circuit.gate_literals.tolist()
        self._gates = [literals[first:last] for first, last in pairwise(starts)]
        starts, rows = circuit.set_start.tolist(), circuit.set_rows.tolist()
        self._sets = [frozenset(rows[first:last]) for first, last in pairwise(starts)]
        self._loop_of = dict(circuit.loops.tolist())

    def initial(self) -> State:
        """Return the initial state."""
        return self._packed(self._circuit.initial.astype(bool))

    def legal(self, state: State) -> tuple[NDArray[np.int32], ...]:
        """Return the legal rows of every role, ascending."""
        circuit, values = self._circuit, self._state_values(state)
        rows = [row for row, literal in enumerate(circuit.legal.tolist()) if _holds(values, literal)]
        owners = np.searchsorted(circuit.move_start, rows, side="right") - 1
        return tuple(np.asarray(rows, np.int32)[owners == role] for role in range(circuit.n_roles))

    def terminal(self, state: State) -> bool:
        """Whether a state is terminal."""
        return _holds(self._state_values(state), self._circuit.terminal)

    def goals(self, state: State) -> tuple[int | None, ...]:
        """Return the goal of every role, None where the rules give none; the largest goal counts where several hold."""
        circuit, values = self._circuit, self._state_values(state)
        goals = [-1] * circuit.n_roles
        holding = [_holds(values, literal) for literal in circuit.goal_literal.tolist()]
        for role, value in zip(circuit.goal_role[holding].tolist(), circuit.goal_value[holding].tolist(), strict=True):
            goals[role] = max(goals[role], value)
        return tuple(None if goal < 0 else goal for goal in goals)

    def next(self, state: State, joint: Sequence[int]) -> State:
        """Return the state after a joint move, which has one global row per role (-1 for a role without moves)."""
        circuit, values = self._circuit, self._state_values(state)
        values[circuit.first_set_slot : circuit.first_gate_slot] = [not rows.isdisjoint(joint) for rows in self._sets]
        self._run(values, circuit.n_state_gates, circuit.n_gates)
        return self._packed(np.asarray([_holds(values, literal) for literal in circuit.next.tolist()], bool))

    def _state_values(self, state: State) -> list[bool]:
        circuit = self._circuit
        fluents = np.unpackbits(state.view(np.uint8), bitorder="little")[: circuit.n_fluents]
        values = [True, *fluents.astype(bool).tolist(), *[False] * circuit.n_sets]
        values += circuit.loop_initial.astype(bool).tolist()
        self._run(values, 0, circuit.n_state_gates)
        return values

    def _run(self, values: list[bool], first: int, last: int) -> None:
        """Evaluate the gates from `first` to before `last`; the gates of a loop until none changes."""
        gate = first
        while gate < last:
            end = self._loop_of.get(gate)
            if end is None:
                self._evaluate(values, gate, gate + 1)
                gate += 1
            else:
                while self._evaluate(values, gate, end):
                    pass
                gate = end

    def _evaluate(self, values: list[bool], first: int, last: int) -> bool:
        changed = False
        slot = self._circuit.first_gate_slot + first
        for literals in self._gates[first:last]:
            value = all(values[literal >> 1] ^ (literal & 1) for literal in literals)
            changed |= value != values[slot]
            values[slot] = value
            slot += 1
        return changed

    def _packed(self, fluents: NDArray[np.bool_]) -> State:
        words = np.zeros(self._circuit.state_words, np.uint64)
        packed = np.packbits(fluents, bitorder="little")
        words.view(np.uint8)[: len(packed)] = packed
        return words


def _holds(values: list[bool], literal: int) -> bool:
    return values[literal >> 1] != bool(literal & 1)
