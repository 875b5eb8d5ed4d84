"""How likely a correlation is to be chance: p-values of single features and their correction for testing thousands."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, fisher_exact

__all__ = ["benjamini_hochberg", "chi_square_p", "fisher_p", "table_p"]

SMALLEST_EXPECTED = 5.0  # below this expected count the chi-square approximation is poor (Cochran 1954)


def chi_square_p(statistic: ArrayLike) -> NDArray[np.float64]:
    """P(X ≥ statistic) for X chi-square with one degree of freedom; for a 2×2 table the statistic is N·phi²."""
    return np.asarray(chi2.sf(np.asarray(statistic, dtype=np.float64), df=1), dtype=np.float64)


def fisher_p(fired_won: int, fired_lost: int, absent_won: int, absent_lost: int) -> float:
    """Two-sided exact p-value of a 2×2 table of whole counts (Fisher 1922)."""
    return float(fisher_exact(np.array([[fired_won, fired_lost], [absent_won, absent_lost]], dtype=np.int64))[1])


def table_p(fired_won: float, fired_lost: float, absent_won: float, absent_lost: float) -> float:
    """p-value of one 2×2 table of independent cases: chi-square, or Fisher's test where an expected count is small.

    For Fisher's test fractional entries are rounded half to even.
    """
    table = np.array([[fired_won, fired_lost], [absent_won, absent_lost]], dtype=np.float64)
    total = float(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total if total > 0 else np.zeros((2, 2))
    if expected.min() <= 0:
        return 1.0
    if expected.min() < SMALLEST_EXPECTED:
        rounded = np.rint(table).astype(int)
        return fisher_p(*(int(x) for x in rounded.ravel()))
    return float(chi_square_p(np.sum((table - expected) ** 2 / expected)))


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
