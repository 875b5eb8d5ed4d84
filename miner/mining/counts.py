"""Counts of how often features fired and how the matches ended: whole-number sums that merge in any order.

A decision is a state in which the role had a choice; a feature fired in it if it matches the move made. Sums of squares
by match are kept because decisions of one match share its result, so that fifty of them are the evidence of one match.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.miner.mining.statistics import FULL_SHARE, chi_square_p, phi_coefficient

F = TypeVar("F", bound=Hashable)

# In match m: X decisions in which the feature fired, N decisions in all, Y the result share (0..FULL_SHARE).
SUMS = 8  # Σ X, Σ XY, Σ X², Σ X²Y, Σ X²Y², Σ XN, Σ XNY, Σ XNY²
TOTALS = 5  # Σ N, Σ NY, Σ N², Σ N²Y, Σ N²Y²


@dataclass(frozen=True)
class FeatureCounts(Generic[F]):
    """Counts of one role over some matches; a match is counted whole or not at all."""

    features: tuple[F, ...]  # in no particular order
    sums: NDArray[np.int64]  # [feature, SUMS]
    totals: NDArray[np.int64]  # [TOTALS]
    matches: int

    @property
    def decisions(self) -> int:
        """Number of decisions."""
        return int(self.totals[0])


class Evidence(NamedTuple, Generic[F]):
    """Evidence about each feature, from counts of weighted matches."""

    features: tuple[F, ...]
    fired: NDArray[np.float64]  # [feature] decisions in which it fired
    won: NDArray[np.float64]  # [feature] decisions in which it fired that led to a win (fractional)
    phi: NDArray[np.float64]  # [feature]
    p_value: NDArray[np.float64]  # [feature] probability of so large a |phi| if firing and winning were independent
    decisions: float  # all decisions


def count_decisions(
    features: tuple[F, ...],
    indptr: NDArray[np.int64],
    fired: NDArray[np.int32],
    match: NDArray[np.int64],
    shares: NDArray[np.int64],
) -> FeatureCounts[F]:
    """Count decisions given as sparse rows: decision d of match `match[d]` fired `fired[indptr[d]:indptr[d + 1]]`.

    `shares[match]` are result shares, 0..FULL_SHARE; a feature occurs at most once per decision.
    """
    n_matches = len(shares)
    per_match = np.bincount(match, minlength=n_matches).astype(np.int64)
    key = np.repeat(match, np.diff(indptr)) * max(1, len(features)) + fired
    pairs, x = np.unique(key, return_counts=True)
    feature, where = pairs % max(1, len(features)), pairs // max(1, len(features))
    n, y = per_match[where], shares[where]
    products = (x, x * y, x * x, x * x * y, x * x * y * y, x * n, x * n * y, x * n * y * y)
    sums = np.zeros((len(features), SUMS), dtype=np.int64)
    for column, product in enumerate(products):
        np.add.at(sums[:, column], feature, product)
    n, y = per_match, shares
    totals = np.array([(n * y**k).sum() for k in (0, 1)] + [(n * n * y**k).sum() for k in (0, 1, 2)], dtype=np.int64)
    return FeatureCounts(features, sums, totals, int((per_match > 0).sum()))


def merge_counts(parts: Iterable[FeatureCounts[F]]) -> FeatureCounts[F]:
    """Add up counts of disjoint sets of matches; grouping and order of the parts affect only the order of features."""
    number: dict[F, int] = {}
    rows: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    totals, matches = np.zeros(TOTALS, dtype=np.int64), 0
    for part in parts:
        places = np.array([number.setdefault(f, len(number)) for f in part.features], dtype=np.int64)
        rows.append((places, part.sums))
        totals = totals + part.totals
        matches += part.matches
    sums = np.zeros((len(number), SUMS), dtype=np.int64)
    for places, part_sums in rows:
        sums[places] += part_sums  # the features of one part are distinct
    return FeatureCounts(tuple(number), sums, totals, matches)


def evidence(counts: Sequence[FeatureCounts[F]], weights: Sequence[float]) -> Evidence[F]:
    """Support, phi and p-value of every feature, where a match of `counts[i]` weighs `weights[i]`.

    The p-value tests Σ_m (Y_m - ȳ)(X_m - x̄ N_m) = 0 against its variance over matches. Every match is a
    cluster of its own (Liang & Zeger 1986), so the test holds although all decisions of a match share one result.
    """
    features = tuple(dict.fromkeys(f for part in counts for f in part.features))
    # Sums of X carry the match weight once, sums of squares twice.
    sums = _weighted([_aligned(part, features) for part in counts], weights, np.array([1, 1, 2, 2, 2, 2, 2, 2]))
    totals = _weighted([part.totals for part in counts], weights, np.array([1, 1, 2, 2, 2]))
    n, ny, nn, nny, nnyy = (float(t) for t in totals)
    x, xy, xx, xxy, xxyy, xn, xny, xnyy = sums.T
    mean_y, mean_x = (ny / n, x / n) if n > 0 else (0.0, x * 0.0)
    covariance = xy - mean_y * x
    spread = [b2 - 2 * mean_y * b1 + mean_y**2 * b0 for b0, b1, b2 in ((xx, xxy, xxyy), (xn, xny, xnyy))]
    variance = spread[0] - 2 * mean_x * spread[1] + mean_x**2 * (nnyy - 2 * mean_y * nny + mean_y**2 * nn)
    rounding = 1e-9 * (xxyy + mean_x**2 * nnyy)
    known = variance > rounding
    statistic = np.divide(covariance**2, variance, out=np.zeros(len(x)), where=known)
    won, all_won = xy / FULL_SHARE, ny / FULL_SHARE
    phi = phi_coefficient(won, x - won, all_won - won, (n - x) - (all_won - won))
    return Evidence(features, x, won, phi, np.where(known, chi_square_p(statistic), 1.0), n)


def _aligned(counts: FeatureCounts[F], features: tuple[F, ...]) -> NDArray[np.int64]:
    place = {f: i for i, f in enumerate(features)}
    sums = np.zeros((len(features), SUMS), dtype=np.int64)
    sums[np.array([place[f] for f in counts.features], dtype=np.int64)] = counts.sums
    return sums


def _weighted(
    parts: Sequence[NDArray[np.int64]], weights: Sequence[float], power: NDArray[np.int64]
) -> NDArray[np.float64]:
    total = np.zeros(parts[0].shape, dtype=np.float64)
    for part, weight in zip(parts, weights, strict=True):
        total += part * np.array([weight**p for p in power.tolist()])
    return total
