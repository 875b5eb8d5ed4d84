"""Learning the weights of a value network from rounds of self-play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
    threads: int = 1  # that value moves side by side; they change no result
    seconds: float = 0.0  # after these the round ends with the games that have ended; 0: it plays all games
    work: float = 0.0  # no game begins once the two below add up to this; 0: no limit
    choice_work: float = 0.0  # cost of a choice of a role, without the afterstates it is made among
    afterstate_work: float = 0.0  # cost of an afterstate


class RoundTotals(NamedTuple):
    """The games and moves of a round, and how far values were off."""

    games: int
    moves: int
    broken_off: int  # games that the move limit ended
    squared_error: float  # mean squared difference between the values of states and what came of them
    choices: int = 0  # of roles, those of games that did not end among them
    afterstates: int = 0  # valued for these choices


def train_round(
    layout: ValueLayout, start: LearnedWeights, settings: RoundSettings
) -> tuple[LearnedWeights, RoundTotals]:
    """Play a round of games, each role choosing by the weights, and learn from them.

    The result depends on the arguments alone, not on the instruction set or the number of lanes, unless the seconds end
    the round.
    """
    *learned, games, moves, broken_off, error, choices, afterstates = _native.train_values(
        layout.machine.native, layout.network, *start, settings
    )
    return LearnedWeights(*learned), RoundTotals(games, moves, broken_off, error, choices, afterstates)


def average(networks: Sequence[LearnedWeights]) -> LearnedWeights:
    """Return the mean of the weights of a network at several times, added in the order given."""

    def mean(arrays: Sequence[Floats]) -> Floats:
        total = np.zeros(len(arrays[0]), np.float64)
        for each in arrays:
            total += each
        return (total / len(arrays)).astype(np.float32)

    return LearnedWeights(*map(mean, zip(*networks, strict=True)))
