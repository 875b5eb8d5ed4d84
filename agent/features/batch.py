"""Many (state, move) pairs as arrays, the same pairs seen on a board, and what is looked for in them."""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import NOWHERE, Geometry
from gdl_miner.agent.geometry.geometry import OFF_BOARD
from gdl_miner.agent.geometry.lattice import hexagonal_distance
from gdl_miner.agent.geometry.position import occupant_codes

_MOST_RAY_DIMENSIONS = 2


@dataclass(frozen=True, eq=False)
class MoveBatch:
    """(state, move) pairs; `row` is the move of a pair, whether it was made or only possible."""

    states: NDArray[np.uint64]  # [state, word] packed
    last_rows: NDArray[np.int32]  # [state, role] rows of the joint move that led here, -1 before the first move
    state_index: NDArray[np.int32]  # [sample]
    row: NDArray[np.int32]  # [sample] global row

    def __post_init__(self) -> None:
        if len(self.states) != len(self.last_rows) or self.state_index.shape != self.row.shape:
            raise ValueError(
                f"{len(self.states)} states with {len(self.last_rows)} last moves and {len(self.state_index)} state "
                f"indices with {len(self.row)} rows; the numbers must agree"
            )


@dataclass(frozen=True, eq=False)
class BatchView:
    """A batch seen on its board."""

    batch: MoveBatch
    geometry: Geometry

    @property
    def n_samples(self) -> int:
        """Number of pairs."""
        return len(self.batch.row)

    @property
    def state_index(self) -> NDArray[np.int32]:
        """[sample] index into states."""
        return self.batch.state_index

    @property
    def row(self) -> NDArray[np.int32]:
        """[sample] global row of the move."""
        return self.batch.row

    @cached_property
    def target(self) -> NDArray[np.int32]:
        """[sample] point that the move targets, NOWHERE if it has no target."""
        return self.geometry.move_target[self.batch.row]

    @cached_property
    def occupants(self) -> NDArray[np.uint8]:
        """[state, point + 1] occupant codes; the last column is off the board."""
        return occupant_codes(self.geometry, self.batch.states, OFF_BOARD)

    @cached_property
    def last_targets(self) -> NDArray[np.int32]:
        """[state, role] point that each role's last move targeted, NOWHERE if there was no such move or target."""
        rows = self.batch.last_rows
        return np.where(rows >= 0, self.geometry.move_target[rows], np.int32(NOWHERE))


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
