"""The best that any player can do against a random one, in games that are small enough to be searched whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine

_MOST_STATES = 10_000


class _TooLargeError(Exception):
    """The game has more states than are searched."""


def best_win_percent(machine: Machine, role: int) -> float | None:
    """Return the largest share of wins, in percent, that a role can expect against random moves of the others.

    None where more than a few thousand states would have to be searched.
    """
    try:
        return 100 * _WinningChance(machine, role).of(machine.initial())
    except _TooLargeError:
        return None


class _WinningChance:
    """The probability of a win under best play of one role; every state is worked out once."""

    def __init__(self, machine: Machine, role: int) -> None:
        self._machine = machine
        self._role = role
        self._known: dict[bytes, float] = {}

    def of(self, state: NDArray[np.uint64]) -> float:
        key = state.tobytes()
        if key not in self._known:
            self._known[key] = self._find(state)
            if len(self._known) > _MOST_STATES:
                raise _TooLargeError
        return self._known[key]

    def _find(self, state: NDArray[np.uint64]) -> float:
        if self._machine.terminal(state):
            goals = self._machine.goals(state)
            own = goals[self._role] or 0
            return float(all(own > (goal or 0) for role, goal in enumerate(goals) if role != self._role))
        if len(self._known) > _MOST_STATES:
            raise _TooLargeError
        legal = [rows.tolist() for rows in self._machine.legal(state)]
        return max(
            self._mean(state, [*legal[: self._role], [row], *legal[self._role + 1 :]]) for row in legal[self._role]
        )

    def _mean(self, state: NDArray[np.uint64], legal: list[list[int]]) -> float:
        joints: list[list[int]] = [[]]
        for rows in legal:
            joints = [[*joint, row] for joint in joints for row in rows]
        return sum(self.of(self._machine.next(state, joint)) for joint in joints) / len(joints)
