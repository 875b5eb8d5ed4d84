"""Random batches, features, itemsets and whole knowledge files of a game."""

import dataclasses
import itertools
import random
from functools import cache
from typing import Any

import numpy as np

from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    Enumeration,
    Feature,
    FeatureMatrix,
    FeatureRelPattern,
    Item,
    Itemset,
    MoveBatch,
    PatternShape,
    WeightedFeature,
    every_item,
    occurrences,
)
from gdl_miner.agent.features.pattern import ANY
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, Provenance

WIDE = Enumeration(
    nearest_k=(1, 2, 4),
    line_k=(1, 3),
    shapes=(PatternShape(1), PatternShape(1, "orthogonal"), PatternShape(2)),
    ray_length=3,
)
RELATIVE = dataclasses.replace(WIDE, relative=True)


def random_batch(game: Any, rng: random.Random, n_states: int, moves_per_state: int) -> MoveBatch:
    """Return random states with random moves, made after random joint moves."""
    start = game.circuit.move_start
    n_roles = len(game.circuit.roles)
    last = [
        [rng.choice([-1, rng.randrange(start[role], start[role + 1])]) for role in range(n_roles)]
        for _ in range(n_states)
    ]
    return MoveBatch(
        states=np.array([game.random_state(rng) for _ in range(n_states)], dtype=np.uint64),
        last_rows=np.array(last, dtype=np.int32).reshape(n_states, n_roles),
        state_index=np.repeat(np.arange(n_states, dtype=np.int32), moves_per_state),
        row=np.array(
            [rng.randrange(len(game.circuit.moves)) for _ in range(n_states * moves_per_state)], dtype=np.int32
        ),
    )


def features_of(matrix: FeatureMatrix, sample: int) -> tuple[Feature, ...]:
    """Return the features that fire for a sample."""
    return tuple(
        matrix.features[index] for index in matrix.ids[matrix.start[sample] : matrix.start[sample + 1]].tolist()
    )


def candidates(game: Any, rng: random.Random, batch: MoveBatch) -> list[Feature]:
    """Return the features that fire in a batch; some patterns get further wildcards."""
    found = [occurrences(batch, geometry_of(game), FEATURE_CLASSES, each).features for each in (WIDE, RELATIVE)]
    features = list(dict.fromkeys(itertools.chain(*found)))
    for index, feature in enumerate(features):
        if isinstance(feature, FeatureRelPattern) and rng.random() < 0.7:
            entries = tuple(ANY if rng.random() < 0.5 else entry for entry in feature.entries)
            features[index] = dataclasses.replace(feature, entries=entries)
    return features


@cache
def items_of(game: Any) -> tuple[Item, ...]:
    return every_item(geometry_of(game))


def random_itemset(game: Any, rng: random.Random) -> Itemset:
    items = items_of(game)
    return Itemset(tuple(rng.sample(items, min(len(items), rng.choice([1, 1, 2, 2, 3, 5])))))


def random_parameters(rng: random.Random, **fixed: Any) -> Parameters:
    """Return random parameters with any flags, either scoring and uneven class weights."""
    classes = [feature_class.element for feature_class in FEATURE_CLASSES]
    values: dict[str, Any] = {
        "class_weights": {name: rng.choice([1.0, 0.5, rng.random()]) for name in classes},
        "itemset_class_weights": {name: rng.choice([1.0, 0.0, 3 * rng.random()]) for name in classes},
        "winning_weight": rng.choice([1.0, rng.random()]),
        "losing_weight": rng.choice([1.0, rng.random()]),
        "impact": rng.choice([1.0, 10 * rng.random()]),
        "base_value": rng.choice([0.0, 1.0, 3 * rng.random()]),
        "scoring": rng.choice(["additive", "exponential"]),
        "uct_c": 100 * rng.random(),
        "uct_growth": rng.choice(["log", "root"]),
        "mixed_share": rng.choice([0.0, 0.1, 1.0]),
        "opponent_knowledge": rng.choice([0.0, 0.5, 1.0]),
        "expansions": rng.choice([0.5, 1.4]),
        "bias": 10 * rng.random(),
        "fade": rng.random(),
        "widening_visits": rng.randint(1, 100),
        "scoring_visits": rng.choice([0, 5]),
        "playout_moves": rng.choice([0, 3, 1000]),
    }
    flags = ["widening", "first_feature", "features_in_playouts", "features_in_selection"]
    values |= {flag: rng.random() < 0.6 for flag in flags}
    return Parameters(**(values | fixed))


def random_knowledge(game: Any, rng: random.Random, features: list[Feature], **fixed: Any) -> Knowledge:
    """Return knowledge whose features are drawn, for each role, from those features of a list that fit the role."""
    geometry = geometry_of(game)

    def draw(role: int) -> tuple[WeightedFeature, ...]:
        fitting = [feature for feature in features if feature.misfit(geometry, role) is None]
        chosen = rng.sample(fitting, min(len(fitting), rng.choice([0, 5, 40])))
        weights = (0.0, 0.5, 0.001, rng.random(), 5 * rng.random())
        return tuple(
            WeightedFeature(feature, rng.choice(weights), random_itemset(game, rng) if rng.random() < 0.4 else None)
            for feature in chosen
        )

    roles = game.circuit.roles
    return Knowledge(
        game=game.sheet.name,
        digest=game.sheet.digest,
        roles=roles,
        winning=tuple(draw(role) for role in range(len(roles))),
        losing=tuple(draw(role) for role in range(len(roles))),
        parameters=random_parameters(rng, **fixed),
        made=rng.choice([None, Provenance("run 1", rng.randint(0, 9), rng.randint(0, 2**63), "0.1.0")]),
    )
