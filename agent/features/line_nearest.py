"""The K nearest pieces on the line through the target along one dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.features.feature import (
    Feature,
    Instances,
    decode_pieces,
    encode_pieces,
    first_pieces,
    number_keys,
    pieces_misfit,
    read_pieces,
)
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.picture import draw_row
from gdl_miner.agent.files.elements import Display, Element, add_child, read_integer
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, Position, Symmetry

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureRelDimKNearest(Feature):
    """These are the K nearest pieces on the line through the target along one dimension, in order of distance.

    The line runs both ways from the target, which is left out; of two equally near fields the one with the smaller
    coordinate comes first. With fewer than K pieces on the line it never fires.
    """

    element: ClassVar[str] = "FeatureRelDimKNearest"
    children: ClassVar[Mapping[str, str]] = {"Dimension": "Dimension", "K": "NumberOfPieces", "Pieces": "Term"}
    colour: ClassVar[str] = "#c9a6e0"
    dimension: int  # 1 is the first
    pieces: tuple[str, ...]  # nearest first; K of them

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        target = position.target(row)
        geometry = position.geometry
        if target == NOWHERE or self.dimension > geometry.dimensions:
            return False
        away = np.delete(geometry.points - geometry.points[target], self.dimension - 1, axis=1)
        line = [point for point in position.others_by_distance(target) if not away[point].any()]
        found = [position.occupants[point] for point in line if position.occupants[point] != EMPTY]
        return tuple(geometry.pieces[code - 1] for code in found[: len(self.pieces)]) == self.pieces

    def write(self, element: Element, display: Display) -> None:
        """Append Dimension, K and Pieces."""
        add_child(element, "Dimension", str(self.dimension))
        add_child(element, "K", str(len(self.pieces)))
        add_child(element, "Pieces", " ".join(display(piece) for piece in self.pieces))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Dimension, K and Pieces."""
        return cls(read_integer(element, "Dimension"), read_pieces(element))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return f"nearest along dimension {self.dimension}: {', '.join(map(display, self.pieces))}"

    def draw(self, itemset: Itemset | None, geometry: Geometry) -> str:
        """Draw the target and the pieces in a row; with an itemset, the board of the itemset."""
        return draw_row(self.pieces, geometry) if itemset is None else super().draw(itemset, geometry)

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the board does not have the dimension or a piece."""
        if not 1 <= self.dimension <= geometry.dimensions:
            return f"the board has {geometry.dimensions} dimensions, not dimension {self.dimension}; count from 1"
        return pieces_misfit(geometry, self.pieces)

    def image(self, symmetry: Symmetry) -> FeatureRelDimKNearest:
        """Return the images of the pieces on the image of the line; of two equally near ones, the order stays."""
        dimension = symmetry.axes.index(self.dimension - 1)
        return FeatureRelDimKNearest(dimension + 1, tuple(map(symmetry.piece, self.pieces)))

    def renamed(self, pieces: Mapping[str, str]) -> FeatureRelDimKNearest:
        """Return the feature with other pieces."""
        return FeatureRelDimKNearest(self.dimension, tuple(pieces[each] for each in self.pieces))

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the sequence to the native tables."""
        codes = tuple(plan.geometry.piece_code[piece] for piece in self.pieces)
        plan.on_line(self.dimension - 1, codes, hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one sequence for each dimension and K per sample."""
        geometry = view.geometry
        dimensions = range(geometry.dimensions if geometry.has_rows else 0)
        cases = [(dimension, k) for dimension in dimensions for k in enumeration.line_k]
        if not cases:
            return Instances.none(view.n_samples)
        found = [first_pieces(view, geometry.lines[dimension], max(enumeration.line_k)) for dimension in dimensions]
        columns = [encode_pieces(found[dimension][:, :k], len(geometry.pieces)) for dimension, k in cases]

        def make(column: int, key: int) -> Feature:
            dimension, k = cases[column]
            return cls(dimension + 1, decode_pieces(geometry, key, k))

        return number_keys(columns, enumeration.min_count, make)
