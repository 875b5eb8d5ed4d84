"""The items of an itemset: statements about a state, each of which holds where at least one of its fluents holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.files.elements import Display, Element, text_term
from gdl_miner.agent.geometry import Geometry, Position, Symmetry

__all__ = ["Fact", "Item"]


@dataclass(frozen=True)
class Item(ABC):
    """A fact or metafact."""

    element: ClassVar[str]  # name of the XML element

    @abstractmethod
    def holds(self, position: Position) -> bool:
        """Plain definition: whether the statement holds in a position."""

    @abstractmethod
    def write(self, element: Element, display: Display) -> None:
        """Fill the XML element."""

    @classmethod
    @abstractmethod
    def read(cls, element: Element) -> Self:
        """Read the XML element that `write` fills. Raises ElementError."""

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
