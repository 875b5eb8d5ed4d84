"""A metafact: some piece of a kind is on the border of the board."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.itemset import Item
from gdl_miner.agent.files.elements import Display, Element, add_child, read_term
from gdl_miner.agent.geometry import NOWHERE, Geometry, Symmetry


@dataclass(frozen=True)
class MetafactOnBorder(Item):
    """The statement that a piece of this kind is on some field of the border."""

    element: ClassVar[str] = "MetafactOnBorder"
    children: ClassVar[Mapping[str, str]] = {"Piece": "Term"}
    piece: str

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the facts that put the piece on the border; one of them must hold."""
        outside = ((geometry.points == geometry.low) | (geometry.points == geometry.high)).any(axis=1)
        found = (geometry.fluent_point != NOWHERE) & (geometry.fluent_piece == geometry.piece_code[self.piece])
        return np.flatnonzero(found & np.append(outside, False)[geometry.fluent_point]).astype(np.int32)

    @classmethod
    def every(cls, geometry: Geometry) -> list[Self]:
        """Return the metafacts of a game: one for each piece, none without a board."""
        return [each for each in map(cls, geometry.pieces) if len(each.fluents(geometry))]

    def misfit(self, geometry: Geometry) -> str | None:
        """Return why the metafact is not one of the game."""
        return None if self in self.every(geometry) else f"no {self.piece} can be on a border; remove the metafact"

    def image(self, symmetry: Symmetry) -> Item:
        """Return the same of the piece's image; the border of a board is its own image."""
        return type(self)(symmetry.piece(self.piece))

    def words(self, display: Display) -> str:
        """Return the statement in words."""
        return f"{display(self.piece)} is on the border"

    def write(self, element: Element, display: Display) -> None:
        """Append Piece."""
        add_child(element, "Piece", display(self.piece))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Piece."""
        return cls(read_term(element, "Piece"))
