"""A run's training of value networks, with a task for each shard."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.values import LearnedWeights, Values, ValueShape, average, layout_for, learn_from_games, values_of
from gdl_miner.miner.learners.requests import LearnFromGames, TrainedValues, TrainValues
from gdl_miner.miner.play.executor import Task
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.training import train_shard, weights_from

__all__ = ["ValueTraining", "name_values"]


class ValueTraining:
    """The training of one run. An interruption repeats the shards of the present step."""

    def __init__(self, run: RunContext) -> None:
        self._run = run

    def train(self, request: TrainValues) -> TrainedValues:
        """Play and learn all shards; their mean does not depend on the order in which they end."""
        begun, executor = time.monotonic(), self._run.executor
        self._run.reporter.working(request.title)
        start = None if request.start is None else self._weights(request.shape, request.start)
        shared = (self._run.shared_game, executor.share(request.shape), executor.share(start))
        tasks = [Task(f"g{request.step:03d}-train-{n}", shard) for n, shard in enumerate(request.shards)]
        found = dict(executor.run(train_shard, shared, tasks))
        learned = average([found[task.id][0] for task in tasks])
        self._run.write_time(StepPart(request.step, "training", None), None, None, time.monotonic() - begun)
        totals = tuple(found[task.id][1] for task in tasks)
        return TrainedValues(learned, totals, name_values(self._run.game, request.shape, learned.weights))

    def learn(self, request: LearnFromGames) -> TrainedValues:
        """Learn from games that are already played, which takes no time to speak of."""
        game, start = self._run.game, self._weights(request.shape, request.start)
        layout = layout_for(game.machine(), request.shape)
        learned, totals = learn_from_games(layout, start, request.games, request.rates)
        return TrainedValues(learned, (totals,), name_values(game, request.shape, learned.weights))

    def _weights(self, shape: ValueShape, given: LearnedWeights | Values) -> LearnedWeights:
        return weights_from(self._run.game, shape, given) if isinstance(given, Values) else given


def name_values(game: PreparedGame, shape: ValueShape, weights: NDArray[np.float32]) -> Values:
    """Return the weights of a value network by name, rounded as in knowledge files."""
    return values_of(layout_for(game.machine(), shape), weights)
