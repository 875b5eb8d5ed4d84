"""Limits for the enumeration of the instances of a feature class in a batch."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.lattice import hexagonal_distance

__all__ = ["Enumeration", "PatternShape"]

_MOST_RAY_DIMENSIONS = 2


@dataclass(frozen=True)
class PatternShape:
    """The fields around a target that a pattern compares; the others are wildcards."""

    radius: int = 1
    kind: Literal["full", "orthogonal", "ray"] = "full"  # orthogonal: the centre and the fields straight from it
    direction: tuple[int, ...] = ()  # step of a ray, which is the centre and the fields on one side of it

    def kept(self, dimensions: int, hexagonal: tuple[int, ...] = ()) -> NDArray[np.bool_]:
        """[offset] whether the pattern compares the field at each offset; offsets are in lexicographic order.

        On a board of hexagons, `hexagonal` is the step to the neighbours beside those along the dimensions. A pattern
        then compares no field that is more than `radius` steps away.
        """
        offsets = np.array(list(itertools.product(range(-self.radius, self.radius + 1), repeat=dimensions)))
        if self.kind == "full":
            near = hexagonal_distance(offsets, hexagonal) <= self.radius if hexagonal else np.True_
            return np.broadcast_to(near, len(offsets))
        if self.kind == "ray":
            steps = np.arange(self.radius + 1)[:, None] * np.array(self.direction)
            return np.asarray((offsets[:, None, :] == steps).all(axis=2).any(axis=1))
        straight = np.asarray((offsets != 0).sum(axis=1) <= 1)
        return straight | (offsets[:, 0] * hexagonal[1] == offsets[:, 1] * hexagonal[0]) if hexagonal else straight


@dataclass(frozen=True)
class Enumeration:
    """Sizes of the feature classes that have a size parameter, and the least number of samples of a feature."""

    nearest_k: tuple[int, ...] = (1, 2, 3)  # K of FeatureRelEuclidKNearest
    line_k: tuple[int, ...] = (1, 2)  # K of FeatureRelDimKNearest
    shapes: tuple[PatternShape, ...] = (PatternShape(1, "full"), PatternShape(1, "orthogonal"))
    ray_length: int = 0  # length of patterns along rows, columns and diagonals in two dimensions; 0 means none
    relative: bool = False  # whether patterns say whose pieces are, where pieces belong to roles, and not which
    min_count: int = 1  # features that fire for fewer samples of the batch are left out

    def shapes_for(self, dimensions: int, hexagonal: tuple[int, ...] = ()) -> tuple[PatternShape, ...]:
        """Return the shapes of patterns on a board, rays to neighbours included.

        Boards of more than two dimensions get no rays: the 26 rays of three dimensions would take too much time.
        """
        if self.ray_length == 0 or dimensions > _MOST_RAY_DIMENSIONS:
            return self.shapes
        every = [step for step in itertools.product((-1, 0, 1), repeat=dimensions) if any(step)]
        steps = [step for step in every if not hexagonal or hexagonal_distance(np.array(step), hexagonal) == 1]
        return self.shapes + tuple(PatternShape(self.ray_length, "ray", step) for step in steps)
