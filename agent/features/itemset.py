"""Conjunctions of facts and metafacts that features may carry (thesis 4.2.4, 4.3.3).

A package elsewhere adds a class of metafacts by an entry point of the group `gdl_miner.metafacts`, which has the name
of the class's XML element:

    [project.entry-points."gdl_miner.metafacts"]
    MetafactCorner = "corners:MetafactCorner"
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import (
    Display,
    Element,
    ElementError,
    FileElement,
    add_child,
    format_number,
    read_integer,
    read_integers,
    read_numbers,
    read_term,
    text_term,
)
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, Position, Symmetry
from gdl_miner.agent.plugins import plugin_named
from gdl_miner.agent.reasoner.circuit import pack_states


@dataclass(frozen=True)
class Item(FileElement):
    """A fact or metafact: a statement about a state that holds where at least one of its fluents holds."""

    def holds(self, position: Position) -> bool:
        """Plain definition: whether the statement holds in a position."""
        return not position.facts.isdisjoint(self.fluents(position.geometry).tolist())

    def mark(self, picture: Picture) -> None:
        """Mark the pieces that the statement names."""

    @abstractmethod
    def misfit(self, geometry: Geometry) -> str | None:
        """Return why the statement cannot belong to this game (`what; what to do`), None if it can."""

    @abstractmethod
    def image(self, symmetry: Symmetry) -> Item:
        """Return the same statement about the images of facts, boards and pieces."""

    @abstractmethod
    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents of which at least one must hold."""

    @classmethod
    @abstractmethod
    def every(cls, geometry: Geometry) -> Sequence[Self]:
        """Return all statements of this class about a game, in a canonical order."""


@dataclass(frozen=True)
class Fact(Item):
    """The statement that one fluent holds."""

    element: ClassVar[str] = "Fact"
    children: ClassVar[Mapping[str, str]] = {}
    fluent: str

    def holds(self, position: Position) -> bool:
        """Plain definition: whether the fluent holds."""
        return position.geometry.fluent_index.get(self.fluent) in position.facts

    def write(self, element: Element, display: Display) -> None:
        """Write the fluent as the element's text."""
        element.text = display(self.fluent)

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read the fluent from the element's text."""
        return cls(text_term(element))

    def words(self, display: Display) -> str:
        """Return the statement in words."""
        return display(self.fluent)

    def mark(self, picture: Picture) -> None:
        """Mark the pieces that the statement names."""
        geometry = picture.geometry
        fluent = geometry.fluent_index.get(self.fluent)
        if fluent is not None and geometry.fluent_point[fluent] != NOWHERE:
            piece = geometry.pieces[int(geometry.fluent_piece[fluent]) - 1]
            picture.pieces[picture.points[int(geometry.fluent_point[fluent])]] = piece

    def misfit(self, geometry: Geometry) -> str | None:
        """The game must have the fluent."""
        return None if self.fluent in geometry.fluent_index else f"the game has no fact {self.fluent}; write one it has"

    def image(self, symmetry: Symmetry) -> Fact:
        """Return the image of the fluent."""
        geometry = symmetry.geometry
        return Fact(geometry.fluents[symmetry.fluents[geometry.fluent_index[self.fluent]]])

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluent itself."""
        return np.array([geometry.fluent_index[self.fluent]], dtype=np.int32)

    @classmethod
    def every(cls, geometry: Geometry) -> list[Self]:
        """Return one fact for each fluent."""
        return [cls(fluent) for fluent in geometry.fluents]


@dataclass(frozen=True)
class MetafactAnyPieceInField(Item):
    """The statement that some piece of any kind is on a field."""

    element: ClassVar[str] = "MetafactAnyPieceInField"
    children: ClassVar[Mapping[str, str]] = {"Position": "Coordinates"}
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

    def words(self, display: Display) -> str:
        """Return the statement in words."""
        return f"some piece is on {point_in_words(self.position)}"

    def mark(self, picture: Picture) -> None:
        """Mark the pieces that the statement names."""
        picture.pieces[self.position] = "?"

    def misfit(self, geometry: Geometry) -> str | None:
        """The board must have the field."""
        if self.position in geometry.point_index:
            return None
        return f"the board has no field {' '.join(map(str, self.position))}; write one of its fields"

    def image(self, symmetry: Symmetry) -> MetafactAnyPieceInField:
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
    children: ClassVar[Mapping[str, str]] = {
        "AreaSize": "xs:positiveInteger",
        "AreaDimensions": "Coordinates",
        "Piece": "Term",
    }
    size: int
    corner: tuple[float, ...]  # lowest coordinates of the area
    piece: str

    def holds(self, position: Position) -> bool:
        """Plain definition: whether a fluent that holds puts the piece into the area."""
        geometry = position.geometry
        inside = set(geometry.points_in_area(self.corner, self.size))
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

    def words(self, display: Display) -> str:
        """Return the statement in words."""
        return f"{display(self.piece)} is in the area of size {self.size} at {point_in_words(self.corner)}"

    def mark(self, picture: Picture) -> None:
        """Mark the pieces that the statement names."""
        for place in picture.geometry.points_in_area(self.corner, self.size):
            picture.pieces.setdefault(picture.points[place], self.piece)

    def misfit(self, geometry: Geometry) -> str | None:
        """The board must have the dimensions, the area and the piece."""
        return geometry.area_misfit(self.corner, self.size, self.piece)

    def image(self, symmetry: Symmetry) -> MetafactPieceInArea:
        """Return the same statement about the image of the area and of the piece."""
        corner = symmetry.area(self.corner, self.size)
        return MetafactPieceInArea(self.size, corner, symmetry.piece(self.piece))

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents that put the piece into the area."""
        inside = np.isin(geometry.fluent_point, geometry.points_in_area(self.corner, self.size))
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


