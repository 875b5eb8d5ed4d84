"""Features that stand for their images: what is mined for them, and the fit that ties their weights."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import MoveBatch, occurrences
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import written_out
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.mining import sharing
from gdl_miner.miner.mining.config import MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn
from gdl_miner.miner.mining.mine import mine
from gdl_miner.miner.mining.sharing import FeatureSharing, sharing_of
from gdl_miner.miner.mining.softmax import Choices, fit_softmax
from tests.knowledge.random_knowledge import features_of
from tests.mining.playouts import random_record

CONFIG = MiningConfig(min_support=10, max_q=1.0, softmax=SoftmaxConfig(min_count=5, iterations=200))
WITHOUT_TIES = ("FeatureAbsMove", "FeatureRelPattern", "FeatureAbsPieceInArea")  # see FeatureRelEuclidKNearest
GAMES = ["tictactoe.ext", "breakthrough.ext", "connectfour.ext"]


def prefer_the_first_column(name: str) -> float:
    return 8.0 if name.split(" ")[1] == "1" else 1.0


def image(record: MatchBatchRecord, symmetry: sharing.Symmetry) -> MatchBatchRecord:
    return sharing._image(record, symmetry)


@pytest.mark.parametrize("game", GAMES)
def test_images_of_matches_are_matches(game: str) -> None:
    machine = load_machine(game)
    record = random_record(machine, 3, seed=1, favour=prefer_the_first_column)
    for symmetry in sharing_of(machine, "auto").symmetries:
        found = image(record, symmetry)
        for match in range(found.n_matches):
            state = machine.initial()
            for step in range(found.start[match], found.start[match + 1] - 1):
                legal = machine.legal(found.states[step])
                assert all(row in rows for row, rows in zip(found.moves[step], legal, strict=True))
                state = machine.next(found.states[step], found.moves[step].tolist())
                assert np.array_equal(state, found.states[step + 1])
            assert machine.goals(state) == tuple(found.goals[match])


def test_a_role_that_looks_like_another_has_no_features_of_its_own() -> None:
    machine = load_machine("breakthrough.ext")
    found = sharing_of(machine, "auto")
    assert found.owners == (0, 0)
    assert len(found.symmetries) == 3
    assert found.views(0) == 2
    mined = mine([random_record(machine, 20, seed=2)], machine, CONFIG, seed=1)
    assert mined.features[0]
    assert not mined.features[1]
    apart = mine([random_record(machine, 20, seed=2)], machine, replace(CONFIG, symmetries=()), seed=1)
    assert mined.decisions[0] == sum(apart.decisions)
    assert mined.choices[0] == sum(apart.choices)


def test_representatives_fire_as_often_as_their_images() -> None:
    machine, dice = load_machine("tictactoe.ext"), random.Random(3)
    record = random_record(machine, 5, seed=3)
    geometry, shared = geometry_of(machine), sharing_of(machine, "auto")
    steps = [step for step in range(len(record.states)) if record.moves[step, 0] >= 0]
    samples = [(step, int(dice.choice(machine.legal(record.states[step])[0]))) for step in steps]
    batch = MoveBatch(
        record.states[steps],
        record.last_rows()[steps],
        np.arange(len(steps), dtype=np.int32),
        np.array([row for _, row in samples], np.int32),
    )
    matrix = occurrences(batch, geometry)
    tied, once = shared.tied(matrix, 0), shared.tied(matrix, 0).once()
    assert len(tied.features) < len(matrix.features)
    for sample in range(len(samples)):
        stands_for = [shared.representative(each, 0) for each in features_of(matrix, sample)]
        assert sorted(map(repr, features_of(tied, sample))) == sorted(map(repr, stands_for))
        assert sorted(map(repr, features_of(once, sample))) == sorted(set(map(repr, stands_for)))


@pytest.mark.parametrize("game", GAMES)
def test_images_of_matches_teach_the_same(game: str) -> None:
    machine = load_machine(game)
    record = random_record(machine, 30, seed=4, favour=prefer_the_first_column)
    config = replace(CONFIG, classes=WITHOUT_TIES)
    found = mine([record], machine, config, seed=1)
    for symmetry in sharing_of(machine, "auto").symmetries[:4]:
        other = mine([image(record, symmetry)], machine, config, seed=1)
        known = {each.feature: each for each in other.features[0]}
        strong = [each for each in found.features[0] if abs(each.weight) > 3 * each.error > 0]
        assert len(strong) > 3
        for each in strong:
            assert known[each.feature].weight == pytest.approx(each.weight, abs=3 * each.error)


def test_what_is_learned_names_its_symmetries_and_acts_for_all_roles() -> None:
    machine = load_machine("breakthrough.ext")
    record = random_record(machine, 30, seed=6, favour=prefer_the_first_column)
    mined = mine([record], machine, CONFIG, seed=1)
    learned = learn(empty_lists(2), mined, LearningPolicy(), max_features=100, learning_factor=1.0)
    names = sharing_of(machine, "auto").names
    knowledge = Knowledge("", "", machine.roles, learned.winning, learned.losing, symmetries=names)
    assert knowledge.winning[1] == ()
    apart = written_out(knowledge, machine)
    assert len(apart.winning[1]) == len(apart.winning[0]) > len(knowledge.winning[0])


def test_a_feature_that_fires_twice_counts_twice() -> None:
    """The fit finds the optimum that a general minimiser finds for a table of counts."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(2, 6, 40)
    start = np.concatenate([[0], np.cumsum(sizes)])
    table = rng.integers(0, 4, (int(sizes.sum()), 3))
    target = rng.random(len(table))
    for first, last in pairwise(start):
        target[first:last] /= target[first:last].sum()
    features = np.concatenate([np.repeat(np.arange(3), row) for row in table]).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(table.sum(axis=1))])
    fit = fit_softmax(Choices(start, indptr, features, 3, target, np.ones(40)), penalty=0.5, tolerance=1e-7)

    def loss(theta: np.ndarray) -> float:
        value = 0.25 * float(theta @ theta)
        for first, last in pairwise(start):
            u = table[first:last] @ theta
            value -= float(target[first:last] @ (u - np.log(np.exp(u).sum())))
        return value

    best = minimize(loss, np.zeros(3), tol=1e-12)
    assert np.allclose(fit.weights, best.x, atol=2e-3)
    assert fit.information == pytest.approx(
        [
            sum(
                _variance(table[first:last, feature], np.exp(table[first:last] @ best.x))
                for first, last in pairwise(start)
            )
            for feature in range(3)
        ],
        rel=1e-2,
    )


