"""The piece of a move and the board area of its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.itemset import point_in_words
from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import (
    Display,
    Element,
    add_child,
    format_number,
    read_integer,
    read_numbers,
    read_term,
)
from gdl_miner.agent.geometry import NOWHERE, Geometry, Position, Symmetry
from gdl_miner.agent.geometry.geometry import in_area

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureAbsPieceInArea(Feature):
    """The move names this piece, or none if `piece` is None, and its target lies in this area."""

    element: ClassVar[str] = "FeatureAbsPieceInArea"
    children: ClassVar[Mapping[str, str]] = {
        "AreaSize": "xs:positiveInteger",
        "AreaDimensions": "Coordinates",
        "Piece": "Term?",
    }
    colour: ClassVar[str] = "#8cc9a1"
    size: int
    corner: tuple[float, ...]  # lowest coordinates of the area
    piece: str | None

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        geometry = position.geometry
        target, code = position.target(row), int(geometry.move_piece[row])
        if target == NOWHERE or (None if code < 0 else geometry.pieces[code - 1]) != self.piece:
            return False
        return in_area(tuple(geometry.points[target].tolist()), self.corner, self.size)

    def write(self, element: Element, display: Display) -> None:
        """Append AreaSize, AreaDimensions (the lowest coordinates) and Piece (left out where the move names none)."""
        add_child(element, "AreaSize", str(self.size))
        add_child(element, "AreaDimensions", " ".join(format_number(x) for x in self.corner))
        if self.piece is not None:
            add_child(element, "Piece", display(self.piece))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read AreaSize, AreaDimensions and Piece."""
        piece = None if element.find("Piece") is None else read_term(element, "Piece")
        return cls(read_integer(element, "AreaSize"), read_numbers(element, "AreaDimensions"), piece)

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        moved = f"{display(self.piece)} " if self.piece is not None else ""
        return f"{moved}into the area of size {self.size} at {point_in_words(self.corner)}"

    def mark(self, picture: Picture) -> None:
        """Mark the fields and pieces that the feature concerns."""
        places = picture.geometry.points_in_area(self.corner, self.size)
        picture.shaded |= {picture.points[place] for place in places}
        if self.piece is not None and places:
            picture.pieces[picture.points[places[0]]] = self.piece

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the board does not have the dimensions or the piece."""
        return geometry.area_misfit(self.corner, self.size, self.piece)

    def image(self, symmetry: Symmetry) -> FeatureAbsPieceInArea:
        """Return the image of the piece in the image of the area."""
        piece = None if self.piece is None else symmetry.piece(self.piece)
        return FeatureAbsPieceInArea(self.size, symmetry.area(self.corner, self.size), piece)

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the moves to the native tables; the state does not matter."""
        geometry = plan.geometry
        inside = np.zeros(geometry.n_points + 1, dtype=np.bool_)  # the last stands for moves without a target
        inside[geometry.points_in_area(self.corner, self.size)] = True
        code = -1 if self.piece is None else geometry.piece_code[self.piece]
        plan.on_rows(np.flatnonzero(inside[geometry.move_target] & (geometry.move_piece == code)), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one piece and area per sample; boards without rows have no areas."""
        geometry = view.geometry
        if not geometry.has_rows:
            return Instances.none(view.n_samples)
        stride = len(geometry.pieces) + 1
        area = np.append(geometry.point_area, NOWHERE)[view.target].astype(np.int64)
        code = np.maximum(geometry.move_piece[view.row].astype(np.int64), 0)
        keys = np.where(view.target == NOWHERE, NOWHERE, area * stride + code)

        def make(_: int, key: int) -> Feature:
            number = key % stride
            piece = geometry.pieces[number - 1] if number else None
            return cls(geometry.area_size, geometry.areas[key // stride], piece)

        return number_keys([keys], enumeration.min_count, make)
