"""A run's learning of features from random games, with a task for each shard of the games."""

from __future__ import annotations

import time
from itertools import pairwise

from miner.gifl import GameNature, GameSpan, GiflSettings, join_learned, learn_shard, study_shard
from miner.learners.requests import FeaturesLearned, LearnFeatures
from miner.mining.gifl_sharing import without_images
from miner.mining.sharing import sharing_of
from miner.play.executor import Task
from miner.results.tables import StepPart
from miner.runs.context import RunContext

__all__ = ["FeatureLearning"]


class FeatureLearning:
    """The learning of one run. An interruption repeats the games of the present step."""

    def __init__(self, run: RunContext) -> None:
        self._run = run

    def learn(self, request: LearnFeatures) -> FeaturesLearned:
        """Play all shards and learn from them; the features do not depend on the order in which they end."""
        begun, executor = time.monotonic(), self._run.executor
        self._run.reporter.working(request.title)
        nature = self._study(request.settings)
        shared = (self._run.shared_game, executor.share(request.settings), executor.share(nature))
        bounds = [request.first + request.games * part // request.shards for part in range(request.shards + 1)]
        spans = [GameSpan(first, last) for first, last in pairwise(bounds) if first < last]
        tasks = [Task(f"g{request.step:03d}-gifl-{number}", span) for number, span in enumerate(spans)]
        found = dict(executor.run(learn_shard, shared, tasks))
        learned = join_learned([found[task.id] for task in tasks])
        machine = self._run.game.machine()
        reduced = without_images(learned, machine, sharing_of(machine, self._run.settings.mining.symmetries))
        self._run.write_time(StepPart(request.step, "learning", None), None, None, time.monotonic() - begun)
        return FeaturesLearned(reduced)

    def _study(self, settings: GiflSettings) -> GameNature:
        """Return the nature of the game; the same games show it in every step."""
        [(_, nature)] = self._run.executor.run(study_shard, (self._run.shared_game,), [Task("gifl-study", settings)])
        return nature
