"""Itemsets for a feature: a planted conjunction is found, and none where there is only chance."""

import numpy as np

from gdl_miner.miner.mining.config import ItemsetConfig
from gdl_miner.miner.mining.itemsets import LabelledDecisions, best_itemset
from gdl_miner.miner.mining.statistics import FULL_SHARE

CONFIG = ItemsetConfig(max_undesirable=0.3)


def world(seed, planted):
    """4000 decisions with 8 random items; a feature fires in half and wins more, most of all with the planted pair."""
    rng = np.random.default_rng(seed)
    n = 4000
    held = rng.random((n, 8)) < 0.6
    fires = rng.random(n) < 0.5
    chance = np.full(n, 0.4)
    chance[fires] = 0.5
    if planted:
        chance[fires & held[:, 2] & held[:, 5]] = 0.95
    shares = np.where(rng.random(n) < chance, FULL_SHARE, 0)
    fired = np.flatnonzero(fires)
    return LabelledDecisions(shares, rng.random(n) < 1 / 3), fired, held[fired]


def test_a_planted_pair_of_facts_is_found():
    found = best_itemset(*world(1, planted=True), 1, CONFIG)
    assert found.items == (2, 5)
    assert found.phi > 0.3
    assert found.complete


def test_the_losing_side_is_found_by_swapping_the_baskets():
    decisions, fired, held = world(2, planted=True)
    mirrored = LabelledDecisions(FULL_SHARE - decisions.shares, decisions.held_out)
    found = best_itemset(mirrored, fired, held, -1, CONFIG)
    assert found.items == (2, 5)
    assert found.phi < -0.3


def test_without_a_pattern_hardly_any_itemset_is_taken():
    loose = ItemsetConfig(max_undesirable=1.0)
    taken = [bool(best_itemset(*world(seed, planted=False), 1, loose).items) for seed in range(20)]
    assert sum(taken) <= 4


def test_an_itemset_that_helps_only_the_training_matches_is_left():
    decisions, fired, held = world(3, planted=True)
    rng = np.random.default_rng(0)
    shuffled = decisions.shares.copy()
    shuffled[decisions.held_out] = rng.permutation(shuffled[decisions.held_out])
    alone = np.zeros(len(shuffled), dtype=bool)
    alone[fired] = True
    found = best_itemset(LabelledDecisions(shuffled, decisions.held_out), fired, held, 1, CONFIG)
    assert found.items == ()


def test_draws_are_in_neither_basket_set():
    decisions, fired, held = world(4, planted=True)
    drawn = LabelledDecisions(np.full_like(decisions.shares, FULL_SHARE // 2), decisions.held_out)
    assert best_itemset(drawn, fired, held, 1, CONFIG).items == ()


def test_a_search_that_was_cut_short_says_so():
    found = best_itemset(*world(1, planted=True), 1, ItemsetConfig(max_undesirable=0.3, max_candidates=10))
    assert not found.complete
