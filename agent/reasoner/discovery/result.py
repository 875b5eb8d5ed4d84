"""The boards that discovery finds in a game, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

BoardKind = Literal["grid", "torus", "graph", "line", "none"]


@dataclass(frozen=True, slots=True)
class DiscoveredMove:
    """A form of moves and the cells that it changes.

    Positions are those of the move's arguments, from 0. `target` has one for each coordinate of the board, None for a
    coordinate that the move does not name, and is empty if the move names none. `source` is empty if nothing leaves.
    """

    functor: str
    arity: int
    source: tuple[int, ...]
    target: tuple[int | None, ...]
    piece: int | None
    """Position of the argument that names the piece on the target after the move, None if no argument does."""

    def to_json(self) -> dict[str, Any]:
        """Return the move as `agent board --json` prints it."""
        return {"functor": self.functor, "source": list(self.source), "target": list(self.target)}


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in the rules: a relation of fluents, some of whose arguments say where and the others what is there."""

    kind: BoardKind
    relation: str
    relations: tuple[str, ...]
    """The relation, or all relations of which exactly one holds for a cell: then they say what is there."""
    arity: int
    coordinates: tuple[int, ...]
    """Positions of the arguments that name a cell, ascending."""
    names: tuple[tuple[str, ...], ...]
    """The values of each coordinate, in the order in which the rules step along; sorted by name if there is none."""
    ordered: tuple[bool, ...]
    """Whether the values of each coordinate have an order."""
    cyclic: tuple[bool, ...]
    """Whether the last value of each coordinate is followed by the first."""
    cells: int
    """Number of cells, with places at which the rules name contents that never come about, such as holes."""
    content: tuple[int, ...]
    """Positions of the arguments that say what is on a cell, ascending; empty if a cell is only marked or not."""
    pieces: tuple[str, ...]
    """Contents of cells, sorted; those of several arguments as `(black king)`, relations if they say what is there."""
    exclusive: bool
    """Whether a cell has one content at most, but for last states of matches."""
    moves: tuple[DiscoveredMove, ...]
    neighbours: tuple[tuple[int, ...], ...] = ()
    """Steps from a cell to its neighbours that the rules take, opposite ones included; empty if they are not known."""
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Coordinates of named cells; empty if cells have coordinates of their own, or no places on a lattice."""
    closed: bool = True
    """Whether all fluents of the relation name cells of the board."""

    @property
    def hexagonal(self) -> tuple[int, ...]:
        """On a board of hexagons, the step with a positive first coordinate beside those along the dimensions."""
        straight = {(1, 0), (-1, 0), (0, 1), (0, -1)}
        diagonal = [step for step in self.neighbours if step not in straight and step[0] > 0]
        return diagonal[0] if len(self.neighbours) == 6 and straight < set(self.neighbours) else ()

    @property
    def periods(self) -> tuple[int, ...]:
        """For each coordinate the number of values after which they return, 0 for never; empty if all have ends."""
        around = tuple(extent if cyclic else 0 for extent, cyclic in zip(self.extents, self.cyclic, strict=True))
        return around if any(around) else ()

    @property
    def extents(self) -> tuple[int, ...]:
        """Numbers of values of the coordinates."""
        return tuple(map(len, self.names))

    def to_json(self) -> dict[str, Any]:
        """Return the board as `agent board --json` prints it."""
        return {
            "kind": self.kind,
            "relation": self.relation,
            "relations": list(self.relations),
            "coordinates": list(self.coordinates),
            "extents": list(self.extents),
            "cells": self.cells,
            "neighbours": [list(step) for step in self.neighbours],
            "hexagonal": bool(self.hexagonal),
            "content": list(self.content),
            "pieces": list(self.pieces),
            "moves": [move.to_json() for move in self.moves],
        }


@dataclass(frozen=True, slots=True)
class Discovery:
    """The boards of a game, the main one first; none if the rules show no board."""

    boards: tuple[FoundBoard, ...]

    @property
    def kind(self) -> BoardKind:
        """Kind of the main board."""
        return self.boards[0].kind if self.boards else "none"

    def to_json(self) -> dict[str, Any]:
        """Return the boards as `agent board --json` prints them."""
        return {"boards": [board.to_json() for board in self.boards]}
