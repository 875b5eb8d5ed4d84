"""Handmade and random circuits, in the form that the native module takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

TRUE, FALSE = 0, 1


@dataclass(frozen=True)
class CircuitArrays:
    version: int
    n_fluents: int
    n_roles: int
    move_start: NDArray[np.int32]
    set_start: NDArray[np.int32]
    set_rows: NDArray[np.int32]
    gate_start: NDArray[np.int32]
    gate_literals: NDArray[np.uint32]
    n_state_gates: int
    loops: NDArray[np.int32]
    loop_initial: NDArray[np.uint8]
    legal: NDArray[np.uint32]
    terminal: int
    goal_role: NDArray[np.int32]
    goal_value: NDArray[np.int32]
    goal_literal: NDArray[np.uint32]
    next: NDArray[np.uint32]
    initial: NDArray[np.uint8]

    @property
    def n_rows(self) -> int:
        return len(self.legal)


@dataclass
class CircuitBuilder:
    """A builder that adds gate after gate to a circuit; literals are integers, and `literal ^ 1` is the complement."""

    n_fluents: int
    rows_per_role: Sequence[int]
    sets: Sequence[Sequence[int]]
    gates: list[list[int]] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)
    loop_initial: dict[int, int] = field(default_factory=dict)
    n_state_gates: int = -1

    def fluent(self, index: int) -> int:
        return 2 * (1 + index)

    def move_set(self, index: int) -> int:
        return 2 * (1 + self.n_fluents + index)

    def gate(self, index: int) -> int:
        return 2 * (1 + self.n_fluents + len(self.sets) + index)

    def all_of(self, *literals: int) -> int:
        self.gates.append(list(literals))
        return self.gate(len(self.gates) - 1)

    def any_of(self, *literals: int) -> int:
        return self.all_of(*(literal ^ 1 for literal in literals)) ^ 1

    def end_state_phase(self) -> None:
        self.n_state_gates = len(self.gates)

    def build(
        self,
        *,
        legal: Sequence[int],
        terminal: int,
        goals: Sequence[tuple[int, int, int]],
        next_literals: Sequence[int],
        initial: Sequence[int],
    ) -> CircuitArrays:
        loop_initial = [self.loop_initial.get(gate, 0) for gate in range(len(self.gates))]
        return CircuitArrays(
            version=1,
            n_fluents=self.n_fluents,
            n_roles=len(self.rows_per_role),
            move_start=offsets(self.rows_per_role),
            set_start=offsets([len(rows) for rows in self.sets]),
            set_rows=np.array([row for rows in self.sets for row in rows], np.int32),
            gate_start=offsets([len(literals) for literals in self.gates]),
            gate_literals=np.array([literal for literals in self.gates for literal in literals], np.uint32),
            n_state_gates=self.n_state_gates,
            loops=np.array(self.loops, np.int32).reshape(-1, 2),
            loop_initial=np.array(loop_initial, np.uint8),
            legal=np.array(legal, np.uint32),
            terminal=terminal,
            goal_role=np.array([role for role, _, _ in goals], np.int32),
            goal_value=np.array([value for _, value, _ in goals], np.int32),
            goal_literal=np.array([literal for _, _, literal in goals], np.uint32),
            next=np.array(next_literals, np.uint32),
            initial=np.array(initial, np.uint8),
        )


def offsets(sizes: Sequence[int]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int32)]).astype(np.int32)


def random_circuit(seed: int, n_fluents: int, rows_per_role: Sequence[int], n_gates: int) -> CircuitArrays:
    """Return a random circuit with monotone loops in both phases."""
    rng = np.random.default_rng(seed)
    n_rows = sum(rows_per_role)
    sets = [random_set(rng, rows_per_role) for _ in range(rng.integers(1, 2 * n_rows + 2))]
    builder = CircuitBuilder(n_fluents, rows_per_role, sets)
    state_literals = [TRUE, *map(builder.fluent, range(n_fluents))]
    add_gates(builder, rng, state_literals, n_gates)
    builder.end_state_phase()
    move_literals = state_literals + list(map(builder.move_set, range(len(sets))))
    add_gates(builder, rng, move_literals, n_gates)

    def pick(pool: list[int]) -> int:
        return int(rng.choice(pool)) ^ int(rng.integers(2))

    return builder.build(
        legal=[pick(state_literals) for _ in range(n_rows)],
        terminal=pick(state_literals),
        goals=[
            (role, int(rng.integers(101)), pick(state_literals))
            for role in range(len(rows_per_role))
            for _ in range(rng.integers(4))
        ],
        next_literals=[pick(move_literals) for _ in range(n_fluents)],
        initial=[int(bit) for bit in rng.integers(2, size=n_fluents)],
    )


def random_set(rng: np.random.Generator, rows_per_role: Sequence[int]) -> list[int]:
    """Return some rows of one random role, ascending; perhaps all of its rows."""
    role = int(rng.integers(len(rows_per_role)))
    size = int(rng.integers(1, min(rows_per_role[role], 9) + 1))
    first = sum(rows_per_role[:role])
    return sorted(first + int(row) for row in rng.choice(rows_per_role[role], size=size, replace=False))


def add_gates(builder: CircuitBuilder, rng: np.random.Generator, pool: list[int], n_gates: int) -> None:
    """Add gates over `pool` and each other to the circuit, and their literals to `pool`."""
    end = len(builder.gates) + n_gates
    while len(builder.gates) < end:
        if rng.random() < 0.1:
            pool += add_loop(builder, rng, pool, int(rng.integers(1, 6)))
            continue
        width = int(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 12]))
        pool.append(builder.all_of(*(int(rng.choice(pool)) ^ int(rng.integers(2)) for _ in range(width))))


def add_loop(builder: CircuitBuilder, rng: np.random.Generator, pool: list[int], size: int) -> list[int]:
    """Add atoms that support each other as in positive recursion and return their literals.

    Each atom is an AND or an OR, and all atoms are false at first.
    """
    first = len(builder.gates)
    is_or = rng.integers(2, size=size)
    atoms = [builder.gate(first + i) ^ int(is_or[i]) for i in range(size)]
    for i in range(size):
        own = [int(rng.choice(atoms)) for _ in range(rng.integers(1, 4))]
        given = [int(rng.choice(pool)) ^ int(rng.integers(2)) for _ in range(rng.integers(0, 3))]
        builder.all_of(*(literal ^ int(is_or[i]) for literal in own + given))
        builder.loop_initial[first + i] = int(is_or[i])
    builder.loops.append((first, first + size))
    return atoms


def tictactoe() -> CircuitArrays:
    """Return the circuit of tic-tac-toe: two roles with nine cells and a noop each; X begins.

    The fluents are X's cells, O's cells and X to move.
    """
    sets = [[cell] for cell in range(9)] + [[10 + cell] for cell in range(9)]
    b = CircuitBuilder(19, [10, 10], sets)
    marks = [[b.fluent(9 * player + cell) for cell in range(9)] for player in range(2)]
    x_to_move = b.fluent(18)
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    won = [b.any_of(*(b.all_of(*(mark[cell] for cell in line)) for line in lines)) for mark in marks]
    full = b.all_of(*(b.any_of(marks[0][cell], marks[1][cell]) for cell in range(9)))
    draw = b.all_of(full, won[0] ^ 1, won[1] ^ 1)
    terminal = b.any_of(full, *won)
    legal = []
    for player in range(2):
        turn = x_to_move ^ player
        legal += [b.all_of(turn, marks[0][cell] ^ 1, marks[1][cell] ^ 1) for cell in range(9)] + [turn ^ 1]
    b.end_state_phase()
    return b.build(
        legal=legal,
        terminal=terminal,
        goals=[
            (p, value, literal) for p in range(2) for value, literal in ((100, won[p]), (50, draw), (0, won[1 - p]))
        ],
        next_literals=[b.any_of(marks[p][c], b.move_set(9 * p + c)) for p in range(2) for c in range(9)]
        + [x_to_move ^ 1],
        initial=[0] * 18 + [1],
    )


def recording_circuit(rows_per_role: Sequence[int]) -> CircuitArrays:
    """Return a circuit that has, for each row, a constant fluent (whether it is legal) and a fluent (it was chosen)."""
    n_rows = sum(rows_per_role)
    b = CircuitBuilder(2 * n_rows, rows_per_role, [[row] for row in range(n_rows)])
    b.end_state_phase()
    return b.build(
        legal=[b.fluent(row) for row in range(n_rows)],
        terminal=FALSE,
        goals=[],
        next_literals=[b.fluent(row) for row in range(n_rows)] + [b.move_set(row) for row in range(n_rows)],
        initial=[1] * n_rows + [0] * n_rows,
    )
