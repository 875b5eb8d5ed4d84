"""The feature classes, and the features that fire for many (state, move) pairs.

The classes of this package have a file each beside this one. A package elsewhere adds a class of its own by an entry
point of the group `gdl_miner.features`, which has the name of the class's XML element:

    [project.entry-points."gdl_miner.features"]
    FeatureCrowd = "crowd:FeatureCrowd"

A class of another package is loaded where a configuration or a knowledge file names it, and not before. So its module
may import this package.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
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
from gdl_miner.agent.plugins import plugin_named

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


_OWN = {each.element: each for each in FEATURE_CLASSES}
_UNKNOWN_COLOUR = "#8c8c8c"  # of a class whose package is not here


def feature_class(name: str) -> type[Feature]:
    """Return the feature class with this XML element, of this package or of another one.

    Raises ConfigError where there is none, or its package cannot be loaded or has no such class.
    """
    if name in _OWN:
        return _OWN[name]
    plugin = plugin_named("feature", name)
    loaded: Any = plugin.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Feature) and getattr(loaded, "element", "") == name):
        raise plugin.refused("is no Feature whose XML element has this name")
    return loaded


def class_colours(others: Iterable[str] = ()) -> dict[str, str]:
    """Return the colour in diagrams of every feature class of this package and of these others, by name.

    Classes whose packages are not here are grey.
    """
    return {each.element: each.colour for each in FEATURE_CLASSES} | {name: _colour_of(name) for name in others}


def _colour_of(name: str) -> str:
    try:
        return feature_class(name).colour
    except ConfigError:
        return _UNKNOWN_COLOUR


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
    """Enumerate all instances of feature classes that fire in a batch; without `classes`, of those of this package.

    The order of the features depends on the classes and the features alone, not on the order of the samples.
    """
    view = BatchView(batch, geometry)
    features: list[Feature] = []
    columns: list[NDArray[np.int32]] = [np.empty((view.n_samples, 0), dtype=np.int32)]
    for each in FEATURE_CLASSES if classes is None else classes:
        instances = each.instances(view, enumeration or Enumeration())
        columns.append(np.where(instances.ids == NO_FEATURE, NO_FEATURE, instances.ids + np.int32(len(features))))
        features.extend(instances.features)
    ids = np.concatenate(columns, axis=1)
    fires = ids != NO_FEATURE
    start = np.zeros(view.n_samples + 1, dtype=np.int64)
    np.cumsum(fires.sum(axis=1), out=start[1:])
    return FeatureMatrix(tuple(features), start, ids[fires])
