"""Itemsets in the joint fit: states in which a feature is worth more or less than elsewhere.

A feature that fires only where an itemset holds is a feature of its own in the fit. Under the weights fitted so far,
the log-likelihood grows with its weight at the rate G, the sum of the feature's scores over the choices in whose states
the itemset holds. One step of Newton's method would gain ½ G² / (information + λ), and z = G / √(Σ score²) is nearly
normal where the restriction does not matter.

This is dual-basket Apriori (thesis 4.3.3) with weighted baskets: a basket holds the facts and metafacts of one state in
which the feature fires for some legal move, and it is desirable as far as the search visited such moves more than the
fit expects, undesirable as far as it visited them less. Larger itemsets grow from those already in the fit.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gdl_miner.miner.mining.config import SoftmaxConfig
from gdl_miner.miner.mining.softmax import Choices, GroupScores, SoftmaxFit, fit_softmax, group_scores

_ROUNDS = 12  # largest number of rounds in which restrictions are added
_LEAST_ROUNDS = 3  # a round adds at most this part of all restrictions: a third
_PAIRED = 40  # number of items, largest |z| first, of which pairs are tried for a feature
_AT_ONCE = 512  # number of items that are examined together, which bounds memory
_FIXED_POINT = float(1 << 24)  # sums of multiples of 2^-24 are exact, so their order does not matter

Items = tuple[int, ...]


class Restriction(NamedTuple):
    """A feature of the fit together with items that have to hold."""

    feature: int  # its number in the fit
    items: Items  # ascending


class _Sums(NamedTuple):
    """Sums over the choices in which an itemset holds; arrays of any shape, one entry for each itemset."""

    score: NDArray[np.float64]
    squares: NDArray[np.float64]
    information: NDArray[np.float64]
    choices: NDArray[np.float64]

    def z(self) -> NDArray[np.float64]:
        """Return the score divided by its standard error, 0 where all scores are 0."""
        return np.divide(self.score, np.sqrt(self.squares), out=np.zeros_like(self.score), where=self.squares > 0)

    def gain(self, limits: SoftmaxConfig) -> NDArray[np.float64]:
        """Return what each itemset would gain; 0 for those that are rare, or whose score may be chance."""
        gain = 0.5 * self.score**2 / (self.information + limits.penalty)
        taken = (self.choices >= limits.min_count) & (np.abs(self.z()) >= limits.itemset_z)
        return np.where(taken, gain, 0.0)


def restrict(
    choices: Choices, fit: SoftmaxFit, held: NDArray[np.bool_], limits: SoftmaxConfig
) -> tuple[list[Restriction], Choices, SoftmaxFit]:
    """Add restrictions of its features to a fit, in rounds, so that later ones explain what earlier ones left open.

    `held[choice, item]` says which items hold in the state of a choice. The features of the result come first and have
    no items; the restrictions follow them.
    """
    n_features = choices.n_features
    columns = [Restriction(number, ()) for number in range(n_features)]
    for _ in range(_ROUNDS):
        most = min(-(-limits.itemsets // _LEAST_ROUNDS), n_features + limits.itemsets - len(columns))
        found = _extensions(columns, choices, fit, held, limits)[: 2 * most]
        if not found:
            break
        parents, restrictions = zip(*found, strict=True)
        holds = np.column_stack([held[:, list(each.items)].all(axis=1) for each in restrictions])
        extended = choices.restricted(np.array(parents), holds)
        unlike = _unlike(extended, n_features, len(columns))[:most]
        if not len(unlike):
            break
        columns = [*columns, *(restrictions[place] for place in unlike)]
        choices = extended.keep(np.concatenate([np.arange(choices.n_features), choices.n_features + unlike]))
        start = np.concatenate([fit.weights, np.zeros(len(unlike))])
        fit = fit_softmax(
            choices, penalty=limits.penalty, start=start, scale=fit.scale, max_iterations=limits.iterations
        )
    return columns, choices, fit


def _extensions(
    columns: Sequence[Restriction], choices: Choices, fit: SoftmaxFit, held: NDArray[np.bool_], limits: SoftmaxConfig
) -> list[tuple[int, Restriction]]:
    """Return the restrictions that would add most to a fit, each with the column of the fit that it restricts."""
    ranked = np.argsort(-fit.gain, kind="stable")[: limits.itemset_features].tolist()
    room = [number for number in ranked if len(columns[number].items) < limits.itemset_size]
    found: list[tuple[int, Restriction]] = []
    for number, items in seek_restrictions(group_scores(choices, fit.weights, fit.scale), room, held, limits):
        restriction = Restriction(columns[number].feature, tuple(sorted({*columns[number].items, *items})))
        if len(restriction.items) <= limits.itemset_size and restriction not in columns:
            found.append((number, restriction))
    return found


def _unlike(choices: Choices, first: int, new: int) -> NDArray[np.int64]:
    """Return which features from `new` on do not fire for mostly the same moves as one before them from `first` on.

    "Mostly": the moves for which both fire are more than half of those for which one does. The places count from `new`.
    """
    columns = choices.matrix[:, first:]
    both = (columns.T @ columns).toarray()
    fires = np.diag(both)
    alike = 2 * both > fires[:, None] + fires - both
    kept = list(range(new - first))
    for number in range(new - first, len(both)):
        if not alike[number, kept].any():
            kept.append(number)
    return np.array(kept[new - first :], dtype=np.int64) - (new - first)


def seek_restrictions(
    scores: GroupScores, features: Sequence[int], held: NDArray[np.bool_], limits: SoftmaxConfig
) -> list[Restriction]:
    """Find for each of some features the one or two items that would add most to the fit, largest gain first.

    Args:
        scores: of all choices about all features of the fit.
        features: those for which items are sought; there may be none for some of them.
        held: `held[choice, item]` says which items hold in the state of a choice.
        limits: the least number of choices, the least |z|, and the penalty λ.
    """
    if not len(features) or not held.shape[1]:
        return []
    measures = _measures(scores, features)
    found: list[tuple[float, Restriction]] = []
    for number, (feature, alone) in enumerate(zip(features, _sums_of_items(measures, held), strict=True)):
        best = np.argsort(-np.abs(alone.z()), kind="stable")[:_PAIRED]
        together = _sums_of_pairs([measure[number] for measure in measures], held[:, best])
        single, pair = alone.gain(limits), np.triu(together.gain(limits), 1)
        gain = float(max(single.max(initial=0.0), pair.max(initial=0.0)))
        if gain <= 0:
            continue
        items: Items = (int(np.argmax(single)),)
        if pair.max() > single.max():
            items = tuple(sorted(int(best[place]) for place in np.unravel_index(np.argmax(pair), pair.shape)))
        found.append((gain, Restriction(feature, items)))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [restriction for _, restriction in found]


def _measures(scores: GroupScores, features: Sequence[int]) -> list[csr_matrix]:
    """Return what `_Sums` sums as matrices [feature, choice] in fixed point, in the order of its fields."""
    score, information, fires = (each[list(features)] for each in scores)
    return [(each * _FIXED_POINT).rint() for each in (score, score.multiply(score).tocsr(), information, fires)]


def _sums_of_items(measures: Sequence[csr_matrix], held: NDArray[np.bool_]) -> Iterator[_Sums]:
    """Yield for each feature the sums of all items."""
    chunks = [held[:, first : first + _AT_ONCE].astype(np.float64) for first in range(0, held.shape[1], _AT_ONCE)]
    sums = [np.hstack([measure @ chunk for chunk in chunks]) / _FIXED_POINT for measure in measures]
    for feature in range(measures[0].shape[0]):
        yield _Sums(*(each[feature] for each in sums))


def _sums_of_pairs(rows: Sequence[csr_matrix], held: NDArray[np.bool_]) -> _Sums:
    """Return [item, item] sums of one feature for all pairs of items."""
    sums = []
    for row in rows:
        present = held[row.indices].astype(np.float64)
        sums.append((present.T * row.data) @ present / _FIXED_POINT)
    return _Sums(*sums)
