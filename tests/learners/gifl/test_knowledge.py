"""Features as knowledge: their weights, what stands for images, and shards that add up."""

import math

import pytest

from gdl_miner.agent.features import Fact, FeatureAbsMove, FeatureOrigin, Itemset
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.learners.gifl.features import GameCounts, GiflFeature, GiflFeatures, join_learned, without_images
from gdl_miner.miner.learners.gifl.knowledge import FeatureWeights, weighted_features
from gdl_miner.miner.learners.gifl.trees import GameSpan, GiflSettings, TreeSettings, learn_shard, study_shard
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.prepared_game import PreparedGame

GAME = load_machine("tictactoe.ext")


def test_a_weight_is_the_value_of_the_level_over_the_temperature() -> None:
    weights = FeatureWeights(level_factor=0.9, temperature=0.5, wins_first=False)
    assert weights.of("offensive", 2) == pytest.approx(1.8)
    assert weights.of("defensive", 3) == pytest.approx(1.62)
    # exp(weight) is in proportion to the probability of a draw; a move of level 1 leaves hardly anything to others
    assert math.exp(weights.of("defensive", 1) - weights.of("offensive", 2)) > 1000
    assert weights.of("offensive", 1) == weights.of("defensive", 1)
    first = FeatureWeights(0.9, 0.5, wins_first=True)
    assert first.of("offensive", 1) > first.of("defensive", 1) > first.of("offensive", 2)


def test_every_move_of_a_feature_gets_the_largest_weight_that_it_has() -> None:
    facts = ("(cell 1 1 o)", "(cell 1 2 o)")
    levels = {
        GiflFeature(0, "defensive", facts, ("(mark 1 3 x)", "(mark 2 2 x)")): 2,
        GiflFeature(0, "offensive", facts, ("(mark 1 3 x)",)): 1,
        GiflFeature(1, "offensive", (), ("(mark 2 2 o)",)): 3,
    }
    first, second = weighted_features(levels, 2, FeatureWeights(0.9, 0.5, wins_first=True))
    itemset = Itemset(tuple(map(Fact, facts)))
    assert [(each.feature, each.itemset, each.origin) for each in first] == [
        (FeatureAbsMove("(mark 1 3 x)"), itemset, FeatureOrigin("offensive", 1)),
        (FeatureAbsMove("(mark 2 2 x)"), itemset, FeatureOrigin("defensive", 2)),
    ]
    assert [(each.feature, each.itemset) for each in second] == [(FeatureAbsMove("(mark 2 2 o)"), None)]


def test_parts_of_the_games_teach_what_all_of_them_do() -> None:
    game, settings = PreparedGame(GAME.sheet, GAME.circuit), GiflSettings(5, 20, TreeSettings(3))
    nature = study_shard(game, settings)
    whole = learn_shard(game, settings, nature, GameSpan(0, 60))
    parts = [learn_shard(game, settings, nature, GameSpan(*span)) for span in ((0, 7), (7, 40), (40, 60))]
    assert join_learned(parts) == whole
    assert whole.counts.games == 60
    assert 0 < whole.counts.decided < 60
    assert min(whole.levels.values()) == 1
    assert max(whole.levels.values()) == 3


def test_one_feature_stands_for_its_images() -> None:
    sharing, counts = sharing_of(GAME, "auto"), GameCounts(3, 3, 20, 100)
    corner = GiflFeature(0, "offensive", ("(cell 1 2 x)", "(cell 1 3 x)"), ("(mark 1 1 x)",))
    turned = GiflFeature(0, "offensive", ("(cell 3 1 x)", "(cell 3 2 x)"), ("(mark 3 3 x)",))
    centre = GiflFeature(0, "offensive", ("(cell 1 1 x)", "(cell 3 3 x)"), ("(mark 2 2 x)",))
    found = without_images(GiflFeatures({turned: 2, corner: 1, centre: 3}, counts), GAME, sharing)
    assert sorted(found.levels.values()) == [1, 3]
    assert without_images(found, GAME, sharing) == found
    alone = GiflFeatures({turned: 2, corner: 1}, counts)
    assert without_images(alone, GAME, sharing_of(GAME, ())) == alone
