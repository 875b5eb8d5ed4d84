"""Learning from games that somebody else has played, by the native module alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.values import LearnedWeights, ValueLayout


@dataclass(frozen=True)
class Rates:
    """How far each game changes weights, as in RoundSettings."""

    step: float
    trace: float
    discount: float = 1.0


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """States of games, and what came of them."""

    states: NDArray[np.uint64]  # [state, word] packed, without the last state of each game
    start: NDArray[np.int64]  # [game + 1] into the states
    exploring: NDArray[np.bool_]  # [state] whether a move made there was not the one that seemed best
    goals: NDArray[np.int32]  # [game, role] 0..100; one of them negative where a game was broken off


def learn_from_games(
    layout: ValueLayout, start: LearnedWeights, games: PlayedGames, rates: Rates
) -> tuple[LearnedWeights, float]:
    """Learn from games in their order; return the weights and the mean squared error."""
    *learned, error = _native.learn_values(layout.machine.native, layout.network, *start, games, rates)
    return LearnedWeights(*learned), error
