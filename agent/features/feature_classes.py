"""The feature classes, and the features that fire for many (state, move) pairs.

The classes of this package have a file each beside this one. A package elsewhere adds a class of its own by an entry
point of the group `gdl_miner.features`, which has the name of the class's XML element:

    [project.entry-points."gdl_miner.features"]
    FeatureCrowd = "crowd:FeatureCrowd"

Classes of other packages are loaded where they are first asked for, so their modules may import this package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.extensions import extension_names, load_extension
from gdl_miner.agent.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.features.batch import BatchView, Enumeration, MoveBatch
from gdl_miner.agent.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.features.feature import NO_FEATURE, Feature
from gdl_miner.agent.features.itemset_only import FeatureItemsetOnly
from gdl_miner.agent.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.features.pattern import FeatureRelPattern
from gdl_miner.agent.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.features.proximity import FeatureRelEuclidProximity
from gdl_miner.agent.geometry import Geometry

_GROUP = "gdl_miner.features"

FEATURE_CLASSES: tuple[type[Feature], ...] = (
    FeatureRelEuclidProximity,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureAbsPieceInArea,
    FeatureRelEuclidKNearest,
    FeatureRelDimKNearest,
    FeatureItemsetOnly,
    FeatureRelPattern,
)


@lru_cache(maxsize=1)
def known_classes() -> tuple[type[Feature], ...]:
    """Return the feature classes of this package, and behind them those of other packages, by name.

    Raises ConfigError where a package that has one cannot be loaded, or does not name a class of its own.
    """
    return (*FEATURE_CLASSES, *map(_of_other_package, extension_names(_GROUP)))


def _of_other_package(name: str) -> type[Feature]:
    loaded: Any
    loaded, place = load_extension(_GROUP, name)
    if not (isinstance(loaded, type) and issubclass(loaded, Feature) and loaded.element == name):
        raise ConfigError(f"{name}: {place} is no Feature with this XML element; mend or uninstall its package")
    if any(each.element == name for each in FEATURE_CLASSES):
        raise ConfigError(
            f"{name}: {place} has the name of a class of this package; rename it, or uninstall its package"
        )
    return loaded


def class_colours() -> dict[str, str]:
    """Return the colour of every feature class in diagrams, by its name."""
    return {each.element: each.colour for each in known_classes()}


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """A sparse 0/1 matrix of samples and features, stored by rows."""

    features: tuple[Feature, ...]
    start: NDArray[np.int64]  # [sample + 1] into ids
    ids: NDArray[np.int32]  # features that fire for the sample, ascending

    def once(self) -> "FeatureMatrix":
        """Return the matrix with every feature at most once for each sample."""
        sample = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        first = np.ones(len(self.ids), dtype=np.bool_)
        first[1:] = (self.ids[1:] != self.ids[:-1]) | (sample[1:] != sample[:-1])
        start = np.concatenate([[0], np.cumsum(np.bincount(sample[first], minlength=len(self.start) - 1))])
        return FeatureMatrix(self.features, start.astype(np.int64), self.ids[first])

    def samples_with(self, features: Sequence[Feature]) -> list[NDArray[np.int64]]:
        """Return, for each given feature, the samples for which it fires, ascending.

        A feature that is not in the matrix has no samples.
        """
        order = np.argsort(self.ids, kind="stable")
        by_feature = np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))[order]
        bounds = np.searchsorted(self.ids[order], np.arange(len(self.features) + 1))
        samples = dict(zip(self.features, np.split(by_feature, bounds[1:])[:-1], strict=True))
        return [samples.get(each, by_feature[:0]) for each in features]


def occurrences(
    batch: MoveBatch,
    geometry: Geometry,
    classes: Sequence[type[Feature]] | None = None,
    enumeration: Enumeration | None = None,
) -> FeatureMatrix:
    """Enumerate all instances of feature classes that fire in a batch; without `classes`, of all that there are.

    The order of the features depends on the classes and the features alone, not on the order of the samples.
    """
    view = BatchView(batch, geometry)
    features: list[Feature] = []
    columns: list[NDArray[np.int32]] = [np.empty((view.n_samples, 0), dtype=np.int32)]
    for feature_class in known_classes() if classes is None else classes:
        instances = feature_class.instances(view, enumeration or Enumeration())
        columns.append(np.where(instances.ids == NO_FEATURE, NO_FEATURE, instances.ids + np.int32(len(features))))
        features.extend(instances.features)
    ids = np.concatenate(columns, axis=1)
    fires = ids != NO_FEATURE
    start = np.zeros(view.n_samples + 1, dtype=np.int64)
    np.cumsum(fires.sum(axis=1), out=start[1:])
    return FeatureMatrix(tuple(features), start, ids[fires])
