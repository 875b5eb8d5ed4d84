"""Dual-basket Apriori against its plain definition and an independent library."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import apriori

from gdl_miner.miner.mining.apriori import Thresholds, dual_basket_apriori, pack_baskets, support_counts

ITEMS = 7
basket_sets = st.lists(st.lists(st.booleans(), min_size=ITEMS, max_size=ITEMS), max_size=25)


def table(baskets):
    return np.array(baskets, dtype=bool).reshape(-1, ITEMS)


def plain_algorithm(desirable, undesirable, thresholds):
    """Algorithm 4.3, word by word, over Python sets."""
    d = [{i for i in range(ITEMS) if b[i]} for b in desirable]
    u = [{i for i in range(ITEMS) if b[i]} for b in undesirable]

    def good(c):
        return (
            sum(c <= b for b in d) >= thresholds.min_desirable and sum(c <= b for b in u) <= thresholds.max_undesirable
        )

    found, level = [], set()
    for size in range(1, thresholds.max_size + 1):
        if size <= 3:
            candidates = {frozenset(c) for b in d for c in combinations(sorted(b), size)}
        else:
            items = set().union(*level) if level else set()
            candidates = {a | {b} for a in level for b in items - a}
        level = {c for c in candidates if good(c)}
        found += sorted(tuple(sorted(c)) for c in level)
    return found


@settings(max_examples=150)
@given(basket_sets, basket_sets, st.integers(1, 6), st.integers(0, 6), st.integers(1, 6))
def test_equals_the_plain_definition(desirable, undesirable, least, most, size):
    thresholds = Thresholds(least, most, size)
    found = dual_basket_apriori(table(desirable), table(undesirable), thresholds)
    assert list(found.itemsets) == plain_algorithm(desirable, undesirable, thresholds)
    assert found.complete_size == size


@settings(max_examples=30)
@given(basket_sets.filter(len), basket_sets, st.integers(1, 6), st.integers(0, 6))
def test_equals_an_independent_apriori_and_a_filter_up_to_the_exact_size(desirable, undesirable, least, most):
    least = min(least, len(desirable))
    frequent = apriori(pd.DataFrame(table(desirable)), min_support=(least - 0.5) / len(desirable), max_len=3)
    other = table(undesirable)
    expected = {
        tuple(sorted(items)) for items in frequent["itemsets"] if other[:, sorted(items)].all(axis=1).sum() <= most
    }
    found = dual_basket_apriori(table(desirable), other, Thresholds(least, most, 3))
    assert set(found.itemsets) == expected
    assert len(found.itemsets) == len(expected)


@given(basket_sets, st.lists(st.integers(0, ITEMS - 1), min_size=1, max_size=4, unique=True))
def test_packed_supports_are_counts_of_baskets(baskets, itemset):
    expected = int(table(baskets)[:, itemset].all(axis=1).sum())
    assert support_counts(pack_baskets(table(baskets)), np.array([itemset])).tolist() == [expected]


def test_supports_are_reported_in_both_sets():
    desirable = np.array([[1, 1], [1, 1], [1, 0]], dtype=bool)
    undesirable = np.array([[1, 0], [0, 1]], dtype=bool)
    found = dual_basket_apriori(desirable, undesirable, Thresholds(2, 1, 2))
    assert found.itemsets == ((0,), (1,), (0, 1))
    assert found.desirable == (3, 2, 2)
    assert found.undesirable == (1, 1, 0)


def test_a_pair_rare_among_the_undesirable_is_found_though_its_items_are_common_there():
    desirable = np.array([[1, 1]] * 4, dtype=bool)
    undesirable = np.array([[1, 0]] * 4 + [[0, 1]] * 4, dtype=bool)
    assert dual_basket_apriori(desirable, undesirable, Thresholds(4, 0, 2)).itemsets == ((0, 1),)


@pytest.mark.parametrize(("budget", "complete"), [(6, 0), (7, 1), (27, 1), (28, 2), (62, 2), (63, 3), (97, 3), (98, 4)])
def test_stops_before_a_size_that_would_exceed_the_candidate_budget_and_says_so(budget, complete):
    everything = np.ones((3, ITEMS), dtype=bool)
    nothing = np.zeros((1, ITEMS), dtype=bool)
    found = dual_basket_apriori(everything, nothing, Thresholds(1, 0, 4, budget))
    assert found.complete_size == complete
    assert max(map(len, found.itemsets), default=0) == complete


def test_refuses_sets_over_different_items():
    with pytest.raises(ValueError, match="2 and 3 items"):
        dual_basket_apriori(np.ones((1, 2), bool), np.ones((1, 3), bool), Thresholds(1, 0))


def test_refuses_a_threshold_that_every_itemset_meets():
    with pytest.raises(ValueError, match="min_desirable"):
        dual_basket_apriori(np.ones((1, 2), bool), np.ones((1, 2), bool), Thresholds(0, 0))
