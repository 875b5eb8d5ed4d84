import random

import numpy as np
import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import FeatureAbsMove, MoveBatch, WeightedFeature
from gdl_miner.agent.geometry import Position
from gdl_miner.agent.knowledge.firing import firing
from tests.geometry.imaginary_games import GAMES, SQUARE, ImaginaryGame
from tests.knowledge.random_knowledge import candidates, random_batch, random_itemset


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_a_feature_fires_where_its_plain_definition_and_its_itemset_say(game: ImaginaryGame) -> None:
    rng = random.Random(game.sheet.name)
    batch = random_batch(game, rng, 8, 6)
    role = len(game.circuit.roles) - 1
    fitting = [each for each in candidates(game, rng, batch) if each.misfit(game.geometry, role) is None]
    features = [
        WeightedFeature(each, rng.random(), random_itemset(game, rng) if rng.random() < 0.3 else None)
        for each in rng.sample(fitting, min(60, len(fitting)))  # more features than one score can distinguish
    ]
    fired = firing(features, role, game, batch).toarray()
    for sample, row in enumerate(batch.row.tolist()):
        if row not in game.geometry.rows(role):
            continue
        state = batch.state_index[sample]
        position = Position.of(game.geometry, batch.states[state], batch.last_rows[state].tolist())
        expected = [
            each.feature.fires(position, row) and (each.itemset is None or each.itemset.holds(position))
            for each in features
        ]
        assert fired[sample].tolist() == expected


def test_no_features_and_no_samples_are_empty_matrices() -> None:
    batch = random_batch(SQUARE, random.Random(1), 3, 2)
    assert firing([], 0, SQUARE, batch).shape == (6, 0)
    nothing = MoveBatch(batch.states[:0], batch.last_rows[:0], batch.state_index[:0], batch.row[:0])
    one = [WeightedFeature(FeatureAbsMove("(mark 1 1 b)"), 1.0)]
    assert firing(one, 0, SQUARE, nothing).shape == (0, 1)


def test_a_feature_that_the_game_lacks_is_refused() -> None:
    batch = random_batch(SQUARE, random.Random(1), 3, 2)
    with pytest.raises(KnowledgeError, match="red has no move"):
        firing([WeightedFeature(FeatureAbsMove("(mark 9 9 b)"), 1.0)], 0, SQUARE, batch)


def test_samples_must_follow_the_order_of_their_states() -> None:
    batch = random_batch(SQUARE, random.Random(1), 3, 2)
    backwards = MoveBatch(batch.states, batch.last_rows, np.ascontiguousarray(batch.state_index[::-1]), batch.row)
    with pytest.raises(ValueError, match="order of their states"):
        firing([], 0, SQUARE, backwards)
