"""Which instances of the feature classes are looked for in a batch."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Enumeration", "PatternShape"]


@dataclass(frozen=True)
class PatternShape:
    """The fields around a target that a pattern looks at; the others are wildcards."""

    radius: int = 1
    kind: Literal["full", "orthogonal"] = "full"  # orthogonal: the centre and the fields straight from it

    def kept(self, dimensions: int) -> NDArray[np.bool_]:
        """[offset] which offsets, in lexicographic order, are looked at."""
        offsets = np.array(list(itertools.product(range(-self.radius, self.radius + 1), repeat=dimensions)))
        if self.kind == "full":
            return np.ones(len(offsets), dtype=np.bool_)
        return np.asarray((offsets != 0).sum(axis=1) <= 1)


@dataclass(frozen=True)
class Enumeration:
    """Sizes of the classes that come in sizes, and how rare a feature may be."""

    nearest_k: tuple[int, ...] = (1, 2, 3)  # K of FeatureRelEuclidKNearest
    line_k: tuple[int, ...] = (1, 2)  # K of FeatureRelDimKNearest
    shapes: tuple[PatternShape, ...] = (PatternShape(1, "full"), PatternShape(1, "orthogonal"))
    min_count: int = 1  # features that fire for fewer samples of the batch are left out
