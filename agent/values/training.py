"""Learning the weights of a value network: from rounds of self-play side by side, and from games of other players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.values.layout import ValueLayout

Floats = NDArray[np.float32]


class LearnedWeights(NamedTuple):
    """The weights of a value network, and the sums that give each a step size (temporal coherence: Beal & Smith 1999).

    Each array is [n_weights].
    """

    weights: Floats
    error_sum: Floats
    error_size: Floats

    @classmethod
    def new(cls, layout: ValueLayout) -> LearnedWeights:
        """Return weights of 0."""
        zeros = np.zeros(layout.n_weights, np.float32)
        return cls(zeros, zeros.copy(), zeros.copy())


@dataclass(frozen=True)
class RoundSettings:
    """Settings of the games of a round and of learning; agent/native/training/self_play.hpp explains them."""

    games: int
    seed: int
    exploration: float
    opening: int
    move_limit: int
    step: float
    trace: float
    discount: float = 1.0
    at_once: int = 64
    seconds: float = 0.0  # after these the round ends with the games that have ended; 0: it plays all games


class RoundTotals(NamedTuple):
    """The games and moves of a round, and how far values were off."""

    games: int
    moves: int
    broken_off: int  # games that the move limit ended
    squared_error: float  # mean squared difference between the values of states and what came of them


@dataclass(frozen=True)
class LearningRates:
    """How far each game changes weights."""

    step: float  # change of the sum of weights for an error of 1, before the weights' own rates
    trace: float  # lambda
    discount: float = 1.0  # gamma: with each move before it, a value differs from 0.5 by this factor less


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


def train_round(
    layout: ValueLayout, start: LearnedWeights, settings: RoundSettings
) -> tuple[LearnedWeights, RoundTotals]:
    """Play a round of games, each role choosing by the weights, and learn from them.

    The result depends on the arguments alone, not on the instruction set or the number of lanes, unless the seconds end
    the round.
    """
    *learned, games, moves, broken_off, error = _native.train_values(
        layout.machine.native, layout.network, *start, settings
    )
    return LearnedWeights(*learned), RoundTotals(games, moves, broken_off, error)


def learn_from_games(
    layout: ValueLayout, start: LearnedWeights, games: PlayedGames, rates: LearningRates
) -> tuple[LearnedWeights, RoundTotals]:
    """Learn from games in their order; games of self-play teach the same as in `train_round`.

    What came of an exploring move teaches nothing about the state before it.
    """
    *learned, error = _native.learn_values(layout.machine.native, layout.network, *start, games, rates)
    return LearnedWeights(*learned), RoundTotals(len(games.goals), games.moves, games.broken_off, error)


def average(shards: Sequence[LearnedWeights]) -> LearnedWeights:
    """Return the mean of weights that were learned side by side, added in the order given."""

    def mean(arrays: Sequence[Floats]) -> Floats:
        total = np.zeros(len(arrays[0]), np.float64)
        for each in arrays:
            total += each
        return (total / len(arrays)).astype(np.float32)

    return LearnedWeights(*map(mean, zip(*shards, strict=True)))
