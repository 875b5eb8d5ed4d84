"""Knowledge is compiled and scored on states of play of the bundled games."""

import pickle
import random

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    FeatureAbsEuclidBorderDist,
    FeatureAbsPieceInArea,
    FeatureRelDimKNearest,
    MoveBatch,
    occurrences,
)
from gdl_miner.agent.games import bundled
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Phase, compile_knowledge, score
from gdl_miner.agent.reasoner.machine import Machine
from tests.knowledge.random_knowledge import random_knowledge
from tests.search.positions import machine_of, random_match

OF_ROWS = {FeatureAbsEuclidBorderDist, FeatureAbsPieceInArea, FeatureRelDimKNearest}


def legal_moves_of_playouts(game: Machine, rng: random.Random, n_states: int) -> MoveBatch:
    """Return states spread over random playouts, each with all legal moves of the role that has most of them."""
    states, last_rows, index, rows = [], [], [], []
    while len(states) < n_states:
        for state, joint in list(random_match(game, rng))[:-1]:
            if rng.random() < 0.1:
                most = max(game.legal(state), key=len).tolist()
                index += [len(states)] * len(most)
                rows += most
                states.append(state)
                last_rows.append(joint)
    return MoveBatch(np.array(states), *(np.array(each, np.int32) for each in (last_rows, index, rows)))


@pytest.mark.parametrize("name", sorted(bundled()))
def test_native_scores_equal_the_plain_definition_on_states_of_play(name: str) -> None:
    game, rng = machine_of(name), random.Random(name)
    geometry = geometry_of(game)
    batch = legal_moves_of_playouts(game, rng, 6)
    features = list(occurrences(batch, geometry).features)
    start = np.searchsorted(batch.state_index, np.arange(len(batch.states) + 1)).astype(np.int64)
    positions = [
        Position.of(geometry, state, last.tolist()) for state, last in zip(batch.states, batch.last_rows, strict=True)
    ]
    samples = sorted(rng.sample(range(len(batch.row)), min(len(batch.row), 60)))
    for first_feature in (False, True):
        knowledge = random_knowledge(game, rng, features, first_feature=first_feature)
        scorer = _native.Scorer(compile_knowledge(knowledge, game))
        for role in range(len(game.roles)):
            for phase in Phase:
                native = scorer.score(int(phase), role, batch.states, batch.last_rows, start, batch.row)
                for sample in samples:
                    position, row = positions[batch.state_index[sample]], int(batch.row[sample])
                    assert int(native[sample]) == score(knowledge, position, role, row, phase)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_every_class_that_can_fire_in_a_bundled_game_does(name: str) -> None:
    game = machine_of(name)
    geometry = geometry_of(game)
    batch = legal_moves_of_playouts(game, random.Random(0), 30)
    found = {type(feature) for feature in occurrences(batch, geometry).features}
    assert found == set(FEATURE_CLASSES) - (set() if geometry.has_rows else OF_ROWS)


def test_compiling_twice_gives_the_same_tables() -> None:
    game, rng = machine_of("breakthrough.ext"), random.Random(0)
    batch = legal_moves_of_playouts(game, rng, 10)
    knowledge = random_knowledge(game, rng, list(occurrences(batch, geometry_of(game)).features))
    one, other = (pickle.dumps(compile_knowledge(knowledge, game)) for _ in range(2))
    assert one == other
