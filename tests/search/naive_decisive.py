"""A reference implementation of decisive moves, written from their definition (docs/search.md)."""

from collections.abc import Iterator

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine


class NaiveDecisiveMoves:
    """Which rows playouts prefer in a game, found by making every move.

    The native module tells only which rows may be one of several of their role; tests check that, too.
    """

    def __init__(self, machine: Machine, level: str) -> None:
        self.machine = machine
        settled, _, _, self.choosing = _native.decisive_moves(machine.native, level)
        self.level = settled
        goals = zip(machine.circuit.goal_role.tolist(), machine.circuit.goal_value.tolist(), strict=True)
        values = [(role, value) for role, value in goals]
        self.largest = [max((v for r, v in values if r == role), default=0) for role in range(len(machine.roles))]
        self.turn_fluents, self.turn_values = _native.turns(machine.native)

    def preferred(self, state: State) -> tuple[list[int], ...]:
        """Return the preferred rows of each role."""
        legal = [rows.tolist() for rows in self.machine.legal(state)]
        return tuple(self.preferred_of(state, role, rows) for role, rows in enumerate(legal))

    def preferred_of(self, state: State, role: int, rows: list[int]) -> list[int]:
        if self.level == "off" or len(rows) == 1 or self.machine.terminal(state):
            return rows
        decisive = [row for row in rows if row in self.decisive(state)]
        if decisive or self.level == "decisive":
            return decisive or rows
        return [row for row in rows if not self.is_blunder(state, role, row)] or rows

    def decisive(self, state: State) -> set[int]:
        """Return the rows of all roles that win at once."""
        return {row for role, row, after in self.moves(state) if self.wins(after, role)}

    def is_blunder(self, state: State, role: int, row: int) -> bool:
        after = next(after for _, other, after in self.moves(state) if other == row)
        if self.machine.terminal(after):
            return False
        return any(role != other and self.wins(then, other) for other, _, then in self.moves(after))

    def wins(self, after: State, role: int) -> bool:
        largest = self.largest[role]
        return self.machine.terminal(after) and largest > 0 and self.machine.goals(after)[role] == largest

    def moves(self, state: State) -> Iterator[tuple[int, int, State]]:
        """Yield role, row and state after it for the rows that may be one of several."""
        legal = self.machine.legal(state)
        choosing = self.choosing[self.turn(state)]
        for role, rows in enumerate(legal):
            for row in rows.tolist():
                if not choosing[row]:
                    assert len(rows) == 1, "a row that is no choice has others beside it"
                    continue
                assert all(len(others) == 1 for other, others in enumerate(legal) if other != role)
                joint = [row if other == role else int(legal[other][0]) for other in range(len(legal))]
                yield role, row, self.machine.next(state, joint)

    def turn(self, state: State) -> int:
        bits = np.unpackbits(state.view(np.uint8), bitorder="little")[self.turn_fluents]
        return next(turn for turn, values in enumerate(self.turn_values) if np.array_equal(values, bits))
