"""Training games of values with which other learning methods begin."""

from __future__ import annotations

from gdl_miner.agent.values import LearnedWeights
from gdl_miner.miner.learners.requests import TrainValues
from gdl_miner.miner.learners.values.config import ValuesSettings

__all__ = ["training_before"]


def training_before(
    settings: ValuesSettings, seed: int, step: int, steps: int, learned: LearnedWeights | None
) -> TrainValues:
    """Return the request for one of the steps of training games, numbered from 0, before the first step of a run.

    Args:
        settings: the games, the network and how it learns.
        seed: of the run.
        step: the number of this step of training.
        steps: how many there are.
        learned: what the steps before have learned; None before the first.
    """
    shards = settings.rounds(seed, step)
    games = sum(each.games for each in shards)
    title = f"learning values, step {step + 1} of {steps}: {games} games"
    return TrainValues(0, title, settings.shape, learned, shards)
