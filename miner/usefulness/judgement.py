"""Predictions of searches by the scores of a knowledge file: what one feature takes away, and what it adds to others.

The quantity is always the cross-entropy of the searches' visits under the distribution that the scores give.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from agent.knowledge import Parameters
from agent.knowledge.scoring import EXPONENTIAL_LIMIT, UNIT
from miner.usefulness.observations import RoleObservations

__all__ = ["Judgement", "contributions", "forward_order"]

FloatArray = NDArray[np.float64]


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
    weights = weights / _scale(parameters)
    total, removal = (_first_only if parameters.first_feature else _sums)(fires, weights)
    score = _score(total, parameters)
    cases = _Cases(removal.alternative, removal.feature, seen, n_features)
    loss = cases.increases(score, _score(removal.total, parameters))
    avoidable, left = _entropies(seen, score / cases.mass(score)[cases.choice], cases.choice)
    if avoidable <= 0:
        return Judgement(nothing, nothing + np.inf, 0.0)
    contribution = np.bincount(cases.of_feature, loss, minlength=n_features) / avoidable
    error = _clustered(loss, cases.of_feature, seen.choice_match[cases.of_choice], n_features) / avoidable
    return Judgement(contribution, error, 1.0 - left / avoidable)


def forward_order(
    fires: csr_matrix, weights: FloatArray, seen: RoleObservations, parameters: Parameters, most: int
) -> NDArray[np.int64]:
    """Return [feature] in the order in which they are worth adding to those before (forward selection).

    Each feature is the one that lowers the cross-entropy most beside those before it. After `most` of them, or once no
    feature lowers it, the others follow in the order of what each would bring at that point.
    """
    n_features = len(weights)
    if len(seen.start) == 1 or n_features == 0:
        return np.argsort(-np.abs(weights), kind="stable")
    weights = weights / _scale(parameters)
    alternative = np.repeat(np.arange(fires.shape[0], dtype=np.int64), np.diff(fires.indptr))
    feature = fires.indices.astype(np.int64)
    cases = _Cases(alternative, feature, seen, n_features)
    by_feature = fires.tocsc()
    added = weights[feature] if parameters.first_feature else fires.data * weights[feature]
    total, order = np.zeros(fires.shape[0]), list[int]()
    while True:
        joined = _joined(total[alternative], added, parameters)
        loss = cases.increases(_score(total, parameters), _score(joined, parameters))
        gain = -np.bincount(cases.of_feature, loss, minlength=n_features)
        gain[order] = -np.inf
        best = int(np.argmax(gain))
        if len(order) == min(most, n_features) or gain[best] <= 0:
            rest = np.argsort(-gain, kind="stable")[: n_features - len(order)]
            return np.array([*order, *rest], np.int64)
        order.append(best)
        own = slice(by_feature.indptr[best], by_feature.indptr[best + 1])
        where, times = by_feature.indices[own], by_feature.data[own]
        weight = weights[best] if parameters.first_feature else times * weights[best]
        total[where] = _joined(total[where], weight, parameters)


class _Cases:
    """Cases in which a feature changes the score of an alternative, for the cross-entropy that follows."""

    def __init__(
        self, alternative: NDArray[np.int64], feature: NDArray[np.int64], seen: RoleObservations, n_features: int
    ) -> None:
        self._alternative = alternative
        self._share = seen.share[alternative]
        self._start = seen.start
        self.choice = np.repeat(np.arange(len(seen.start) - 1), np.diff(seen.start))  # [alternative]
        cells, self._cell = np.unique(self.choice[alternative] * max(1, n_features) + feature, return_inverse=True)
        self._cells = len(cells)
        self.of_choice, self.of_feature = np.divmod(cells, max(1, n_features))  # [cell] a choice and a feature

    def mass(self, score: FloatArray) -> FloatArray:
        """Return [choice] the sum of the scores of its alternatives."""
        return np.add.reduceat(score, self._start[:-1])

    def increases(self, score: FloatArray, changed: FloatArray) -> FloatArray:
        """Return [cell] how much the cross-entropy of the choice grows where the feature changes scores.

        `score` is by alternative, `changed` by case. The increase is Σ share · ln(score / changed) + ln(mass' / mass).
        """
        before = score[self._alternative]
        logs = np.bincount(self._cell, self._share * np.log(before / changed), minlength=self._cells)
        change = np.bincount(self._cell, changed - before, minlength=self._cells)
        mass = self.mass(score)[self.of_choice]
        return np.asarray(logs + np.log1p(np.maximum(change / mass, -1.0 + 1e-12)), dtype=np.float64)


def _scale(parameters: Parameters) -> float:
    """Return what effective weights are divided by, so that exponential scores have impact 1."""
    return parameters.impact if parameters.scoring == "exponential" and parameters.impact > 0 else 1.0


def _joined(total: FloatArray, added: FloatArray, parameters: Parameters) -> FloatArray:
    """Return totals with another feature: the sum, or with first-feature scoring the heavier of the two."""
    if parameters.first_feature:
        return np.where(np.abs(added) > np.abs(total), added, total)
    return total + added


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
    """Scores of moves, as `agent.knowledge.scoring.weight_of` but not rounded."""
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
