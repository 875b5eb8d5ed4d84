"""A run's learning of features from random games and their scoring in matches, with a task for each shard of games."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.gifl import GameNature, GameSpan, GiflSettings, join_learned, learn_shard, study_shard
from gdl_miner.miner.learners.requests import FeaturesLearned, FeaturesScored, LearnFeatures, ScoreFeatures
from gdl_miner.miner.mining.gifl_refinement import poor_features, score_features
from gdl_miner.miner.mining.gifl_scores import join_gains, score_shard
from gdl_miner.miner.mining.gifl_sharing import images_of, without_images
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import Task
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.context import RunContext

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
        tasks = _tasks(f"g{request.step:03d}-gifl", request.first, request.games, request.shards)
        found = dict(executor.run(learn_shard, shared, tasks))
        learned = join_learned([found[task.id] for task in tasks])
        machine = self._run.game.machine()
        reduced = without_images(learned, machine, sharing_of(machine, self._run.settings.mining.symmetries))
        self._run.write_time(StepPart(request.step, "learning", None), None, None, time.monotonic() - begun)
        return FeaturesLearned(reduced)

    def score(self, request: ScoreFeatures) -> FeaturesScored:
        """Play all shards and find the features that are poor; they do not depend on the order in which shards end."""
        begun, executor, machine = time.monotonic(), self._run.executor, self._run.game.machine()
        self._run.reporter.working(request.title)
        sharing = sharing_of(machine, self._run.settings.mining.symmetries)
        images = images_of([each.images[0] for each in request.features], machine, sharing)
        features = tuple(replace(each, images=own) for each, own in zip(request.features, images, strict=True))
        player = replace(
            PlayerSpec(playouts=request.playouts).with_knowledge(request.knowledge, machine), draws_moves=True
        )
        values = (player, request.settings, features)
        shared = (self._run.shared_game, *(executor.share(each) for each in values))
        tasks = _tasks(f"g{request.step:03d}-scoring", request.first, request.matches, request.shards)
        found = dict(executor.run(score_shard, shared, tasks))
        scores = score_features(join_gains([found[task.id] for task in tasks]), len(features))
        self._run.write_time(StepPart(request.step, "scoring", None), None, None, time.monotonic() - begun)
        return FeaturesScored(tuple(poor_features(scores, request.false_drops).tolist()))

    def _study(self, settings: GiflSettings) -> GameNature:
        """Return the nature of the game; the same games show it in every step."""
        [(_, nature)] = self._run.executor.run(study_shard, (self._run.shared_game,), [Task("gifl-study", settings)])
        return nature


def _tasks(name: str, first: int, games: int, shards: int) -> Sequence[Task]:
    bounds = [first + games * part // shards for part in range(shards + 1)]
    spans = [GameSpan(*span) for span in pairwise(bounds) if span[0] < span[1]]
    return [Task(f"{name}-{number}", span) for number, span in enumerate(spans)]
