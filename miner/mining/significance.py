"""Significance of correlations: p-values of single features, and their correction for testing thousands."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

__all__ = ["benjamini_hochberg", "chi_square_p"]


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
