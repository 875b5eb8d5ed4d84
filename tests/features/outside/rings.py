"""A feature class of another package: how far the target of a move is from the nearest border."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.batch import BatchView, Enumeration
from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.features.plan import Hit, PlanBuilder
from gdl_miner.agent.files.elements import Display, Element, add_child, read_integer
from gdl_miner.agent.geometry import NOWHERE, Geometry, Position


@dataclass(frozen=True)
class FeatureRing(Feature):
    """The target of the move is so many fields from the nearest border. Symmetries of the board keep this distance."""

    element: ClassVar[str] = "FeatureRing"
    children: ClassVar[Mapping[str, str]] = {"Ring": "Count"}
    colour: ClassVar[str] = "#b07aa1"
    ring: int  # 0: on the border

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the target is on the ring."""
        target = position.target(row)
        return target != NOWHERE and _rings(position.geometry)[target] == self.ring

    def write(self, element: Element, display: Display) -> None:
        """Append Ring."""
        add_child(element, "Ring", str(self.ring))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Ring."""
        return cls(read_integer(element, "Ring"))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return f"onto ring {self.ring}"

    def mark(self, picture: Picture) -> None:
        """Shade the ring."""
        rings = _rings(picture.geometry)
        picture.shaded |= {picture.points[place] for place in np.flatnonzero(rings == self.ring).tolist()}

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the board has no such ring."""
        return None if self.ring in _rings(geometry) else f"the board has no ring {self.ring}; count from 0"

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the moves onto the ring to the native tables; the state does not matter."""
        plan.on_rows(np.flatnonzero(_rings_of_moves(plan.geometry) == self.ring), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find the ring of each sample's target."""
        return number_keys([_rings_of_moves(view.geometry)[view.row]], enumeration.min_count, lambda _, key: cls(key))


def _rings(geometry: Geometry) -> NDArray[np.int64]:
    """[point] distance from the nearest border, NOWHERE on boards without borders."""
    if not geometry.borders:
        return np.full(geometry.n_points, NOWHERE, dtype=np.int64)
    coordinates = geometry.points[:, list(geometry.borders)]
    return np.minimum(coordinates - geometry.low, geometry.high - coordinates).min(axis=1).astype(np.int64)


def _rings_of_moves(geometry: Geometry) -> NDArray[np.int64]:
    """[row] ring of the target of every move, NOWHERE without a target."""
    return np.append(_rings(geometry), NOWHERE)[geometry.move_target]
