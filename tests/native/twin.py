"""A reference evaluator of circuits in numpy, written from the format, for many states at once."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import Circuit, State
from tests.native.circuits import CircuitArrays

Bits = NDArray[np.bool_]


class PlainCircuit:
    """Evaluator of one circuit. Values are bool[n, slots]; states are bool[n, n_fluents]."""

    def __init__(self, circuit: CircuitArrays | Circuit) -> None:
        self.c = circuit
        self.first_set = 1 + circuit.n_fluents
        self.first_gate = self.first_set + len(circuit.set_start) - 1
        self.n_gates = len(circuit.gate_start) - 1
        self.rounds = [0] * len(circuit.loops)  # that each loop took last, until it was settled in all states

    def evaluate(self, states: Bits) -> Bits:
        values = np.zeros((len(states), self.first_gate + self.n_gates), np.bool_)
        values[:, 0] = True
        values[:, 1 : self.first_set] = states
        self._run(values, 0, self.c.n_state_gates)
        return values

    def next(self, values: Bits, joints: Sequence[Sequence[int]]) -> Bits:
        values = values.copy()
        for lane, rows in enumerate(joints):
            for index in range(len(self.c.set_start) - 1):
                members = self.c.set_rows[self.c.set_start[index] : self.c.set_start[index + 1]]
                values[lane, self.first_set + index] = bool(set(rows) & set(members.tolist()))
        self._run(values, self.c.n_state_gates, self.n_gates)
        return np.stack([self.literal(values, int(x)) for x in self.c.next], axis=1).reshape(len(values), -1)

    def literal(self, values: Bits, literal: int) -> Bits:
        return values[:, literal >> 1] ^ bool(literal & 1)

    def legal(self, values: Bits) -> Bits:
        return np.stack([self.literal(values, int(x)) for x in self.c.legal], axis=1)

    def goals(self, values: Bits) -> NDArray[np.int32]:
        goals = np.full((len(values), self.c.n_roles), -1, np.int32)
        for role, value, literal in zip(self.c.goal_role, self.c.goal_value, self.c.goal_literal, strict=True):
            column = goals[:, role]
            column[(column < 0) & self.literal(values, int(literal))] = value
        return goals

    def _run(self, values: Bits, first: int, last: int) -> None:
        gate = first
        loops = {int(start): (number, int(end)) for number, (start, end) in enumerate(self.c.loops)}
        while gate < last:
            if gate not in loops:
                self._run_gate(values, gate)
                gate += 1
                continue
            number, end = loops[gate]
            self.rounds[number] = 0
            values[:, self.first_gate + gate : self.first_gate + end] = self.c.loop_initial[gate:end] != 0
            before = None
            while before is None or not np.array_equal(before, values):
                before = values.copy()
                self.rounds[number] += 1
                for inner in range(gate, end):
                    self._run_gate(values, inner)
            gate = end

    def _run_gate(self, values: Bits, gate: int) -> None:
        literals = self.c.gate_literals[self.c.gate_start[gate] : self.c.gate_start[gate + 1]]
        result = np.ones(len(values), np.bool_)
        for literal in literals:
            result &= self.literal(values, int(literal))
        values[:, self.first_gate + gate] = result


class PlainMachine:
    """Answers the questions of `_native.Machine` about single states."""

    def __init__(self, circuit: Circuit) -> None:
        _native.check_circuit(circuit)
        self.circuit, self.plain = circuit, PlainCircuit(circuit)
        self.evaluated: tuple[bytes, Bits] = b"", np.zeros((0, 0), np.bool_)  # the state last asked about

    def initial(self) -> State:
        return pack(self.circuit.initial[None] != 0)[0]

    def legal(self, state: State) -> tuple[NDArray[np.int64], ...]:
        legal = self.plain.legal(self._values(state))[0]
        return tuple(first + np.flatnonzero(legal[first:last]) for first, last in pairwise(self.circuit.move_start))

    def terminal(self, state: State) -> bool:
        return bool(self.plain.literal(self._values(state), self.circuit.terminal)[0])

    def goals(self, state: State) -> tuple[int | None, ...]:
        return tuple(None if goal < 0 else goal for goal in self.plain.goals(self._values(state))[0].tolist())

    def next(self, state: State, joint: Sequence[int]) -> State:
        return pack(self.plain.next(self._values(state), [joint]))[0]

    def _values(self, state: State) -> Bits:
        if self.evaluated[0] != state.tobytes():
            self.evaluated = state.tobytes(), self.plain.evaluate(unpack(state[None], self.circuit.n_fluents))
        return self.evaluated[1]


def pack(states: Bits) -> NDArray[np.uint64]:
    """Return the packed states: uint64[n, state_words]."""
    n, n_fluents = states.shape
    padded = np.zeros((n, (n_fluents + 63) // 64 * 64), np.bool_)
    padded[:, :n_fluents] = states
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def unpack(packed: NDArray[np.uint64], n_fluents: int) -> Bits:
    """Return the states of packed states: the inverse of `pack`."""
    return np.unpackbits(packed.view(np.uint8), axis=-1, bitorder="little")[..., :n_fluents].astype(np.bool_)


def lane_mask(lanes: Bits) -> NDArray[np.uint64]:
    """Return the mask of lanes in the form that `_native.Lanes` takes: uint64[lanes / 64]."""
    return np.packbits(lanes, bitorder="little").view(np.uint64)


def totals(result: _native.PlayoutTotals) -> tuple[object, ...]:
    """Return all that playouts tell, for comparison."""
    return result.playouts, result.states, result.finished_states, tuple(result.goals)
