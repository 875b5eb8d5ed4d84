"""Distance between the target and one border of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import (
    Display,
    Element,
    ElementError,
    add_child,
    child_text,
    format_number,
    read_integer,
    read_number,
)
from gdl_miner.agent.geometry import NOWHERE, Geometry, Position, Symmetry

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureAbsEuclidBorderDist(Feature):
    """The distance from the target to the lower or upper border in one dimension is this one."""

    element: ClassVar[str] = "FeatureAbsEuclidBorderDist"
    children: ClassVar[Mapping[str, str]] = {"Distance": "Weight", "Lower": "Boolean", "Dimension": "Dimension"}
    colour: ClassVar[str] = "#79b4e3"
    distance: float
    lower: bool  # the border at dmin, else the one at dmax
    dimension: int  # 1 is the first

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        target = position.target(row)
        geometry = position.geometry
        if target == NOWHERE or self.dimension > geometry.dimensions:
            return False
        coordinate = int(geometry.points[target, self.dimension - 1])
        return self.distance == (coordinate - geometry.low if self.lower else geometry.high - coordinate)

    def write(self, element: Element, display: Display) -> None:
        """Append Distance, Lower (True or False) and Dimension."""
        add_child(element, "Distance", format_number(self.distance))
        add_child(element, "Lower", str(self.lower))
        add_child(element, "Dimension", str(self.dimension))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Distance, Lower and Dimension."""
        child, lower = child_text(element, "Lower")
        if lower.lower() not in ("true", "false"):
            raise ElementError(child, f"<Lower> holds '{lower}'", "write True or False")
        return cls(read_number(element, "Distance"), lower.lower() == "true", read_integer(element, "Dimension"))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        border = "lower" if self.lower else "upper"
        where = "at" if self.distance == 0 else f"{self.distance:.4g} from"
        return f"{where} the {border} border in dimension {self.dimension}"

    def mark(self, picture: Picture) -> None:
        """Mark the fields and pieces that the feature concerns."""
        geometry = picture.geometry
        line = geometry.low + self.distance if self.lower else geometry.high - self.distance
        picture.shaded |= {point for point in picture.points if point[self.dimension - 1] == line}

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the board does not have the dimension."""
        if 1 <= self.dimension <= geometry.dimensions:
            return None
        return f"the board has {geometry.dimensions} dimensions, not dimension {self.dimension}; count from 1"

    def image(self, symmetry: Symmetry) -> FeatureAbsEuclidBorderDist:
        """Return the distance to the image of the border."""
        geometry, dimension = symmetry.geometry, symmetry.axes.index(self.dimension - 1)
        original = geometry.low + self.distance if self.lower else geometry.high - self.distance
        coordinate = symmetry.coordinate(dimension, original)
        lower = self.lower != symmetry.flips[dimension]
        distance = coordinate - geometry.low if lower else geometry.high - coordinate
        return FeatureAbsEuclidBorderDist(distance, lower, dimension + 1)

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the moves to the native tables; the state does not matter."""
        distances = _distances(plan.geometry, self.dimension - 1, self.lower)
        plan.on_rows(np.flatnonzero(distances == self.distance), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one distance to each border per sample."""
        borders = [(dimension, lower) for dimension in view.geometry.borders for lower in (True, False)]
        if not borders:
            return Instances.none(view.n_samples)
        known: list[NDArray[np.float64]] = []
        columns: list[NDArray[np.int64]] = []
        for dimension, lower in borders:
            distances = _distances(view.geometry, dimension, lower)
            values = np.unique(distances[~np.isnan(distances)])
            known.append(values)
            keys = np.where(np.isnan(distances), NOWHERE, np.searchsorted(values, distances))
            columns.append(keys[view.row].astype(np.int64))

        def make(column: int, key: int) -> Feature:
            dimension, lower = borders[column]
            return cls(float(known[column][key]), lower, dimension + 1)

        return number_keys(columns, enumeration.min_count, make)


def _distances(geometry: Geometry, dimension: int, lower: bool) -> NDArray[np.float64]:
    """[row] distance of each move's target to a border, NaN without a target."""
    distances = np.full(len(geometry.moves), np.nan)
    targeted = geometry.move_target != NOWHERE
    coordinates = geometry.points[geometry.move_target[targeted], dimension].astype(np.float64)
    distances[targeted] = coordinates - geometry.low if lower else geometry.high - coordinates
    return distances
