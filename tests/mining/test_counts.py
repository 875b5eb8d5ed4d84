"""Counts of decisions: their plain definition, merging, and the p-value by matches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.miner.mining.counts import count_decisions, evidence, merge_counts
from gdl_miner.miner.mining.statistics import FULL_SHARE, phi_coefficient, result_shares

# A match: its result share and the features that fired in each of its decisions.
features = st.sets(st.sampled_from("abcd"), max_size=3)
matches = st.lists(
    st.tuples(st.sampled_from([0, 50, 100, 200]), st.lists(features, min_size=1, max_size=5)), min_size=1, max_size=12
)


def count(played):
    names = tuple(sorted({f for _, decisions in played for fired in decisions for f in fired}))
    rows = [(m, fired) for m, (_, decisions) in enumerate(played) for fired in decisions]
    indptr = np.concatenate([[0], np.cumsum([len(fired) for _, fired in rows])]).astype(np.int64)
    ids = np.array([names.index(f) for _, fired in rows for f in sorted(fired)], dtype=np.int32)
    match = np.array([m for m, _ in rows], dtype=np.int64)
    return count_decisions(names, indptr, ids, match, np.array([share for share, _ in played], dtype=np.int64))


def by_name(counts):
    return dict(zip(counts.features, map(tuple, counts.sums.tolist()), strict=True))


@given(matches)
def test_support_and_phi_follow_from_the_two_by_two_table(played):
    counts = count(played)
    found = evidence([counts], [1.0])
    for i, name in enumerate(counts.features):
        table = np.zeros((2, 2))
        for share, decisions in played:
            for fired in decisions:
                table[int(name not in fired)] += [share / FULL_SHARE, 1 - share / FULL_SHARE]
        assert found.fired[i] == table[0].sum()
        assert found.won[i] == pytest.approx(table[0, 0])
        assert found.phi[i] == pytest.approx(float(phi_coefficient(*table.ravel())), abs=1e-12)


@given(matches, st.data())
def test_parts_merge_to_the_counts_of_the_whole_in_any_order(played, data):
    cut = data.draw(st.integers(1, len(played)))
    parts = [count(played[:cut]), *(count([match]) for match in played[cut:])]
    order = data.draw(st.permutations(range(len(parts))))
    merged = merge_counts([parts[i] for i in order])
    whole = count(played)
    assert by_name(merged) == by_name(whole)
    assert merged.totals.tolist() == whole.totals.tolist()
    assert merged.matches == whole.matches


@given(matches, matches)
def test_a_match_of_weight_two_counts_as_two_decisions(old, new):
    weighted = evidence([count(old), count(new)], [2.0, 1.0])
    doubled = evidence([count([*old, *old, *new])], [1.0])
    assert dict(zip(weighted.features, weighted.fired, strict=True)) == dict(
        zip(doubled.features, doubled.fired, strict=True)
    )
    expected = dict(zip(doubled.features, doubled.phi, strict=True))
    assert dict(zip(weighted.features, weighted.phi, strict=True)) == pytest.approx(expected, abs=1e-12)


def simulated_matches(rng, n, effect):
    """Matches of 20 decisions; one coin per match says whether "a" fires often or rarely, another says who wins."""
    played = []
    for _ in range(n):
        often = rng.random() < 0.5
        won = rng.random() < (0.5 + effect if often else 0.5 - effect)
        played.append((200 * int(won), [{"a"} if rng.random() < (0.9 if often else 0.1) else {"b"} for _ in range(20)]))
    return played


def test_p_values_are_honest_although_the_decisions_of_a_match_share_its_result():
    rng = np.random.default_rng(3)
    p = [evidence([count(simulated_matches(rng, 60, 0.0))], [1.0]).p_value[0] for _ in range(300)]
    assert 0.01 < np.mean(np.array(p) < 0.05) < 0.10
    assert 0.35 < np.mean(p) < 0.65


def test_a_feature_that_goes_with_winning_is_significant():
    found = evidence([count(simulated_matches(np.random.default_rng(4), 200, 0.3))], [1.0])
    assert found.phi[0] > 0.3
    assert found.p_value[0] < 1e-6


def test_a_feature_that_always_fires_is_no_evidence():
    found = evidence([count([(200, [{"a"}]), (0, [{"a"}, {"a"}])])], [1.0])
    assert found.phi.tolist() == [0.0]
    assert found.p_value.tolist() == [1.0]


def test_margin_counts_half_for_even_goals_whatever_they_are():
    assert result_shares(np.array([[100, 0], [50, 50], [0, 0], [60, 40]])).tolist() == [
        [200, 0],
        [100, 100],
        [100, 100],
        [120, 80],
    ]


def test_comparison_only_asks_who_is_ahead():
    assert result_shares(np.array([[60, 40], [0, 0]]), "comparison").tolist() == [[200, 0], [100, 100]]


def test_more_roles_compare_with_the_mean_of_the_others():
    assert result_shares(np.array([[100, 50, 0]])).tolist() == [[175, 100, 25]]
    assert result_shares(np.array([[100, 50, 0]]), "comparison").tolist() == [[200, 100, 0]]


def test_a_single_role_counts_its_share_of_the_goal_range():
    assert result_shares(np.array([[0], [25], [100]]), "comparison").tolist() == [[0], [50], [200]]
