"""The symmetries that follow from some, one after another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.symmetry import Symmetry

__all__ = ["SymmetryGroup"]


class SymmetryGroup:
    """All symmetries that those which were added make, one after another; at first none."""

    def __init__(self) -> None:
        self._makers: list[NDArray[np.int64]] = []
        self._made: dict[bytes, NDArray[np.int64]] = {}

    def __contains__(self, symmetry: Symmetry) -> bool:
        return _images(symmetry).tobytes() in self._made

    def add(self, symmetry: Symmetry) -> None:
        """Add a symmetry and what it makes with the others."""
        if symmetry in self:
            return
        maker = _images(symmetry)
        self._makers.append(maker)
        new = [maker, *(each[maker] for each in self._made.values())]
        while new:
            self._made |= {each.tobytes(): each for each in new}
            after = {each.tobytes(): each for one in new for each in (one[other] for other in self._makers)}
            new = [each for key, each in after.items() if key not in self._made]


def _images(symmetry: Symmetry) -> NDArray[np.int64]:
    """Return the images of all facts, and after them of all roles, numbered on."""
    return np.concatenate((symmetry.fluents, len(symmetry.fluents) + np.array(symmetry.roles, np.int64)))
