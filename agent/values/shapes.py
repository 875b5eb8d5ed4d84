"""Shapes of tuples of cells: straight lines and boxes on a board."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator

from agent.knowledge.geometry import Geometry

__all__ = ["Points", "read_shape", "tuples_of_shape"]

Points = tuple[int, ...]  # of a board
_LONGEST = 6  # cells of a tuple


def read_shape(shape: str) -> tuple[int, ...]:
    """Return the sides of a shape: `line 4`, four cells in a row, has one, and `block 2x3`, a box of cells, has two.

    Raises:
        ValueError: the text is no shape, or the shape has more than six cells.
    """
    kind, _, size = shape.partition(" ")
    sides = tuple(int(side) for side in size.split("x")) if re.fullmatch(r"[1-9](x[1-9])*", size) else ()
    if kind not in ("line", "block") or not 2 <= math.prod(sides) <= _LONGEST or (kind == "line") != (len(sides) == 1):
        raise ValueError(f"shape '{shape}': give 'line 2' to 'line 6', or blocks such as 'block 2x3' of up to 6 cells")
    return sides


def tuples_of_shape(geometry: Geometry, shape: str) -> list[Points]:
    """Return the points of all tuples of a shape on a board, none if the shape does not fit it.

    Blocks are taken with their sides in every order. Raises ValueError as `read_shape` does.
    """
    sides = read_shape(shape)
    return list(dict.fromkeys(_lines(geometry, *sides) if len(sides) == 1 else _blocks(geometry, sides)))


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
