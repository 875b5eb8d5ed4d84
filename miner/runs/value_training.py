"""A run's training of value networks, with a task for each shard."""

from __future__ import annotations

import time

from agent.knowledge import Values
from agent.values import values_of
from miner.learners.learner import TrainedValues, TrainValues
from miner.play.executor import Task
from miner.results.tables import StepPart
from miner.runs.context import RunContext
from miner.training import average, layout_for, train_shard, weights_from

__all__ = ["ValueTraining"]


class ValueTraining:
    """The training of one run. An interruption repeats the shards of the present step."""

    def __init__(self, run: RunContext) -> None:
        self._run = run

    def train(self, request: TrainValues) -> TrainedValues:
        """Play and learn all shards; their mean does not depend on the order in which they end."""
        begun, executor = time.monotonic(), self._run.executor
        self._run.reporter.working(request.title)
        start = request.start
        if isinstance(start, Values):
            start = weights_from(self._run.game, request.shape, start)
        shared = (self._run.shared_game, executor.share(request.shape), executor.share(start))
        tasks = [Task(f"g{request.step:03d}-train-{n}", shard) for n, shard in enumerate(request.shards)]
        found = dict(executor.run(train_shard, shared, tasks))
        learned = average([found[task.id][0] for task in tasks])
        self._run.write_time(StepPart(request.step, "training", None), None, None, time.monotonic() - begun)
        layout = layout_for(self._run.game, request.shape)
        totals = tuple(found[task.id][1] for task in tasks)
        return TrainedValues(learned, totals, values_of(layout, learned.weights))
