"""The memory layout of a board in the native scorer: one byte per cell, and a margin of off-board cells around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.geometry.geometry import EMPTY, Geometry

BLOCK = 8  # lists of cells are padded to a multiple of this length
_MOST_CELLS = 65536


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of a board. The last two are no fields: `void` stays empty, and fluents off the board write to `sink`.

    Where ends of the board are joined, cells of the margin are copies of the fields at the other end.
    """

    cells: NDArray[np.uint8]  # [cell] codes of the empty board
    point_cell: NDArray[np.int32]  # [point] cell of the field
    strides: tuple[int, ...]  # [dimension] cells from one coordinate to the next; the last is 1
    copies: NDArray[np.uint16]  # [copy, 2] cell of the margin, and the cell of the field that it is a copy of

    @property
    def void(self) -> int:
        """A cell that is always empty."""
        return len(self.cells) - 2

    @property
    def sink(self) -> int:
        """A cell that is written and never read."""
        return len(self.cells) - 1

    def lists(self, points: NDArray[np.int32]) -> NDArray[np.uint16]:
        """Return [..., step] the cells of lists of points (-1 ends a list), padded with `void` to whole BLOCKs."""
        length = -(-points.shape[-1] // BLOCK) * BLOCK
        cells = np.full((*points.shape[:-1], length), self.void, dtype=np.uint16)
        cells[..., : points.shape[-1]] = np.where(points >= 0, self.point_cell[points], self.void)
        return cells


def build_grid(geometry: Geometry, off_board: int, margin: int) -> Grid:
    """Lay out a board with `margin` cells around every field. A margin of 0 gives the fields alone.

    Raises:
        KnowledgeError: the board is too large for patterns.
    """
    if margin == 0 or not geometry.n_points:
        cells = np.full(geometry.n_points + 2, EMPTY, dtype=np.uint8)
        return Grid(cells, np.arange(geometry.n_points, dtype=np.int32), (), np.empty((0, 2), np.uint16))
    lowest = geometry.points.min(axis=0)
    shape = geometry.points.max(axis=0) - lowest + 1 + 2 * margin
    size = int(np.prod(shape, dtype=np.int64))
    if size + 2 > _MOST_CELLS:
        raise KnowledgeError(
            f"a board of {' × '.join(map(str, shape.tolist()))} cells is too large for patterns; "
            "remove the FeatureRelPattern features"
        )
    strides = [int(np.prod(shape[dimension + 1 :])) for dimension in range(geometry.dimensions)]
    point_cell = ((geometry.points - lowest + margin) * np.array(strides)).sum(axis=1).astype(np.int32)
    cells = np.full(size + 2, off_board, dtype=np.uint8)
    cells[point_cell] = EMPTY
    cells[size:] = EMPTY
    return Grid(cells, point_cell, tuple(strides), _copies(geometry, shape.tolist(), margin, point_cell))


def _copies(geometry: Geometry, shape: Sequence[int], margin: int, point_cell: NDArray[np.int32]) -> NDArray[np.uint16]:
    """Return [copy, 2] the cells beyond joined ends of the board, in lexicographic order, and the fields there."""
    if not geometry.periods:
        return np.empty((0, 2), np.uint16)
    places = np.indices(shape, dtype=np.int32).reshape(geometry.dimensions, -1).T
    points = places + geometry.points.min(axis=0) - margin
    found = [
        (cell, point_cell[geometry.point_index[field]])
        for cell, (point, field) in enumerate(
            zip(map(tuple, points.tolist()), map(tuple, geometry.returned(points).tolist()), strict=True)
        )
        if point != field and field in geometry.point_index
    ]
    return np.array(found, np.uint16).reshape(-1, 2)


@dataclass(frozen=True)
class KeyLayout:
    """The layout of the occupant codes around a target in the words of a key.

    The neighbourhood is divided into runs of 2 · radius + 1 cells along the last dimension; a cell is one byte in
    memory. Several runs share the same bytes of a word, each shifted by `key_bits` from the one before, until a byte is
    full. The next runs take the following bytes, until the word is full.
    """

    radius: int
    dimensions: int
    key_bits: int

    @property
    def run_length(self) -> int:
        """Cells in a run."""
        return 2 * self.radius + 1

    @property
    def runs(self) -> int:
        """Number of runs."""
        return int(self.run_length ** (self.dimensions - 1))

    @property
    def _over(self) -> int:
        return 8 // self.key_bits

    @property
    def _runs_per_word(self) -> int:
        return self._over * (8 // self.run_length)

    @property
    def words(self) -> int:
        """Words of a key."""
        return -(-self.runs // self._runs_per_word)

    def place(self, run: int) -> tuple[int, int]:
        """Return the word of a run and the bit at which its first code starts; its other codes follow 8 bits apart."""
        within = run % self._runs_per_word
        return (
            run // self._runs_per_word,
            within // self._over * self.run_length * 8 + within % self._over * self.key_bits,
        )

    @cached_property
    def entries(self) -> list[tuple[int, int]]:
        """[entry] the word and the bit at which the code of an entry of a pattern starts."""
        found = []
        for run in range(self.runs):
            word, shift = self.place(run)
            found += [(word, shift + 8 * column) for column in range(self.run_length)]
        return found

    def run_offsets(self, strides: tuple[int, ...]) -> list[int]:
        """Return the offset, in cells, from a target to the first cell of each run."""
        offsets = [-self.radius]
        for stride in reversed(strides[:-1]):
            offsets = [step * stride + offset for step in range(-self.radius, self.radius + 1) for offset in offsets]
        return offsets
