"""Itemsets of the joint fit: their plain definition, and what they find in data whose truth is known."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from gdl_miner.agent.features import Fact, FeatureAbsMove
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn
from gdl_miner.miner.mining.mine import mine
from gdl_miner.miner.mining.restrictions import Restriction, seek_restrictions
from gdl_miner.miner.mining.softmax import Choices, fit_softmax, group_scores
from tests.mining.playouts import random_record
from tests.mining.test_softmax import random_choices

LIMITS = SoftmaxConfig(min_count=3, penalty=1.0, itemset_z=0.5)


def plain_gain(choices: Choices, theta: np.ndarray, feature: int, holds: np.ndarray) -> float:
    """The gain of a feature restricted to the choices that hold, from the shares of the model themselves."""
    rate = squares = information = count = 0.0
    for group in np.flatnonzero(holds):
        alternatives = range(choices.start[group], choices.start[group + 1])
        fired = [choices.features[choices.indptr[a] : choices.indptr[a + 1]] for a in alternatives]
        q = np.exp([theta[each].sum() for each in fired])
        q /= q.sum()
        x = np.array([feature in each for each in fired])
        if not x.any():
            continue
        score = choices.weight[group] * ((choices.target[choices.start[group] : choices.start[group + 1]] - q) @ x)
        rate, squares, count = rate + score, squares + score * score, count + 1
        information += choices.weight[group] * (q @ x) * (1 - q @ x)
    if count < LIMITS.min_count or abs(rate) < LIMITS.itemset_z * squares**0.5:
        return 0.0
    return float(0.5 * rate * rate / (information + LIMITS.penalty))


def test_the_best_items_are_those_of_the_plain_definition():
    for seed in range(5):
        choices, _ = random_choices(seed, groups=60)
        held = np.random.default_rng(seed).random((60, 7)) < 0.5
        theta = fit_softmax(choices, penalty=1.0).weights
        found = seek_restrictions(group_scores(choices, theta), range(6), held, LIMITS)
        assert len({each.feature for each in found}) == len(found) > 0
        gains = []
        for each in found:
            sets = [(item,) for item in range(7)] + list(combinations(range(7), 2))
            plain = {items: plain_gain(choices, theta, each.feature, held[:, items].all(axis=1)) for items in sets}
            assert plain[each.items] == max(plain.values())
            gains.append(plain[each.items])
        assert gains == sorted(gains, reverse=True)


def test_nothing_is_found_without_items_or_features():
    choices, _ = random_choices(0)
    scores = group_scores(choices, np.zeros(6))
    assert seek_restrictions(scores, range(6), np.zeros((30, 0), dtype=np.bool_), LIMITS) == []
    assert seek_restrictions(scores, [], np.ones((30, 4), dtype=np.bool_), LIMITS) == []


@pytest.mark.parametrize(("name", "value"), [("itemsets", -4), ("itemset_size", -1), ("itemset_z", 0.0)])
def test_limits_that_make_no_sense_are_refused(name, value):
    with pytest.raises(ValidationError, match=name):
        TypeAdapter(SoftmaxConfig).validate_python({name: value})


def test_a_restricted_feature_fires_where_its_feature_does_and_the_items_hold():
    choices, table = random_choices(3, groups=40)
    holds = np.random.default_rng(3).random((40, 2)) < 0.5
    restricted = choices.restricted(np.array([4, 1]), holds)
    expected = np.column_stack([table, table[:, [4, 1]] & holds[restricted.group]])
    assert (restricted.matrix.toarray().astype(bool) == expected).all()


def test_items_that_do_not_matter_are_not_found():
    limits = SoftmaxConfig(min_count=20)
    for seed in range(5):
        choices, _ = random_choices(seed, groups=2000, weights=[1.0, -1.0, 0.5, 0.0, 0.2, 0.8])
        held = np.random.default_rng(seed).random((2000, 50)) < 0.4
        theta = fit_softmax(choices, penalty=limits.penalty).weights
        assert seek_restrictions(group_scores(choices, theta), range(6), held, limits) == []


def test_the_two_items_that_turn_a_weight_round_are_found():
    choices, table = random_choices(0, groups=2000, weights=[0.0] * 6)
    held = np.random.default_rng(0).random((2000, 30)) < 0.5
    both = held[:, [4, 20]].all(axis=1)[choices.group]
    target = np.exp(np.where(both, 1.5, -0.5) * table[:, 2])
    target /= np.add.reduceat(target, choices.start[:-1])[choices.group]
    choices = Choices(choices.start, choices.indptr, choices.features, 6, target, choices.weight)
    theta = fit_softmax(choices, penalty=6.0).weights
    assert seek_restrictions(group_scores(choices, theta), range(6), held, SoftmaxConfig())[0] == Restriction(
        2, (4, 20)
    )


def test_a_move_that_is_good_only_beside_a_mark_gets_this_itemset():
    """The searches of this record visit a corner much more often while the opposite corner has the own mark."""
    machine = load_machine("tictactoe.ext")
    record = random_record(machine, 800, seed=8)
    corner, mark = "(mark 1 1 x)", "(cell 3 3 x)"
    row, fluent = machine.circuit.moves[0].index(corner), machine.circuit.fluents.index(mark)
    step = np.repeat(np.arange(len(record.states)), np.diff(record.visit_start))
    marked = (record.states[step, fluent // 64] >> np.uint64(fluent % 64)) & np.uint64(1) == 1
    record.visit_count[:] = 10
    record.visit_count[(record.visit_row == row) & marked] = 200
    config = MiningConfig(symmetries=(), softmax=SoftmaxConfig(min_count=5), itemsets=ItemsetConfig(features=0))
    mined = mine([record], machine, config, seed=1)
    found = {each.feature: each.fitted_itemsets for each in mined.features[0] if each.fitted_itemsets}
    best = found[FeatureAbsMove(corner)][0]
    assert best.itemset.items == (Fact(mark),)
    assert best.weight > 0.5
    plain = mine([record], machine, replace(config, softmax=SoftmaxConfig(min_count=5, itemsets=0)), seed=1)
    assert not any(each.fitted_itemsets for each in plain.features[0])
    assert plain.explained[0] < 0.97 < 0.99 < mined.explained[0]
    learned = learn(empty_lists(2), mined, LearningPolicy(), max_features=1000, learning_factor=1.0)
    assert (FeatureAbsMove(corner), best.itemset) in [(each.feature, each.itemset) for each in learned.winning[0]]
    without = learn(empty_lists(2), mined, LearningPolicy(itemsets=False), max_features=1000, learning_factor=1.0)
    assert all(each.itemset is None for each in without.winning[0] + without.losing[0])
