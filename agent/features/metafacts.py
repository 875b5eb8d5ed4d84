"""Metafacts: statements about a state that summarise several facts (thesis 4.2.4)."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.item import Item
from gdl_miner.agent.files.elements import (
    Display,
    Element,
    add_child,
    format_number,
    read_integer,
    read_integers,
    read_numbers,
    read_term,
)
from gdl_miner.agent.geometry import EMPTY, Geometry, Position, Symmetry
from gdl_miner.agent.geometry.areas import area_image, area_misfit, points_in_area

__all__ = ["METAFACT_CLASSES", "MetafactAnyPieceInField", "MetafactPieceInArea"]


@dataclass(frozen=True)
class MetafactAnyPieceInField(Item):
    """The statement that some piece of any kind is on a field."""

    element: ClassVar[str] = "MetafactAnyPieceInField"
    position: tuple[int, ...]

    def holds(self, position: Position) -> bool:
        """Plain definition: whether the field is occupied."""
        point = position.geometry.point_index.get(self.position)
        return point is not None and position.occupants[point] != EMPTY

    def write(self, element: Element, display: Display) -> None:
        """Append the Position element."""
        add_child(element, "Position", " ".join(str(x) for x in self.position))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read the Position element."""
        return cls(read_integers(element, "Position"))

    def misfit(self, geometry: Geometry) -> str | None:
        """The board must have the field."""
        if self.position in geometry.point_index:
            return None
        return f"the board has no field {' '.join(map(str, self.position))}; write one of its fields"

    def image(self, symmetry: Symmetry) -> "MetafactAnyPieceInField":
        """Return the same statement about the image of the field."""
        geometry = symmetry.geometry
        point = symmetry.points[geometry.point_index[self.position]]
        return MetafactAnyPieceInField(tuple(geometry.points[point].tolist()))

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents that put a piece on the field."""
        return np.flatnonzero(geometry.fluent_point == geometry.point_index[self.position]).astype(np.int32)

    @classmethod
    def every(cls, geometry: Geometry) -> list[Self]:
        """Return one metafact for each field."""
        return [cls(point) for point in geometry.point_index]


@dataclass(frozen=True)
class MetafactPieceInArea(Item):
    """The statement that a piece is on some field of an area."""

    element: ClassVar[str] = "MetafactPieceInArea"
    size: int
    corner: tuple[float, ...]  # lowest coordinates of the area
    piece: str

    def holds(self, position: Position) -> bool:
        """Plain definition: whether a fluent that holds puts the piece into the area."""
        geometry = position.geometry
        inside = set(points_in_area(geometry, self.corner, self.size))
        return any(
            int(geometry.fluent_point[fluent]) in inside
            and geometry.pieces[int(geometry.fluent_piece[fluent]) - 1] == self.piece
            for fluent in position.facts
        )

    def write(self, element: Element, display: Display) -> None:
        """Append the elements AreaSize, AreaDimensions (the lowest coordinates) and Piece."""
        add_child(element, "AreaSize", str(self.size))
        add_child(element, "AreaDimensions", " ".join(format_number(x) for x in self.corner))
        add_child(element, "Piece", display(self.piece))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read the elements AreaSize, AreaDimensions and Piece."""
        size, corner = read_integer(element, "AreaSize"), read_numbers(element, "AreaDimensions")
        return cls(size, corner, read_term(element, "Piece"))

    def misfit(self, geometry: Geometry) -> str | None:
        """The board must have the dimensions, the area and the piece."""
        return area_misfit(geometry, self.corner, self.size, self.piece)

    def image(self, symmetry: Symmetry) -> "MetafactPieceInArea":
        """Return the same statement about the image of the area and of the piece."""
        corner = area_image(self.corner, self.size, symmetry)
        return MetafactPieceInArea(self.size, corner, symmetry.piece(self.piece))

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents that put the piece into the area."""
        inside = np.isin(geometry.fluent_point, points_in_area(geometry, self.corner, self.size))
        piece = geometry.fluent_piece == geometry.piece_code[self.piece]
        return np.flatnonzero(inside & piece).astype(np.int32)

    @classmethod
    def every(cls, geometry: Geometry) -> list[Self]:
        """Return one metafact for each area and each piece that can be in it; boards without rows have no areas."""
        if not geometry.has_rows:
            return []
        size = geometry.area_size
        found = [cls(size, corner, piece) for corner in geometry.areas for piece in geometry.pieces]
        return [metafact for metafact in found if len(metafact.fluents(geometry))]


METAFACT_CLASSES: tuple[type[Item], ...] = (MetafactAnyPieceInField, MetafactPieceInArea)
