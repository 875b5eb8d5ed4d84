"""A run's forages, with a task for each part of the population."""

from __future__ import annotations

import time

from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.requests import ForageResult, PlayForage
from gdl_miner.miner.play.executor import Task
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.training.forages import forage_shard, join_foraged, map_features

__all__ = ["Foraging"]


class Foraging:
    """The forages of one run. An interruption repeats the forages of the present step."""

    def __init__(self, run: RunContext) -> None:
        self._run = run

    def play(self, request: PlayForage) -> ForageResult:
        """Play and learn all parts; the result does not depend on the order in which they end."""
        begun = time.monotonic()
        number = f"forage {request.number + 1} of {request.forages}"
        self._run.reporter.working(f"{number} of {self._run.unit} {request.step}")
        executor = self._run.executor
        shared = (self._run.shared_game, executor.share(request.shape), executor.share(request.colony))
        tasks = [
            Task(f"g{request.step:03d}-forage{request.number}-{part}", ants) for part, ants in enumerate(request.shards)
        ]
        found = dict(executor.run(forage_shard, shared, tasks))
        joined = join_foraged([found[task.id] for task in tasks])
        self._run.write_time(StepPart(request.step, number, None), None, None, time.monotonic() - begun)
        return ForageResult(joined, map_features(layout_for(self._run.game.machine(), request.shape)))
