"""Many (state, move) pairs as arrays, and the same pairs seen on a board."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import NOWHERE, Geometry
from gdl_miner.agent.geometry.geometry import OFF_BOARD
from gdl_miner.agent.geometry.position import occupant_codes

__all__ = ["BatchView", "MoveBatch"]


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
