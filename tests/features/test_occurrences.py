import random

import numpy as np
import pytest

from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    Enumeration,
    Feature,
    FeatureRelPattern,
    MoveBatch,
    every_item,
    item_masks,
    items_hold,
    occurrences,
)
from gdl_miner.agent.geometry import Position
from tests.geometry.imaginary_games import GAMES, NO_BOARD, SQUARE, ImaginaryGame
from tests.knowledge.random_knowledge import RELATIVE, WIDE, features_of, random_batch


@pytest.mark.parametrize(
    ("feature_class", "enumeration"),
    [*((each, WIDE) for each in FEATURE_CLASSES), (FeatureRelPattern, RELATIVE)],
    ids=[*(each.element for each in FEATURE_CLASSES), "relative patterns"],
)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_enumerated_features_fire_exactly_where_the_plain_definition_says(
    game: ImaginaryGame, feature_class: type[Feature], enumeration: Enumeration
) -> None:
    batch = random_batch(game, random.Random(game.sheet.name), 6, 8)
    matrix = occurrences(batch, game.geometry, (feature_class,), enumeration)
    assert len(set(matrix.features)) == len(matrix.features)
    for sample, row in enumerate(batch.row.tolist()):
        state = batch.state_index[sample]
        position = Position.of(game.geometry, batch.states[state], batch.last_rows[state].tolist())
        expected = {feature for feature in matrix.features if feature.fires(position, row)}
        assert set(features_of(matrix, sample)) == expected


def test_every_class_of_a_board_game_has_instances() -> None:
    batch = random_batch(SQUARE, random.Random(1), 30, 5)
    found = {type(feature) for feature in occurrences(batch, SQUARE.geometry).features}
    assert found == set(FEATURE_CLASSES)


def test_a_game_without_a_board_has_absolute_moves_and_itemsets() -> None:
    batch = random_batch(NO_BOARD, random.Random(1), 5, 5)
    found = {feature.element for feature in occurrences(batch, NO_BOARD.geometry).features}
    assert found == {"FeatureAbsMove", "FeatureItemsetOnly"}


def test_rare_features_are_left_out_on_request() -> None:
    batch = random_batch(SQUARE, random.Random(2), 20, 10)
    every = occurrences(batch, SQUARE.geometry, FEATURE_CLASSES, Enumeration())
    counts = np.bincount(every.ids, minlength=len(every.features))
    frequent = occurrences(batch, SQUARE.geometry, FEATURE_CLASSES, Enumeration(min_count=5))
    expected = [feature for feature, count in zip(every.features, counts, strict=True) if count >= 5]
    assert list(frequent.features) == expected
    assert np.bincount(frequent.ids).tolist() == [count for count in counts if count >= 5]


def test_the_order_of_samples_does_not_change_the_order_of_features() -> None:
    batch = random_batch(SQUARE, random.Random(3), 20, 10)
    shuffled = np.random.default_rng(0).permutation(len(batch.row))
    other = MoveBatch(batch.states, batch.last_rows, batch.state_index[shuffled], batch.row[shuffled])
    assert occurrences(batch, SQUARE.geometry).features == occurrences(other, SQUARE.geometry).features


def test_an_empty_batch_has_no_features() -> None:
    batch = random_batch(SQUARE, random.Random(4), 0, 0)
    matrix = occurrences(
        MoveBatch(batch.states.reshape(0, 1), batch.last_rows, batch.state_index, batch.row), SQUARE.geometry
    )
    assert matrix.features == ()
    assert matrix.start.tolist() == [0]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_items_hold_on_packed_states_where_the_plain_definition_says(game: ImaginaryGame) -> None:
    batch = random_batch(game, random.Random(5), 10, 1)
    items = every_item(game.geometry)
    holds = items_hold(batch.states, item_masks(items, game.geometry))
    for state, row in zip(batch.states, holds, strict=True):
        position = Position.of(game.geometry, state)
        assert row.tolist() == [item.holds(position) for item in items]


def test_state_indices_and_rows_must_agree_in_number() -> None:
    batch = random_batch(SQUARE, random.Random(6), 2, 2)
    with pytest.raises(ValueError, match="numbers must agree"):
        MoveBatch(batch.states, batch.last_rows, batch.state_index, batch.row[:1])
