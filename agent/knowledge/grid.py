"""The memory layout of a board in the native scorer: one byte per cell, and a margin of off-board cells around it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.errors import KnowledgeError
from agent.knowledge.geometry import EMPTY, Geometry

__all__ = ["BLOCK", "Grid", "KeyLayout", "build_grid"]

BLOCK = 8  # lists of cells are padded to a multiple of this many
_MOST_CELLS = 65536


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of a board. The last two hold no field: `void` is always empty, `sink` takes what is on no field."""

    cells: NDArray[np.uint8]  # [cell] codes of the empty board
    point_cell: NDArray[np.int32]  # [point]
    strides: tuple[int, ...]  # [dimension] cells from one coordinate to the next; the last is 1

    @property
    def void(self) -> int:
        """A cell that is always empty."""
        return len(self.cells) - 2

    @property
    def sink(self) -> int:
        """A cell that nobody reads."""
        return len(self.cells) - 1

    def lists(self, points: NDArray[np.int32]) -> NDArray[np.uint16]:
        """[..., step] cells of lists of points (-1 ends a list), padded with `void` to a multiple of BLOCK steps."""
        length = -(-points.shape[-1] // BLOCK) * BLOCK
        cells = np.full((*points.shape[:-1], length), self.void, dtype=np.uint16)
        cells[..., : points.shape[-1]] = np.where(points >= 0, self.point_cell[points], self.void)
        return cells


def build_grid(geometry: Geometry, off_board: int, margin: int) -> Grid:
    """Lay out a board so that `margin` cells around every field exist; without margin, fields alone.

    Raises:
        KnowledgeError: the board is too large for patterns.
    """
    if margin == 0 or not geometry.n_points:
        cells = np.full(geometry.n_points + 2, EMPTY, dtype=np.uint8)
        return Grid(cells, np.arange(geometry.n_points, dtype=np.int32), ())
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
    return Grid(cells, point_cell, tuple(strides))


@dataclass(frozen=True)
class KeyLayout:
    """The way in which the codes around a target make up the words of a key.

    The neighbourhood falls into runs of 2 · radius + 1 cells along the last dimension, one byte each in memory. Runs
    are laid over each other, `key_bits` apart, until a byte is full, then side by side until a word is full.
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
        """Word of a run, and the bit at which its first code starts; the others follow 8 bits apart."""
        within = run % self._runs_per_word
        return (
            run // self._runs_per_word,
            within // self._over * self.run_length * 8 + within % self._over * self.key_bits,
        )

    def pack(self, codes: Iterable[int]) -> tuple[int, ...]:
        """The words of a key with these codes, one per entry of a pattern."""
        words = [0] * self.words
        for entry, code in enumerate(codes):
            run, column = divmod(entry, self.run_length)
            word, shift = self.place(run)
            words[word] |= code << (shift + 8 * column)
        return tuple(words)

    def run_offsets(self, strides: tuple[int, ...]) -> list[int]:
        """Cells from a target to the first cell of each run."""
        offsets = [-self.radius]
        for stride in reversed(strides[:-1]):
            offsets = [step * stride + offset for step in range(-self.radius, self.radius + 1) for offset in offsets]
        return offsets
