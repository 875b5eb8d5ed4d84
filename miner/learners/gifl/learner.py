"""A learner of features.

    [ random games → features → matches against bare UCT and others ] per step → validate the best

Every step adds the features of further games to those of the steps before.
"""

from __future__ import annotations

import time
from itertools import pairwise

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.learners.gifl.config import GiflConfig
from gdl_miner.miner.learners.gifl.features import FeatureSide, GiflFeatures, join_learned, without_images
from gdl_miner.miner.learners.gifl.knowledge import weighted_features
from gdl_miner.miner.learners.gifl.nature import GameNature
from gdl_miner.miner.learners.gifl.trees import GameSpan, GiflSettings, learn_shard, study_shard
from gdl_miner.miner.learners.measuring import Best, StepTraining, measure
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.prepared_game import WITH_CHANCE, PreparedGame, refuse_chance
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.matches import validate
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.task import Learner, Task

_SIDES: tuple[FeatureSide, ...] = ("offensive", "defensive")


def learn_features(config: GiflConfig, maker: KnowledgeMaker) -> Learner:
    """Learn features step by step."""
    settings = config.gifl
    learned: tuple[GiflFeatures, ...] = ()
    best: Best | None = None
    for step in range(1, settings.steps + 1):
        title = f"learning from {settings.games} games of step {step - 1}"
        first = (step - 1) * settings.games
        new = yield from Task(find_features, step - 1, title, config.learning(), first, settings.games, settings.shards)
        features = join_learned([*learned, new])
        learned = (features,)
        entrant = Entrant(f"s{step:03d}", _player(config, maker, step, features))
        counts = new.counts
        training = StepTraining(counts.games, counts.moves, broken_off=0, rms_error=None)
        measures: dict[str, int] = {
            "decided": counts.decided,
            "variants": counts.variants,
            **{side: features.count(side) for side in _SIDES},
        }
        best = yield from measure(settings, config.seed, len(maker.roles), step, entrant, best, training, measures)
    if settings.validation_matches and best is not None:
        yield from Task(validate, settings.steps + 1, best.entrant, settings.validation_matches)


def find_features(
    run: Run,
    step: int,
    title: str,
    settings: GiflSettings,
    first: int,
    games: int,
    shards: int,
) -> GiflFeatures:
    """Play random games, and learn features from their ends.

    Args:
        run: the run.
        step: the step.
        title: shown to people while the games are played.
        settings: how features are learned.
        first: the number of the first game in the run.
        games: the number of games.
        shards: parts of the games that are played side by side; they change no result.

    Returns:
        Of features that are images of each other, one.
    """
    begun = time.monotonic()
    run.reporter.working(title)
    nature = run.service(_Study).of(settings)
    pieces = _shards(f"g{step:03d}-gifl", first, games, shards)
    learned = join_learned(run.on_workers(learn_shard, (settings, nature), pieces))
    run.write_time(StepPart(step, "learning", None), None, None, time.monotonic() - begun)
    return without_images(learned, run.machine, sharing_of(run.machine, run.settings.mining.symmetries))


class _Study:
    """What the game is like; the same games show it in every step."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: GameNature | None = None

    def of(self, settings: GiflSettings) -> GameNature:
        if self._known is None:
            [self._known] = self._run.on_workers(study_shard, (), [WorkerTask("gifl-study", settings)])
        return self._known


def _shards(name: str, first: int, games: int, shards: int) -> list[WorkerTask]:
    bounds = [first + games * part // shards for part in range(shards + 1)]
    spans = [GameSpan(*span) for span in pairwise(bounds) if span[0] < span[1]]
    return [WorkerTask(f"{name}-{number}", span) for number, span in enumerate(spans)]


def _player(config: GiflConfig, maker: KnowledgeMaker, step: int, features: GiflFeatures) -> Knowledge:
    settings = config.gifl
    listed = weighted_features(features.levels, len(maker.roles), settings.weights())
    return maker.knowledge(listed, ((),) * len(maker.roles), settings.parameters(), step)


def _check(config: GiflConfig, game: PreparedGame, start: Knowledge | None) -> None:
    """Raise ConfigError where the game is not one of two roles that take turns."""
    refuse_chance(game.sheet, "gifl learns features of moves in games without chance", WITH_CHANCE)
    study_shard(game, config.learning())


GIFL = LearningMethod(
    name="gifl",
    summary="conjunctions of facts and a move that lead on to the ends of random games, or away from them",
    settings=GiflConfig,
    learn=learn_features,
    check=_check,
)
