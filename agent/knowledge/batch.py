"""Many (state, move) pairs, and the features that fire for them (mining reads these)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agent.knowledge.enumeration import Enumeration
from agent.knowledge.features import FEATURE_CLASSES, NO_FEATURE, Feature
from agent.knowledge.geometry import NOWHERE, OFF_BOARD, Geometry
from agent.knowledge.position import occupant_codes

__all__ = ["BatchView", "FeatureMatrix", "MoveBatch", "occurrences"]


@dataclass(frozen=True, eq=False)
class MoveBatch:
    """(state, move) pairs; `row` is the move of a pair, made or merely possible."""

    states: NDArray[np.uint64]  # [state, word] packed
    last_rows: NDArray[np.int32]  # [state, role] rows of the joint move that led here, -1 before the first move
    state_index: NDArray[np.int32]  # [sample]
    row: NDArray[np.int32]  # [sample] global row

    def __post_init__(self) -> None:
        if len(self.states) != len(self.last_rows) or self.state_index.shape != self.row.shape:
            raise ValueError(
                f"{len(self.states)} states with {len(self.last_rows)} last moves and {len(self.state_index)} state "
                f"indices with {len(self.row)} rows; the numbers must agree"
            )


@dataclass(frozen=True, eq=False)
class BatchView:
    """A batch seen on its board."""

    batch: MoveBatch
    geometry: Geometry

    @property
    def n_samples(self) -> int:
        """Number of pairs."""
        return len(self.batch.row)

    @property
    def state_index(self) -> NDArray[np.int32]:
        """[sample] index into states."""
        return self.batch.state_index

    @property
    def row(self) -> NDArray[np.int32]:
        """[sample] global row of the move."""
        return self.batch.row

    @cached_property
    def target(self) -> NDArray[np.int32]:
        """[sample] point that the move targets, NOWHERE without."""
        return self.geometry.move_target[self.batch.row]

    @cached_property
    def occupants(self) -> NDArray[np.uint8]:
        """[state, point + 1] occupant codes; the last column is off the board."""
        return occupant_codes(self.geometry, self.batch.states, OFF_BOARD)

    @cached_property
    def last_targets(self) -> NDArray[np.int32]:
        """[state, role] points that the last joint move targeted, NOWHERE without."""
        rows = self.batch.last_rows
        return np.where(rows >= 0, self.geometry.move_target[rows], np.int32(NOWHERE))


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """A sparse 0/1 matrix of samples and features, by rows."""

    features: tuple[Feature, ...]
    start: NDArray[np.int64]  # [sample + 1] into ids
    ids: NDArray[np.int32]  # features that fire for the sample, ascending

    def samples_with(self, features: Sequence[Feature]) -> list[NDArray[np.int64]]:
        """Samples for which each of some features fires, ascending; none for a feature that is not in the matrix."""
        order = np.argsort(self.ids, kind="stable")
        by_feature = np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))[order]
        bounds = np.searchsorted(self.ids[order], np.arange(len(self.features) + 1))
        samples = dict(zip(self.features, np.split(by_feature, bounds[1:])[:-1], strict=True))
        return [samples.get(each, by_feature[:0]) for each in features]

    def of_sample(self, sample: int) -> tuple[Feature, ...]:
        """Features that fire for a sample."""
        return tuple(self.features[index] for index in self.ids[self.start[sample] : self.start[sample + 1]].tolist())


def occurrences(
    batch: MoveBatch,
    geometry: Geometry,
    classes: Sequence[type[Feature]] = FEATURE_CLASSES,
    enumeration: Enumeration | None = None,
) -> FeatureMatrix:
    """Enumerate all instances of feature classes that fire in a batch.

    The order of the features depends on the classes and the features alone, not on the order of the samples.
    """
    view = BatchView(batch, geometry)
    features: list[Feature] = []
    columns: list[NDArray[np.int32]] = [np.empty((view.n_samples, 0), dtype=np.int32)]
    for feature_class in classes:
        instances = feature_class.instances(view, enumeration or Enumeration())
        columns.append(np.where(instances.ids == NO_FEATURE, NO_FEATURE, instances.ids + np.int32(len(features))))
        features.extend(instances.features)
    ids = np.concatenate(columns, axis=1)
    fires = ids != NO_FEATURE
    start = np.zeros(view.n_samples + 1, dtype=np.int64)
    np.cumsum(fires.sum(axis=1), out=start[1:])
    return FeatureMatrix(tuple(features), start, ids[fires])
