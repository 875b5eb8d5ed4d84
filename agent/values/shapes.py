"""Shapes of tuples of cells: straight lines and boxes on a board."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from agent.errors import ConfigError
from agent.knowledge.geometry import Geometry

__all__ = ["Points", "tuples_of_shape"]

Points = tuple[int, ...]  # of a board
_LONGEST = 6  # cells of a tuple


def tuples_of_shape(geometry: Geometry, shape: str) -> list[Points]:
    """Return the points of all tuples of a shape: `line 4`, four cells in a row; `block 2x3`, a box of cells.

    Blocks are taken with their sides in every order. A shape that does not fit the board has no tuples.

    Raises:
        ConfigError: the shape is not one of these, or is larger than six cells.
    """
    kind, _, size = shape.partition(" ")
    try:
        sides = [int(side) for side in size.split("x")]
    except ValueError:
        sides = []
    n_cells = int(np.prod(sides)) if sides else 0
    if kind not in ("line", "block") or not 2 <= n_cells <= _LONGEST or (kind == "line") != (len(sides) == 1):
        raise ConfigError(f"shape '{shape}': give 'line 2' to 'line 6', or blocks such as 'block 2x3' of up to 6 cells")
    found = _lines(geometry, sides[0]) if kind == "line" else _blocks(geometry, sides)
    return list(dict.fromkeys(found))


def _lines(geometry: Geometry, length: int) -> Iterator[Points]:
    steps = [step for step in itertools.product((-1, 0, 1), repeat=geometry.dimensions) if step > (0,) * len(step)]
    for step in steps:
        for start in geometry.points.tolist():
            cells = [[x + k * d for x, d in zip(start, step, strict=True)] for k in range(length)]
            yield from _on_board(geometry, cells)


def _blocks(geometry: Geometry, sides: list[int]) -> Iterator[Points]:
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
