"""Statistics of mining: results as shares, the phi coefficient, significance, and false discoveries."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc


def phi_coefficient(
    fired_won: ArrayLike, fired_lost: ArrayLike, absent_won: ArrayLike, absent_lost: ArrayLike
) -> NDArray[np.float64]:
    """Correlation of two yes/no variables from their 2×2 table, elementwise; positive where firing goes with winning.

    Entries may be fractional (a draw is half won, half lost). The thesis prints one margin twice under the root;
    this is the standard coefficient, the product of all four margins. It is 0 where a margin is
    empty.
    """
    n00, n01, n10, n11 = (np.asarray(x, dtype=np.float64) for x in (fired_won, fired_lost, absent_won, absent_lost))
    fired, absent = n00 + n01, n10 + n11
    won, lost = n00 + n10, n01 + n11
    # Two roots of two factors each: the product of four large margins would lose range before the root is taken.
    scale = np.sqrt(fired * absent) * np.sqrt(won * lost)
    covariance = n00 * n11 - n01 * n10
    sound = (np.minimum(fired, absent) > 0) & (np.minimum(won, lost) > 0) & (scale > 0)
    value = np.divide(covariance, scale, out=np.zeros(scale.shape), where=sound)
    bounded: NDArray[np.float64] = np.clip(value, -1.0, 1.0)
    return bounded


OutcomeMeasure = Literal["margin", "comparison"]

GOAL_RANGE = 100
FULL_SHARE = 2 * GOAL_RANGE  # shares are whole numbers 0..FULL_SHARE, so that sums of them are exact in any order


def result_shares(goals: NDArray[np.int32], measure: OutcomeMeasure = "margin") -> NDArray[np.int64]:
    """Shares `[match, role]` of a win, in units of 1/FULL_SHARE, from the goals `[match, role]` of finished matches."""
    own = np.clip(goals.astype(np.int64), 0, GOAL_RANGE)
    n_roles = own.shape[1]
    if n_roles == 1:
        return np.array(2 * own, dtype=np.int64)
    ahead = own * n_roles - own.sum(axis=1, keepdims=True)  # (own - mean of the others) * (n_roles - 1)
    if measure == "comparison":
        ahead = GOAL_RANGE * (n_roles - 1) * np.sign(ahead)
    shares: NDArray[np.int64] = GOAL_RANGE + np.rint(ahead / (n_roles - 1)).astype(np.int64)
    return shares


def chi_square_p(statistic: ArrayLike) -> NDArray[np.float64]:
    """P(X ≥ statistic) for X chi-square with one degree of freedom; for a 2×2 table the statistic is N·phi²."""
    return np.asarray(chdtrc(1, np.asarray(statistic, dtype=np.float64)), dtype=np.float64)


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """q-values: the smallest false discovery rate at which each hypothesis is rejected (Benjamini & Hochberg 1995)."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.size == 0:
        return p.copy()
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    q = np.empty_like(p)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
