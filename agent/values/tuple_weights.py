"""The weights of a tuple: one for all its images under symmetries, and one for contents that symmetries exchange."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.values.shapes import Points

__all__ = ["TupleIdentity", "TupleImage", "TupleWeights", "ViewKey", "ring_of", "sum_over_contents"]

ContentNumbers = NDArray[np.int32]
TupleIdentity = tuple[Points | tuple[tuple[int, ...], ...], bool]  # points or groups of facts, and whether anywhere


@dataclass(frozen=True, order=True)
class ViewKey:
    """The states in which weights count, and the role for which they count."""

    turn: int
    stage: int
    role: int


@dataclass(frozen=True)
class TupleImage:
    """The cells and facts that a symmetry or a translation of the board makes of those of a tuple."""

    points: Points  # [cell] empty for a tuple of groups of facts
    fluents: tuple[tuple[int, ...], ...]  # [cell or group] in the order of the tuple

    @property
    def key(self) -> Hashable:
        """A key that two images share if they have the same cells or groups, in whatever order."""
        return frozenset(self.points or map(frozenset, self.fluents))


@dataclass(frozen=True)
class TupleWeights:
    """The places of the weights of a tuple and of its images.

    The contents of a tuple are numbered; the content of its first cell counts fastest, and nothing is content 0.
    """

    key: ViewKey
    points: Points  # empty for a tuple of groups of facts
    fluents: tuple[tuple[int, ...], ...]  # [point or group] fluents that say what is there; all others count as nothing
    first: int
    anywhere: bool = False  # whether the same arrangement of cells anywhere on the board is an image, too

    @property
    def size(self) -> int:
        """Number of weights."""
        return math.prod(len(each) + 1 for each in self.fluents)

    @property
    def steps(self) -> tuple[int, ...]:
        """[point or group] distance of the places of contents that differ there by one fluent."""
        sizes = [1, *(len(each) + 1 for each in self.fluents)]
        return tuple(itertools.accumulate(sizes[:-1], lambda product, size: product * size))

    def image(self, symmetry: Symmetry) -> TupleImage:
        """Return what the tuple becomes under a symmetry."""
        return TupleImage(
            points=tuple(symmetry.points[list(self.points)].tolist()),
            fluents=tuple(tuple(symmetry.fluents[list(group)].tolist()) for group in self.fluents),
        )

    @property
    def identity(self) -> TupleIdentity:
        """The key by which a layout finds the tuple."""
        return self.points or self.fluents, self.anywhere

    def exchange(self, image: TupleImage) -> ContentNumbers | None:
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


def sum_over_contents(terms: Sequence[NDArray[np.int32]]) -> ContentNumbers:
    """Return the sums of a term of every cell for all contents of a tuple, the content of the first cell fastest."""
    return reduce(lambda sums, term: (term[:, None] + sums[None, :]).ravel(), terms, np.zeros(1, np.int32))


def ring_of(exchanges: Sequence[ContentNumbers], size: int) -> ContentNumbers:
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
