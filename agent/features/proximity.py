"""Distance between the last and the current move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.board import Point
from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import Display, Element, ElementError, add_child, format_number, read_number
from gdl_miner.agent.geometry import NOWHERE, Geometry, Position

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureRelEuclidProximity(Feature):
    """The Euclidean distance from the target to the nearest target of the last joint move is this one.

    Never fires before the first move, nor where the move, or every last move, names no field.
    """

    element: ClassVar[str] = "FeatureRelEuclidProximity"
    children: ClassVar[Mapping[str, str]] = {"Distance": "Weight"}
    colour: ClassVar[str] = "#2f6fb2"
    squared: int  # squared distance, so that comparisons are exact

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        target = position.target(row)
        if target == NOWHERE or not position.last_targets:
            return False
        squared = position.geometry.squared_distance[target]
        return min(int(squared[last]) for last in position.last_targets) == self.squared

    def write(self, element: Element, display: Display) -> None:
        """Append Distance, a real number."""
        add_child(element, "Distance", format_number(math.sqrt(self.squared)))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Distance; it is the root of a whole number, three decimals are enough."""
        distance = read_number(element, "Distance")
        squared = round(distance * distance)
        if distance < 0 or abs(math.sqrt(squared) - distance) > 1e-3:
            raise ElementError(element, f"{distance} is no distance between fields", "write the root of a whole number")
        return cls(squared)

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        if self.squared == 0:
            return "where the last move went"
        return f"{self.squared**0.5:.4g} away from the last move"

    def mark(self, picture: Picture) -> None:
        """Mark the fields and pieces that the feature concerns."""
        points = picture.points
        middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]

        def at_distance(centre: Point) -> set[Point]:
            return {point for point in points if _squared(point, centre) == self.squared}

        picture.mark = min(points, key=lambda point: (-len(at_distance(point)), _squared(point, middle), point))
        picture.shaded |= at_distance(picture.mark)

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the game has no board."""
        return None if geometry.n_points else "the game has no board; remove the feature"

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the distance to the native tables."""
        plan.on_distance(self.squared, hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one distance per sample."""
        geometry = view.geometry
        squared = np.full(view.n_samples, NOWHERE, dtype=np.int64)
        if geometry.n_points:
            far = np.iinfo(np.int64).max
            nearest = np.full(view.n_samples, far, dtype=np.int64)
            for role in range(view.last_targets.shape[1]):
                last = view.last_targets[view.state_index, role]
                seen = (last != NOWHERE) & (view.target != NOWHERE)
                distance = geometry.squared_distance[last[seen], view.target[seen]]
                nearest[seen] = np.minimum(nearest[seen], distance)
            squared = np.where(nearest == far, NOWHERE, nearest)
        return number_keys([squared], enumeration.min_count, lambda _, key: cls(key))


def _squared(point: Sequence[float], other: Sequence[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(point, other, strict=True))
