"""The phi coefficient and the p-values that go with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, false_discovery_control

from gdl_miner.miner.mining.statistics import benjamini_hochberg, chi_square_p, phi_coefficient

counts = st.integers(0, 10**6)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60))
def test_phi_is_the_correlation_of_the_two_indicators(cases):
    fired, won = np.array(cases, dtype=float).T
    table = [np.sum(f * w) for f in (fired, 1 - fired) for w in (won, 1 - won)]
    value = float(phi_coefficient(*table))
    if fired.std() > 0 and won.std() > 0:
        assert value == pytest.approx(np.corrcoef(fired, won)[0, 1], abs=1e-12)
    else:
        assert value == 0


@given(counts, counts, counts, counts)
def test_phi_changes_sign_with_the_columns_and_stays_in_range(a, b, c, d):
    value = float(phi_coefficient(a, b, c, d))
    assert -1 <= value <= 1
    assert float(phi_coefficient(b, a, d, c)) == pytest.approx(-value, abs=1e-15)


def test_phi_is_one_where_firing_and_winning_coincide():
    assert phi_coefficient([10, 0], [0, 7], [0, 7], [3, 0]).tolist() == [1.0, -1.0]


@pytest.mark.parametrize("table", [(5, 3, 0, 0), (0, 0, 5, 3), (5, 0, 3, 0), (0, 5, 0, 3), (0, 0, 0, 0)])
def test_phi_of_an_empty_margin_is_zero(table):
    assert float(phi_coefficient(*table)) == 0


def test_half_a_win_counts_half_on_both_sides():
    assert float(phi_coefficient(1.5, 0.5, 1, 2)) == pytest.approx((1.5 * 2 - 0.5 * 1) / np.sqrt(2 * 3 * 2.5 * 2.5))


def test_chi_square_of_n_phi_squared_is_pearsons_test():
    table = np.array([[30, 20], [15, 40]])
    phi = float(phi_coefficient(*table.ravel()))
    expected = chi2_contingency(table, correction=False).pvalue
    assert float(chi_square_p(table.sum() * phi**2)) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_q_values_agree_with_an_independent_implementation(p):
    assert np.allclose(benjamini_hochberg(p), false_discovery_control(p, method="bh"))


def test_no_hypotheses_have_no_q_values():
    assert benjamini_hochberg([]).size == 0
