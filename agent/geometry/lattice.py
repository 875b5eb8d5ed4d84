"""Boards as lattices of squares, cubes or hexagons: distances of their fields, and their rotations and reflections."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_AXES = "xyzuvw"

Matrix = NDArray[np.int32]


class LatticeMap(NamedTuple):
    """A rotation or reflection of a lattice: the image of a point p is `matrix` p + `shift`."""

    name: str
    matrix: Matrix  # [dimension of the image, dimension]
    shift: NDArray[np.int32]  # [dimension]


def squared_lengths(steps: NDArray[np.int64], hexagonal: Sequence[int]) -> NDArray[np.int64]:
    """Return the exact squares of the Euclidean lengths of steps [.., dimension], neighbours at 1.

    On a lattice of hexagons the two axes enclose an angle of 60° or 120°.
    """
    lengths = np.asarray((steps * steps).sum(axis=-1))
    if hexagonal:
        lengths = lengths - hexagonal[0] * hexagonal[1] * steps[..., 0] * steps[..., 1]
    return lengths


def hexagonal_distance(steps: NDArray[np.int64], hexagonal: Sequence[int]) -> NDArray[np.int64]:
    """Return the number of neighbours to go along to make steps [.., dimension] on a lattice of hexagons."""
    third = steps[..., 1] - hexagonal[0] * hexagonal[1] * steps[..., 0]
    return np.asarray(np.maximum(np.abs(steps).max(axis=-1), np.abs(third)))


def within_period(steps: NDArray[np.int64], periods: Sequence[int]) -> NDArray[np.int64]:
    """Return the shortest steps [.., dimension] to the same points, where coordinates return after some number."""
    shortest = steps.copy()
    for dimension, period in enumerate(periods):
        if period:
            shortest[..., dimension] = (steps[..., dimension] + period // 2) % period - period // 2
    return shortest


def lattice_maps(points: NDArray[np.int32], hexagonal: Sequence[int]) -> Iterator[LatticeMap]:
    """Find the rotations and reflections of a lattice, moved so that the points [point, dimension] stay in their box.

    A lattice of squares has 8, one of cubes 48 and one of hexagons 12. The order is that of the axes and of their
    directions; turns of hexagons that keep no axis come last.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    dimensions = points.shape[1]
    matrices = [
        _signed(order, flips)
        for order in itertools.permutations(range(dimensions))
        for flips in itertools.product((False, True), repeat=dimensions)
    ]
    if hexagonal:
        matrices = [matrix for matrix in (*matrices, *_oblique()) if _keeps_neighbours(matrix, hexagonal)]
    for matrix in matrices:
        lowest = (points @ matrix.T).min(axis=0)
        if keeps_axes(matrix):  # an axis that is not turned around keeps its coordinates
            shift = np.where((matrix < 0).any(axis=1), np.abs(matrix) @ (low + high), 0)
        else:
            shift = low - lowest
        yield LatticeMap(_name_of(matrix), matrix, shift.astype(np.int32))


def keeps_axes(matrix: Matrix) -> bool:
    """Whether a map takes every axis to an axis."""
    return bool((np.count_nonzero(matrix, axis=1) == 1).all())


def _signed(order: Sequence[int], flips: Sequence[bool]) -> Matrix:
    matrix = np.zeros((len(order), len(order)), np.int32)
    for dimension, (axis, flip) in enumerate(zip(order, flips, strict=True)):
        matrix[dimension, axis] = -1 if flip else 1
    return matrix


def _oblique() -> list[Matrix]:
    """Return the invertible matrices of two dimensions with entries from -1 to 1 that do not keep the axes."""
    entries = itertools.product((1, 0, -1), repeat=4)
    matrices = [np.array(each, np.int32).reshape(2, 2) for each in entries]
    return [
        each
        for each in matrices
        if abs(int(each[0, 0] * each[1, 1] - each[0, 1] * each[1, 0])) == 1 and not keeps_axes(each)
    ]


def _keeps_neighbours(matrix: Matrix, hexagonal: Sequence[int]) -> bool:
    steps = np.array([(1, 0), (0, 1), tuple(hexagonal)], np.int64)
    return bool((squared_lengths(steps @ matrix.T, hexagonal) == 1).all())


def _name_of(matrix: Matrix) -> str:
    if (matrix == np.eye(len(matrix), dtype=np.int32)).all():
        return "board as it is"
    return f"board ({', '.join(map(_sum_of_axes, matrix.tolist()))})"


def _sum_of_axes(row: Sequence[int]) -> str:
    terms = [("-" if sign < 0 else "+") + axis for sign, axis in zip(row, _AXES, strict=False) if sign]
    return "".join(terms).removeprefix("+")
