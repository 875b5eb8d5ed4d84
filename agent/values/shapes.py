"""Shapes of tuples.

They are lines and boxes of cells on a board, random walks over neighbouring cells, cells that the goals or other rules
name together, and facts, which need no board.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.geometry.lattice import hexagonal_distance

__all__ = ["LONGEST_TUPLE", "Points", "TupleShape", "points_on_board", "read_shape", "tuples_of_shape"]

Points = tuple[int, ...]  # indices of points of a board
LONGEST_TUPLE = 6  # largest number of cells, but for walks
_LONGEST_WALK = 8
_MOST_WALKS = 1000
_MOST_MISSES = 500  # random walks in a row that are none, or were found before, after which there are no more
_MOST_GROUPS = 4  # largest number of groups of facts
_ANYWHERE = " anywhere"


class TupleShape(NamedTuple):
    """A shape of tuples."""

    kind: Literal["line", "block", "walks", "goals", "rules", "facts"]
    sides: tuple[int, ...]  # a block has several, goals none; walks have their number and their length
    anywhere: bool = False  # whether the same arrangement of cells has the same weights all over the board


def read_shape(shape: str) -> TupleShape:
    """Return the shape that a text names.

    `line 4` means four cells in a row, `block 2x3` a box, `walks 70x8` 70 random walks over eight neighbouring cells
    (Lucas 2008), `goals` the cells that the goals name together, `rules 4` up to four cells on which a part of the
    rules depends, and `facts 2` pairs of groups of facts that exclude each other. All but facts may be followed by
    `anywhere`, as in `line 4 anywhere`.

    Raises:
        ValueError: the text is no shape, or the shape has more than six cells (eight in a walk), or more than four
            groups of facts.
    """
    named = shape.removesuffix(_ANYWHERE)
    anywhere = named != shape
    if named == "goals":
        return TupleShape("goals", (), anywhere)
    kind, _, size = named.partition(" ")
    sides = tuple(int(side) for side in size.split("x")) if re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", size) else ()
    if kind == "walks" and len(sides) == 2 and sides[0] <= _MOST_WALKS and 2 <= sides[1] <= _LONGEST_WALK:
        return TupleShape("walks", sides, anywhere)
    if 2 <= math.prod(sides) <= LONGEST_TUPLE:
        if kind == "line" and len(sides) == 1:
            return TupleShape("line", sides, anywhere)
        if kind == "block" and len(sides) > 1:
            return TupleShape("block", sides, anywhere)
        if kind == "rules" and len(sides) == 1:
            return TupleShape("rules", sides, anywhere)
        if kind == "facts" and len(sides) == 1 and sides[0] <= _MOST_GROUPS and not anywhere:
            return TupleShape("facts", sides)
    raise ValueError(
        f"shape '{shape}': give 'line 2' to 'line 6', blocks such as 'block 2x3' of up to 6 cells, walks such as "
        f"'walks 70x8' (up to {_MOST_WALKS} of up to {_LONGEST_WALK} cells), 'goals', 'rules 2' to 'rules 6', each "
        "with 'anywhere' after it if its weights are to be the same all over the board, or 'facts 2' to 'facts 4'"
    )


def tuples_of_shape(geometry: Geometry, shape: str, changing: Collection[int] | None = None) -> list[Points]:
    """Return the points of all lines, blocks or walks of a shape on a board, none if the shape does not fit it.

    There are none for the other shapes, either. Lines and walks go to neighbours, lines in all directions. Blocks are
    taken with their sides in every order. Blocks and walks have none but `changing` points, all points where these are
    not given. Raises ValueError as `read_shape` does.
    """
    kind, sides, _ = read_shape(shape)
    usable = range(geometry.n_points) if changing is None else sorted(changing)
    match kind:
        case "line":
            tuples = _lines(geometry, *sides)
        case "block":
            tuples = (points for points in _blocks(geometry, sides) if all(point in usable for point in points))
        case "walks":
            tuples = _walks(geometry, usable, *sides)
        case _:
            return []
    found: dict[frozenset[int], Points] = {}  # a line around a whole torus begins at each of its points
    for points in tuples:
        found.setdefault(frozenset(points), points)
    return list(found.values())


def _steps(geometry: Geometry) -> list[tuple[int, ...]]:
    """Return the steps from a cell to its neighbours."""
    steps = [step for step in itertools.product((-1, 0, 1), repeat=geometry.dimensions) if any(step)]
    if geometry.hexagonal:
        steps = [step for step in steps if hexagonal_distance(np.array(step), geometry.hexagonal) == 1]
    return steps


def _lines(geometry: Geometry, length: int) -> Iterator[Points]:
    for step in (step for step in _steps(geometry) if step > (0,) * len(step)):
        for start in geometry.points.tolist():
            cells = [[x + k * d for x, d in zip(start, step, strict=True)] for k in range(length)]
            yield from points_on_board(geometry, cells)


def _blocks(geometry: Geometry, sides: tuple[int, ...]) -> Iterator[Points]:
    if len(sides) != geometry.dimensions:
        return
    for order in sorted(set(itertools.permutations(sides))):
        for start in geometry.points.tolist():
            ranges = [range(x, x + side) for x, side in zip(start, order, strict=True)]
            yield from points_on_board(geometry, map(list, itertools.product(*ranges)))


def _walks(geometry: Geometry, usable: Sequence[int], number: int, length: int) -> Iterator[Points]:
    """Yield random walks over usable points that come to no point twice.

    They are the same for all runs and processes. There are fewer than `number` where there is little room for them.
    """
    draws = random.Random(0)
    found: set[Points] = set()
    misses = 0
    while usable and len(found) < number and misses < _MOST_MISSES:
        walk = _random_walk(geometry, usable, length, draws)
        if len(walk) == length and walk not in found:
            found.add(walk)
            misses = 0
            yield walk
        else:
            misses += 1


def _random_walk(geometry: Geometry, usable: Sequence[int], length: int, draws: random.Random) -> Points:
    """Return the points of a walk in ascending order, fewer than `length` where it comes to a dead end."""
    steps = np.array(_steps(geometry), np.int32)
    walk = [draws.choice(usable)]
    while len(walk) < length:
        beside = geometry.returned(geometry.points[walk[-1]] + steps).tolist()
        points = (geometry.point_index.get(tuple(cell)) for cell in beside)
        free = [point for point in points if point is not None and point in usable and point not in walk]
        if not free:
            break
        walk.append(draws.choice(free))
    return tuple(sorted(walk))


def points_on_board(geometry: Geometry, cells: Iterable[list[int]]) -> Iterator[Points]:
    """Find the points of cells that are all on the board and all different; joined ends of a board are gone over."""
    found = geometry.returned(np.array(list(cells), np.int32)).tolist()
    points = [geometry.point_index.get(tuple(cell)) for cell in found]
    if None not in points and len(set(points)) == len(points):
        yield tuple(point for point in points if point is not None)
