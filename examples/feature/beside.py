"""A feature class: the target of a move is beside a piece of some kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.move_table import MoveTableFeature
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.geometry import Geometry

FARTHEST = 2  # squared distance of fields that touch at a side or a corner


@dataclass(frozen=True)
class FeatureBeside(MoveTableFeature):
    """The target of the move touches a field with a piece of this kind."""

    element: ClassVar[str] = "FeatureBeside"
    colour: ClassVar[str] = "#59a14f"

    @classmethod
    def terms(cls, geometry: Geometry) -> Iterable[str]:
        """Return the pieces; games without a board have none."""
        return geometry.pieces

    def table(self, geometry: Geometry) -> NDArray[np.bool_]:
        """Return [move, fact] whether the fact puts the piece on a field beside the move's target."""
        near = np.zeros((geometry.n_points + 1,) * 2, np.bool_)  # the last row and column are for no field
        near[:-1, :-1] = (geometry.squared_distance > 0) & (geometry.squared_distance <= FARTHEST)
        beside = near[geometry.move_target][:, geometry.fluent_point]
        return np.asarray(beside & (geometry.fluent_piece == geometry.piece_code[self.of]))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return f"beside a piece {display(self.of)}"
