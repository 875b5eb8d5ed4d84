"""Games that players have played, as learning sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["PlayedGames"]


class _SearchedMatches(Protocol):
    """The part of a record of matches (`agent.search.records`) that learning reads."""

    @property
    def start(self) -> NDArray[np.int32]: ...
    @property
    def states(self) -> NDArray[np.uint64]: ...
    @property
    def moves(self) -> NDArray[np.int32]: ...
    @property
    def goals(self) -> NDArray[np.int32]: ...
    @property
    def visit_start(self) -> NDArray[np.int64]: ...
    @property
    def visit_row(self) -> NDArray[np.int32]: ...
    @property
    def visit_count(self) -> NDArray[np.int32]: ...


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """States of games, and what came of them."""

    states: NDArray[np.uint64]  # [state, word] packed, without the last state of each game
    start: NDArray[np.int64]  # [game + 1] into the states
    exploring: NDArray[np.bool_]  # [state] whether a move made there was not the one that seemed best
    goals: NDArray[np.int32]  # [game, role] 0..100; one of them negative where a game was broken off

    @classmethod
    def of(cls, record: _SearchedMatches, row_role: NDArray[np.int32]) -> PlayedGames:
        """Return the matches of a record. A move explores if its role's search visited another one more often.

        Args:
            record: the matches.
            row_role: [row] the role of a move.
        """
        goes_on = np.ones(len(record.states), np.bool_)
        goes_on[record.start[1:] - 1] = False
        step = np.repeat(np.arange(len(record.states)), np.diff(record.visit_start))
        role = row_role[record.visit_row]
        most, made = np.zeros((2, *record.moves.shape), np.int32)
        np.maximum.at(most, (step, role), record.visit_count)
        chosen = record.visit_row == record.moves[step, role]
        made[step[chosen], role[chosen]] = record.visit_count[chosen]
        return cls(
            states=record.states[goes_on],
            start=record.start.astype(np.int64) - np.arange(len(record.start)),
            exploring=(made < most).any(axis=1)[goes_on],
            goals=record.goals,
        )

    @property
    def moves(self) -> int:
        """The number of joint moves of all games."""
        return len(self.states)

    @property
    def broken_off(self) -> int:
        """The number of games without a result."""
        return int((self.goals < 0).any(axis=1).sum())
