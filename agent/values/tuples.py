"""The weights of a tuple: one for all its images, and one for contents that symmetries exchange."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import Geometry, Points


class CellTuple(NamedTuple):
    """Cells whose contents together select a weight."""

    points: Points
    anywhere: bool = False  # whether its images elsewhere on the board have the same weights, too
    playable: bool = False  # whether its empty cells differ by who may move there
    each_side: bool = False  # whether each side to move has weights of its own, where an exchange would share them


@dataclass(frozen=True)
class TupleLayout:
    """The places of the weights of a tuple, or of an image of it, which selects the same weights.

    The contents of a tuple are numbered; the content of its first cell counts fastest, and nothing is content 0.
    """

    points: Points  # empty for a tuple of groups of facts
    # [point or group] fluents and derived facts that say what is there; all others count as nothing
    fluents: tuple[tuple[int, ...], ...]
    first: int
    anywhere: bool = False  # whether the same arrangement of cells anywhere on the board is an image, too
    playable: bool = False  # whether contents tell who may move to an empty cell
    each_side: bool = False  # whether each side to move has weights of its own, where an exchange would share them

    @property
    def size(self) -> int:
        """Number of weights."""
        return math.prod(len(each) + 1 for each in self.fluents)

    @property
    def steps(self) -> tuple[int, ...]:
        """[point or group] distance of the places of contents that differ there by one fluent."""
        sizes = [1, *(len(each) + 1 for each in self.fluents)]
        return tuple(itertools.accumulate(sizes[:-1], lambda product, size: product * size))

    @property
    def key(self) -> Hashable:
        """A key that two images share if they have the same cells or groups, in whatever order."""
        return self.anywhere, self.playable, self.each_side, frozenset(self.points or map(frozenset, self.fluents))

    @property
    def identity(self) -> Hashable:
        """The key by which a tuple is found whose cells or groups are named in the same order."""
        return self.points or self.fluents, self.anywhere, self.playable, self.each_side

    def image(self, points: NDArray[np.int32], facts: NDArray[np.int32]) -> TupleLayout:
        """Return what the tuple becomes under a symmetry, whose images of points and facts these are."""
        return replace(
            self,
            points=tuple(points[list(self.points)].tolist()),
            fluents=tuple(tuple(facts[list(group)].tolist()) for group in self.fluents),
        )

    def translations(
        self, geometry: Geometry, piece: NDArray[np.int32], on_point: Sequence[tuple[list[int], list[int]]]
    ) -> Iterator[TupleLayout]:
        """Find the images of a tuple of cells at all places on the board where the same pieces can stand.

        Args:
            geometry: the board.
            piece: [fact] number of the content that it is.
            on_point: for each point, the contents that can be there, ascending, and their facts.
        """
        cells = geometry.points[list(self.points)]
        own = [sorted(fluents, key=piece.__getitem__) for fluents in self.fluents]
        pieces = [piece[fluents].tolist() for fluents in own]
        for places in (cells + (geometry.points - cells[0])[:, None]).tolist():
            points = geometry.points_at(places)
            if points is None or any(on_point[point][0] != known for point, known in zip(points, pieces, strict=True)):
                continue
            moved = [dict(zip(one, on_point[point][1], strict=True)) for one, point in zip(own, points, strict=True)]
            images = zip(self.fluents, moved, strict=True)
            yield replace(self, points=points, fluents=tuple(tuple(to[each] for each in of) for of, to in images))

    def exchange(self, image: TupleLayout) -> NDArray[np.int32] | None:
        """Return the numbers of all contents in an image of the tuple, [size]; None if that is another tuple."""
        terms = {
            fluent: (place, digit * step)
            for place, (step, fluents) in enumerate(zip(self.steps, self.fluents, strict=True))
            for digit, fluent in enumerate(fluents, 1)
        }
        moved = []
        for fluents in image.fluents:
            images = [terms.get(fluent) for fluent in fluents]
            known = [each for each in images if each is not None]
            if len(known) < len(images) or len({place for place, _ in known}) > 1:
                return None
            moved.append(np.array([0, *(term for _, term in known)], np.int32))
        return sum_over_contents(moved)


def sum_over_contents(terms: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return the sums of a term of every cell for all contents of a tuple, the content of the first cell fastest."""
    return reduce(lambda sums, term: (term[:, None] + sums[None, :]).ravel(), terms, np.zeros(1, np.int32))


def ring_of(exchanges: Sequence[NDArray[np.int32]], size: int) -> NDArray[np.int32]:
    """Return for every content the next one that has the same weight, in a ring; one that is alone is its own next.

    `exchanges` are images of contents, each [size].
    """
    least = np.arange(size, dtype=np.int32)
    while True:
        before = least
        for exchange in exchanges:
            least = np.minimum(least, least[exchange])
            least[exchange] = np.minimum(least[exchange], least)
        if (before == least).all():
            break
    order = np.argsort(least, kind="stable")
    begins = np.flatnonzero(np.diff(least[order], prepend=-1))
    following = np.append(order[1:], 0)
    following[np.append(begins[1:], size) - 1] = order[begins]
    ring = np.empty(size, np.int32)
    ring[order] = following
    return ring