def _variance(x: np.ndarray, mass: np.ndarray) -> float:
    q = mass / mass.sum()
    return float(q @ x**2 - (q @ x) ** 2)


def test_wanted_symmetries_bring_those_that_follow_from_them() -> None:
    machine = load_machine("othello.ext")
    assert sharing_of(machine, ()).names == ()
    assert sharing_of(machine, ("board (-x, y)",)).names == ("board (-x, y)",)
    assert set(sharing_of(machine, ("board (y, -x)",)).names) == {"board (y, -x)", "board (-x, -y)", "board (-y, x)"}
    assert len(sharing_of(machine, ("board (y, -x)", "board (-x, y)")).names) == 7


def test_a_symmetry_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"does not have the symmetry 'board \(y, x\)'; it has board \(-x, y\)"):
        sharing_of(load_machine("connectfour.ext"), ("board (y, x)",))


def test_roles_that_change_places_in_a_ring_have_one_owner() -> None:
    machine: Machine = load_machine("tictactoe.ext")
    ring = [replace(each, roles=(1, 0)) for each in sharing_of(machine, "auto").symmetries if not each.keeps_roles]
    assert FeatureSharing.over(ring, 2).owners == (0, 0)
    assert FeatureSharing.over([], 3).owners == (0, 1, 2)
