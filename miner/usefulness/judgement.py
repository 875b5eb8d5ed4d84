"""Predictions of searches by the scores of a knowledge file, with all features and with one taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.scoring import EXPONENTIAL_LIMIT, UNIT
from gdl_miner.miner.usefulness.observations import RoleObservations

FloatArray = NDArray[np.float64]

_DIGITS = 9  # of contributions that are compared, so that no order depends on last bits
_AT_ONCE = 20  # of so many features that are left, one goes at a time


class Judgement(NamedTuple):
    """Contributions of the features to predicting the searches, and what all of them explain together."""

    contribution: FloatArray  # [feature] share of the avoidable cross-entropy
    error: FloatArray  # [feature] its standard error, every match a cluster
    explained: float  # share of the avoidable cross-entropy that the knowledge removes


class _Removal(NamedTuple):
    """All cases in which taking a feature away changes the score of an alternative."""

    alternative: NDArray[np.int64]  # [case]
    feature: NDArray[np.int64]  # [case] the feature taken away
    total: FloatArray  # [case] sum of the weights that is left


def contributions(fires: csr_matrix, weights: FloatArray, seen: RoleObservations, parameters: Parameters) -> Judgement:
    """Contributions of features that fire `fires[alternative, feature]` times, with signed effective `weights`."""
    n_choices, n_features = len(seen.start) - 1, len(weights)
    nothing = np.zeros(n_features)
    if n_choices == 0:
        return Judgement(nothing, nothing + np.inf, 0.0)
    scale = parameters.impact if parameters.scoring == "exponential" and parameters.impact > 0 else 1.0
    weights = weights / scale
    total, removal = (_first_only if parameters.first_feature else _sums)(fires, weights)
    score = _score(total, parameters)
    choice = np.repeat(np.arange(n_choices), np.diff(seen.start))
    mass = np.add.reduceat(score, seen.start[:-1])
    without = _score(removal.total, parameters)
    share = seen.share[removal.alternative]
    # Cross-entropy without the feature less that with it, by choice: Σ share · ln(score / score') + ln(mass' / mass).
    cell = choice[removal.alternative] * max(1, n_features) + removal.feature
    cells, place = np.unique(cell, return_inverse=True)
    logs = np.bincount(place, share * np.log(score[removal.alternative] / without), minlength=len(cells))
    change = np.bincount(place, without - score[removal.alternative], minlength=len(cells))
    of_choice, of_feature = np.divmod(cells, max(1, n_features))
    loss = np.asarray(logs + np.log1p(np.maximum(change / mass[of_choice], -1.0 + 1e-12)), dtype=np.float64)
    avoidable, left = _entropies(seen, score / mass[choice], choice)
    if avoidable <= 0:
        return Judgement(nothing, nothing + np.inf, 0.0)
    contribution = np.bincount(of_feature, loss, minlength=n_features) / avoidable
    error = _clustered(loss, of_feature, seen.choice_match[of_choice], n_features) / avoidable
    return Judgement(contribution, error, 1.0 - left / avoidable)


def elimination_order(
    fires: csr_matrix, weights: FloatArray, seen: RoleObservations, parameters: Parameters
) -> NDArray[np.int64]:
    """Return [feature] best first: the reverse of the order in which they can be done without (backward elimination).

    What counts is how much the judgement of all features, with the impact that they have in the search, changes without
    one of those that are left; the visits of searches do not count. The feature that changes it least goes first; of
    many features, some go at once.
    """
    parameters = replace(parameters, impact=1.0)  # the weights have it already
    own = replace(seen, share=_distribution(fires, weights, seen, parameters))
    left, gone = np.arange(len(weights)), list[int]()
    while len(left):
        contribution = contributions(csr_matrix(fires[:, left]), weights[left], own, parameters).contribution
        order = np.lexsort((np.abs(weights[left]), np.round(contribution, _DIGITS)))
        least = order[: max(1, len(left) // _AT_ONCE)]
        gone += left[least].tolist()
        left = np.delete(left, least)
    return np.array(gone[::-1], np.int64)


def _distribution(fires: csr_matrix, weights: FloatArray, seen: RoleObservations, parameters: Parameters) -> FloatArray:
    """Return [alternative] the share of its score in its choice."""
    total, _ = (_first_only if parameters.first_feature else _sums)(fires, weights)
    score = _score(total, parameters)
    if len(seen.start) == 1:
        return score
    return np.asarray(score / np.repeat(np.add.reduceat(score, seen.start[:-1]), np.diff(seen.start)))


def _sums(fires: csr_matrix, weights: FloatArray) -> tuple[FloatArray, _Removal]:
    """Totals of alternatives; every feature that fires can be taken away."""
    total = np.asarray(fires @ weights, dtype=np.float64)
    alternative = np.repeat(np.arange(fires.shape[0], dtype=np.int64), np.diff(fires.indptr))
    feature = fires.indices.astype(np.int64)
    return total, _Removal(alternative, feature, total[alternative] - fires.data * weights[feature])


def _first_only(fires: csr_matrix, weights: FloatArray) -> tuple[FloatArray, _Removal]:
    """First-feature scoring: only the heaviest feature that fires counts; if it is taken away, the next one does."""
    order = np.argsort(-np.abs(weights), kind="stable")
    ranked = csr_matrix(fires[:, order])
    ranked.sort_indices()
    sorted_weights = np.append(weights[order], 0.0)
    matches = np.diff(ranked.indptr)
    padded = np.append(ranked.indices, [len(order), len(order)])
    first = np.where(matches > 0, padded[ranked.indptr[:-1]], len(order))
    second = np.where(matches > 1, padded[ranked.indptr[:-1] + 1], len(order))
    some = np.flatnonzero(matches > 0)
    removal = _Removal(some, order[first[some]].astype(np.int64), sorted_weights[second[some]])
    return sorted_weights[first], removal


def _score(total: FloatArray, parameters: Parameters) -> FloatArray:
    """Scores of moves, as `gdl_miner.agent.knowledge.scoring.weight_of` but not rounded."""
    if parameters.scoring == "exponential":
        limit = EXPONENTIAL_LIMIT / UNIT
        return np.exp(np.clip(total, -limit, limit))
    return np.maximum(1.0 / UNIT, parameters.base_value + total)


def _entropies(seen: RoleObservations, model: FloatArray, choice: NDArray[np.int64]) -> tuple[float, float]:
    """Avoidable cross-entropy of a uniform choice, and the part that the model leaves, summed over the choices."""
    sizes = np.diff(seen.start).astype(np.float64)
    visited = seen.share > 0
    entropy = -float(np.sum(seen.share[visited] * np.log(seen.share[visited])))
    uniform = float(np.sum(seen.share * np.log(sizes)[choice]))
    loss = -float(np.sum(seen.share * np.log(model)))
    return uniform - entropy, loss - entropy


def _clustered(loss: FloatArray, feature: NDArray[np.int64], match: NDArray[np.int64], n_features: int) -> FloatArray:
    """[feature] standard error of the sum of `loss`, whose terms depend on each other within a match only."""
    n_matches = int(match.max(initial=-1)) + 1
    if n_matches == 0:
        return np.full(n_features, np.inf)
    cells, place = np.unique(feature * n_matches + match, return_inverse=True)
    sums = np.bincount(place, loss)
    return np.sqrt(np.bincount(cells // n_matches, sums * sums, minlength=n_features))
