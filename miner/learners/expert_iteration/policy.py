"""The apprentice's policy: the softmax of a linear function of features (Soemers, Piette & Browne 2019, (1), (2))."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, WeightedFeature
from gdl_miner.miner.mining import elementary
from gdl_miner.miner.mining.sharing import canonical
from gdl_miner.miner.mining.softmax import Vector

_DIGITS = 4  # decimals of a weight in a knowledge file


def log_softmax(values: Vector, start: NDArray[np.int64]) -> Vector:
    """Return the logarithms of the softmax of each group; group g has the values from start[g] to start[g + 1].

    No group is empty.
    """
    sizes = np.diff(start)
    shifted = values - np.repeat(np.maximum.reduceat(values, start[:-1]), sizes)
    totals = np.add.reduceat(elementary.exp(shifted), start[:-1])
    logarithms: Vector = shifted - np.repeat(elementary.log(totals), sizes)
    return logarithms


@dataclass(frozen=True, eq=False)
class SoftmaxPolicy:
    """Features with weights, by role; a role that shares another's features has none of its own."""

    features: tuple[tuple[Feature, ...], ...]  # [role]
    weights: tuple[Vector, ...]  # [role] one for each feature
    velocities: tuple[Vector, ...]  # [role] what momentum keeps of earlier changes of the weights

    @classmethod
    def new(cls, features: Sequence[Sequence[Feature]]) -> SoftmaxPolicy:
        """Return the policy whose weights are all 0, which is uniform."""
        return cls(
            tuple(map(tuple, features)),
            tuple(np.zeros(len(each)) for each in features),
            tuple(np.zeros(len(each)) for each in features),
        )

    @classmethod
    def of_lists(
        cls, winning: Sequence[Sequence[WeightedFeature]], losing: Sequence[Sequence[WeightedFeature]]
    ) -> SoftmaxPolicy:
        """Return the policy whose features with positive weights are winning, and with negative weights losing."""
        return cls(
            tuple(tuple(each.feature for each in (*won, *lost)) for won, lost in zip(winning, losing, strict=True)),
            tuple(
                np.array([*(each.weight for each in won), *(-each.weight for each in lost)], np.float64)
                for won, lost in zip(winning, losing, strict=True)
            ),
            tuple(np.zeros(len(won) + len(lost)) for won, lost in zip(winning, losing, strict=True)),
        )

    @property
    def n_features(self) -> int:
        """The number of features of all roles."""
        return sum(map(len, self.features))

    def grown(self, added: Sequence[Sequence[Feature]]) -> SoftmaxPolicy:
        """Return the policy with further features, by role, whose weights are 0."""
        return SoftmaxPolicy(
            tuple((*old, *new) for old, new in zip(self.features, added, strict=True)),
            tuple(np.append(old, np.zeros(len(new))) for old, new in zip(self.weights, added, strict=True)),
            tuple(np.append(old, np.zeros(len(new))) for old, new in zip(self.velocities, added, strict=True)),
        )

    def pruned(self, kept: int) -> SoftmaxPolicy:
        """Return the policy with the `kept` features of each role whose weights are largest, without their signs."""
        places = [np.sort(np.argsort(-np.abs(weights), kind="stable")[:kept]) for weights in self.weights]
        return SoftmaxPolicy(
            tuple(tuple(own[place] for place in at) for own, at in zip(self.features, places, strict=True)),
            tuple(own[at] for own, at in zip(self.weights, places, strict=True)),
            tuple(own[at] for own, at in zip(self.velocities, places, strict=True)),
        )

    def lists(self, sign: int) -> tuple[tuple[WeightedFeature, ...], ...]:
        """Return [role] the features whose weights have this sign, as a knowledge file has them: largest first."""
        return tuple(_list(own, sign * weights) for own, weights in zip(self.features, self.weights, strict=True))


def _list(features: Sequence[Feature], weights: Vector) -> tuple[WeightedFeature, ...]:
    rounded = [(each, round(weight, _DIGITS)) for each, weight in zip(features, weights.tolist(), strict=True)]
    kept = [WeightedFeature(each, weight) for each, weight in rounded if weight > 0]
    return tuple(sorted(kept, key=lambda each: (-each.weight, canonical(each.feature))))