ITEM_CLASSES: tuple[type[Item], ...] = (Fact, MetafactAnyPieceInField, MetafactPieceInArea)
_OWN = {each.element: each for each in ITEM_CLASSES}


def item_class(name: str) -> type[Item]:
    """Return the class of facts or metafacts with this XML element, of this package or of another one.

    Raises ConfigError where there is none, or its package cannot be loaded or has no such class.
    """
    if name in _OWN:
        return _OWN[name]
    plugin = plugin_named("metafact", name)
    loaded: Any = plugin.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Item) and getattr(loaded, "element", "") == name):
        raise plugin.refused("is no Item whose XML element has this name")
    return loaded


@dataclass(frozen=True)
class Itemset:
    """Statements that must all hold in the state for a feature to fire."""

    items: tuple[Item, ...]  # at least one

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("an itemset holds at least one item; leave the itemset out instead")

    def holds(self, position: Position) -> bool:
        """Plain definition: whether all items hold."""
        return all(item.holds(position) for item in self.items)

    def words(self, display: Display) -> str:
        """Return the statements in words."""
        return " and ".join(item.words(display) for item in self.items)

    def image(self, symmetry: Symmetry) -> Itemset:
        """Return the images of the items, in their order."""
        return Itemset(tuple(item.image(symmetry) for item in self.items))

    def write(self, parent: Element, display: Display) -> None:
        """Append the `<Itemset>` element."""
        element = etree.SubElement(parent, "Itemset")
        for item in self.items:
            item.write(etree.SubElement(element, item.element), display)

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read an `<Itemset>` element. Raises ElementError, and ConfigError as `item_class` does."""
        items = tuple(item_class(str(child.tag)).read(child) for child in element.iterchildren("*"))
        if not items:
            raise ElementError(element, "<Itemset> is empty", "add items or remove it")
        return cls(items)


def every_item(geometry: Geometry, classes: Sequence[type[Item]] = ITEM_CLASSES) -> tuple[Item, ...]:
    """Return all facts and metafacts of a game, in a canonical order: the items that mining chooses from."""
    return tuple(item for each in classes for item in each.every(geometry))


def item_masks(items: Sequence[Item], geometry: Geometry) -> NDArray[np.uint64]:
    """Return [item, state word] the bits of the fluents of which at least one must hold."""
    bits = np.zeros((len(items), geometry.state_words * 64), dtype=np.bool_)
    for number, item in enumerate(items):
        bits[number, item.fluents(geometry)] = True
    return pack_states(bits)


def items_hold(states: NDArray[np.uint64], masks: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return [state, item] which items hold in packed states [state, word]."""
    result = np.empty((len(states), len(masks)), dtype=np.bool_)
    for number, mask in enumerate(masks):
        words = np.flatnonzero(mask)
        result[:, number] = (states[:, words] & mask[words]).any(axis=1)
    return result


def point_in_words(coordinates: Sequence[float]) -> str:
    """Return coordinates such as `(1, 3)`."""
    return f"({', '.join(f'{x:.4g}' for x in coordinates)})"
