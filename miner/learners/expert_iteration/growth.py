"""Growth of a policy: two features that fire together become one (Soemers, Piette & Browne 2019, section IV-B).

The error of a pair of state and move is the probability that the expert gives the move less the one that the apprentice
gives it. Features are looked for where errors are large.

Patterns alone can be merged. An instance is a pattern, or one of its images under the symmetries that keep the role.
All patterns are laid around the target of the move, so an instance needs no other anchor.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from gdl_miner.agent.features import FeatureRelPattern
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.patterns import merge
from gdl_miner.miner.mining.activity import FeatureImages, find_activity
from gdl_miner.miner.mining.sharing import FeatureSharing
from gdl_miner.miner.mining.softmax import Vector

GrowthKind = Literal["correlation", "combine max", "combine random", "add random", "held out", "none"]
GROWTHS: tuple[GrowthKind, ...] = ("correlation", "combine max", "combine random", "add random", "held out", "none")

_ATTEMPTS = 2000  # pairs drawn, at most, for the features of one growth

_Pair = tuple[FeatureRelPattern, FeatureRelPattern]


class Candidates(NamedTuple):
    """Pairs of instances that fire together, each with its score."""

    one: NDArray[np.int64]  # [pair] number of the first instance among those asked for
    other: NDArray[np.int64]  # [pair] number of an instance
    score: Vector  # [pair]


def correlation_scores(activity: csr_matrix, firsts: NDArray[np.int64], errors: Vector) -> Candidates:
    """Score pairs of instances by (7): |r(error, both fire)| · (1 - the larger of r(both fire, one of them fires)).

    Args:
        activity: [sample, instance] 1 where an instance fires.
        firsts: the instances that are paired with all others.
        errors: [sample]

    Returns:
        The pairs that fire together for some samples and not for all, with a score above 0; correlations with what
        always fires are 0.
    """
    n = activity.shape[0]
    firing = csr_matrix(activity[:, firsts].T)
    both = (firing @ activity).tocoo()
    weighed = csr_matrix(firing @ activity.multiply(errors[:, None]))
    count = both.data
    varied = (firsts[both.row] != both.col) & (count < n)
    one, other, count = both.row[varied], both.col[varied], count[varied]
    error_sum = np.asarray(weighed[one, other]).reshape(-1)
    share, fired = count / n, np.asarray(activity.sum(axis=0)).reshape(-1) / n
    mean = float(np.add.reduce(errors)) / n
    variance = float(np.add.reduce((errors - mean) ** 2)) / n
    if variance == 0 or not len(one):
        nothing = np.zeros(0, np.int64)
        return Candidates(nothing, nothing, np.zeros(0))
    with_error = np.abs(error_sum / n - share * mean) / np.sqrt(share * (1 - share) * variance)
    with_parts = [np.sqrt(share * (1 - part) / (part * (1 - share))) for part in (fired[firsts[one]], fired[other])]
    score = with_error * (1 - np.maximum(*with_parts))
    kept = score > 0
    return Candidates(one[kept].astype(np.int64), other[kept].astype(np.int64), score[kept])


@dataclass(frozen=True, eq=False)
class PatternGrowth:
    """The patterns of a role, and the examples in which pairs of them are looked for."""

    patterns: Sequence[FeatureRelPattern]
    weights: Vector  # [pattern]
    role: int
    sharing: FeatureSharing
    machine: Machine
    examples: Experience
    errors: Vector  # [alternative of the examples]

    def grow(self, kind: GrowthKind, count: int, dice: random.Random) -> tuple[FeatureRelPattern, ...]:
        """Return at most `count` patterns that the role does not have; fewer where no others are found.

        Of a pattern and its images only one is there. `dice` decides what the strategy leaves to chance.
        """
        if kind == "none" or count == 0 or not len(self.examples) or not self.patterns:
            return ()
        geometry = geometry_of(self.machine)
        present, added = set(self.patterns), []
        for one, other in self._pairs(kind, dice):
            merged = self.sharing.representative(merge(one, other, geometry), self.role)
            assert isinstance(merged, FeatureRelPattern)
            if merged not in present:
                present.add(merged)
                added.append(merged)
                if len(added) == count:
                    break
        return tuple(added)

    def _pairs(self, kind: GrowthKind, dice: random.Random) -> Iterator[_Pair]:
        if kind in ("correlation", "held out"):
            return self._correlated()
        pairs = self._anywhere(dice) if kind == "add random" else self._at_largest_errors(kind, dice)
        return itertools.islice(pairs, _ATTEMPTS)

    @cached_property
    def _images(self) -> FeatureImages:
        return FeatureImages.of(self.patterns, self.role, self.sharing)

    def _activity(self, examples: Experience) -> csr_matrix:
        return find_activity(self._images.instances, self.role, self.machine, examples.batch(len(self.machine.roles)))

    def _pair(self, one: int, other: int) -> _Pair:
        first, second = self._images.instances[one], self._images.instances[other]
        assert isinstance(first, FeatureRelPattern)
        assert isinstance(second, FeatureRelPattern)
        return first, second

    def _correlated(self) -> Iterator[_Pair]:
        """Yield the pairs with the largest scores first.

        The examples are seen under all symmetries that keep the role, so that one instance of a pair may be the pattern
        itself: all images of the pair are counted with it.
        """
        views = [self.examples, *(self.examples.image(each) for each in self.sharing.keeping(self.role))]
        activity = csr_matrix(vstack([self._activity(view) for view in views], format="csr"))
        firsts = np.searchsorted(self._images.owners, np.arange(len(self.patterns))).astype(np.int64)
        found = correlation_scores(activity, firsts, np.tile(self.errors, len(views)))
        for place in np.lexsort((found.other, found.one, -found.score)).tolist():
            yield self._pair(int(firsts[found.one[place]]), int(found.other[place]))

    def _anywhere(self, dice: random.Random) -> Iterator[_Pair]:
        """Yield pairs that fire together for alternatives drawn at random."""
        activity = self._activity(self.examples)
        if not (np.diff(activity.indptr) > 1).any():
            return
        while True:
            active = _active(activity, dice.randrange(activity.shape[0]))
            if len(active) > 1:
                yield self._pair(*dice.sample(active, 2))

    def _at_largest_errors(self, kind: GrowthKind, dice: random.Random) -> Iterator[_Pair]:
        """Yield pairs that fire together for the alternative with the largest error, then for those that follow."""
        activity = self._activity(self.examples)
        sizes = np.abs(self.weights)[self._images.owners]
        for sample in np.argsort(-np.abs(self.errors), kind="stable").tolist():
            active = _active(activity, sample)
            if kind == "combine max" and active:
                largest = max(active, key=lambda each: float(sizes[each]))
                pairs = [(largest, each) for each in active if each != largest]
            else:
                pairs = list(itertools.combinations(active, 2))
            dice.shuffle(pairs)
            yield from itertools.starmap(self._pair, pairs)


def _active(activity: csr_matrix, sample: int) -> list[int]:
    found: list[int] = activity.indices[activity.indptr[sample] : activity.indptr[sample + 1]].tolist()
    return found
