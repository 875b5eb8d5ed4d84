"""Shapes of tuples.

They are lines and boxes of cells on a board, cells that the goals or other rules name together, and facts, which need
no board.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from agent.knowledge.geometry import Geometry

__all__ = ["LONGEST_TUPLE", "Points", "TupleShape", "read_shape", "tuples_of_shape"]

Points = tuple[int, ...]  # indices of points of a board
LONGEST_TUPLE = 6  # largest number of cells
_MOST_GROUPS = 4  # largest number of groups of facts


class TupleShape(NamedTuple):
    """A shape of tuples."""

    kind: Literal["line", "block", "goals", "rules", "facts"]
    sides: tuple[int, ...]  # a block has several, goals none


def read_shape(shape: str) -> TupleShape:
    """Return the shape that a text names.

    `line 4` means four cells in a row, `block 2x3` a box, `goals` the cells that the goals name together, `rules 4` up
    to four cells on which a part of the rules depends, and `facts 2` pairs of groups of facts that exclude each other.

    Raises:
        ValueError: the text is no shape, or the shape has more than six cells or four groups of facts.
    """
    if shape == "goals":
        return TupleShape("goals", ())
    kind, _, size = shape.partition(" ")
    sides = tuple(int(side) for side in size.split("x")) if re.fullmatch(r"[1-9](x[1-9])*", size) else ()
    if 2 <= math.prod(sides) <= LONGEST_TUPLE:
        if kind == "line" and len(sides) == 1:
            return TupleShape("line", sides)
        if kind == "block" and len(sides) > 1:
            return TupleShape("block", sides)
        if kind == "rules" and len(sides) == 1:
            return TupleShape("rules", sides)
        if kind == "facts" and len(sides) == 1 and sides[0] <= _MOST_GROUPS:
            return TupleShape("facts", sides)
    raise ValueError(
        f"shape '{shape}': give 'line 2' to 'line 6', blocks such as 'block 2x3' of up to 6 cells, 'goals', "
        "'rules 2' to 'rules 6', or 'facts 2' to 'facts 4'"
    )


def tuples_of_shape(geometry: Geometry, shape: str) -> list[Points]:
    """Return the points of all lines or blocks of a shape on a board, none if the shape does not fit or is another.

    Blocks are taken with their sides in every order. Raises ValueError as `read_shape` does.
    """
    kind, sides = read_shape(shape)
    if kind not in ("line", "block"):
        return []
    return list(dict.fromkeys(_lines(geometry, *sides) if kind == "line" else _blocks(geometry, sides)))


def _lines(geometry: Geometry, length: int) -> Iterator[Points]:
    steps = [step for step in itertools.product((-1, 0, 1), repeat=geometry.dimensions) if step > (0,) * len(step)]
    for step in steps:
        for start in geometry.points.tolist():
            cells = [[x + k * d for x, d in zip(start, step, strict=True)] for k in range(length)]
            yield from _on_board(geometry, cells)


def _blocks(geometry: Geometry, sides: tuple[int, ...]) -> Iterator[Points]:
    if len(sides) != geometry.dimensions:
        return
    for order in sorted(set(itertools.permutations(sides))):
        for start in geometry.points.tolist():
            ranges = [range(x, x + side) for x, side in zip(start, order, strict=True)]
            yield from _on_board(geometry, map(list, itertools.product(*ranges)))


def _on_board(geometry: Geometry, cells: Iterable[list[int]]) -> Iterator[Points]:
    points = [geometry.point_index.get(tuple(cell)) for cell in cells]
    if None not in points:
        yield tuple(point for point in points if point is not None)
