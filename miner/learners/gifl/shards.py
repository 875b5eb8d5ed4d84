"""Learning from some of a run's games, in a task of its own."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.gifl.features import GameCounts, GiflFeatures, join_learned, lowest_levels
from gdl_miner.miner.learners.gifl.games import play_random_games
from gdl_miner.miner.learners.gifl.nature import GameNature, study_game
from gdl_miner.miner.learners.gifl.trees import FeatureLearner, GiflSettings
from gdl_miner.miner.play.prepared_game import PreparedGame


@dataclass(frozen=True)
class GameSpan:
    """Some of the games of a run, by number."""

    first: int
    last: int  # excluded


def study_shard(game: PreparedGame, settings: GiflSettings) -> GameNature:
    """Return the nature of the game. Raises ConfigError where features cannot be learned from it."""
    machine = game.machine()
    seeds = [derive_seed(settings.seed, "study", number) for number in range(settings.study_games)]
    return study_game(machine, play_random_games(machine, seeds))


def learn_shard(game: PreparedGame, settings: GiflSettings, nature: GameNature, span: GameSpan) -> GiflFeatures:
    """Play the games of a span and learn from each. A game depends on its number and the seed alone."""
    machine = game.machine()
    learner = FeatureLearner(machine, nature, settings.trees)
    seeds = [derive_seed(settings.seed, "game", number) for number in range(span.first, span.last)]
    parts = []
    for each in play_random_games(machine, seeds):
        asked = learner.variants
        found = learner.learn(each)
        counts = GameCounts(1, int(found is not None), len(each.joints), learner.variants - asked)
        parts.append(GiflFeatures(lowest_levels(found or ()), counts))
    return join_learned(parts)
