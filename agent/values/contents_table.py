"""The weights of all contents of a tuple as an array, for networks of many weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST_WEIGHT", "ContentsTable"]

LARGEST_WEIGHT = 1000  # of a value, without its sign


@dataclass(frozen=True, eq=False)
class ContentsTable(Mapping[tuple[str, ...], float]):
    """A mapping from contents of cells to weights; contents of the weight 0 are left out.

    Raises:
        ValueError: the numbers of weights and of contents differ, or a weight is out of range.
    """

    choices: tuple[tuple[str, ...], ...]  # [cell] what may be there
    weights: NDArray[np.float64]  # [contents], the choice of the first cell counts fastest

    def __post_init__(self) -> None:
        if self.weights.shape != (math.prod(map(len, self.choices)),):
            raise ValueError(f"{self.weights.size} weights for contents of {len(self.choices)} cells")
        wrong = np.flatnonzero(~(np.abs(self.weights) <= LARGEST_WEIGHT))
        if len(wrong):
            raise ValueError(
                f"the weight {self.weights[wrong[0]]:g} of a value is not a number from -{LARGEST_WEIGHT} to "
                f"{LARGEST_WEIGHT}"
            )

    def __getitem__(self, contents: tuple[str, ...]) -> float:
        return self._named[contents]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._named)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.weights))

    @cached_property
    def _named(self) -> dict[tuple[str, ...], float]:
        places = np.flatnonzero(self.weights)
        digits = np.unravel_index(places, [len(each) for each in reversed(self.choices)])[::-1]
        columns = [[own[digit] for digit in found.tolist()] for own, found in zip(self.choices, digits, strict=True)]
        return dict(zip(zip(*columns, strict=True), self.weights[places].tolist(), strict=True))
