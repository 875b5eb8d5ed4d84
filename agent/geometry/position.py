"""One game state on its board: occupants of the fields, facts, targets of the last joint move."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.geometry import EMPTY, NOWHERE, Geometry
from gdl_miner.agent.reasoner.circuit import unpack_states


@dataclass(frozen=True)
class Position:
    """A state with the joint move that led to it. The plain definitions of features and metafacts read it."""

    geometry: Geometry
    facts: frozenset[int]  # indices of the fluents that hold
    occupants: tuple[int, ...]  # [point] occupant code
    last_targets: tuple[int, ...]  # points that the moves of the last joint move target

    @classmethod
    def of(cls, geometry: Geometry, state: NDArray[np.uint64], last_rows: Sequence[int] | None = None) -> "Position":
        """Unpack a state. `last_rows` holds one row per role; before the first move it is None, or its rows are -1.

        If several fluents put pieces on one field, the piece with the smallest code is the occupant of the field.
        """
        facts = frozenset(np.flatnonzero(unpack_states(state, len(geometry.fluents))).tolist())
        occupants = [EMPTY] * geometry.n_points
        for fluent in sorted(facts):
            point, piece = int(geometry.fluent_point[fluent]), int(geometry.fluent_piece[fluent])
            if point != NOWHERE and (occupants[point] == EMPTY or piece < occupants[point]):
                occupants[point] = piece
        targets = {int(geometry.move_target[row]) for row in last_rows or () if row >= 0} - {NOWHERE}
        return cls(geometry, facts, tuple(occupants), tuple(sorted(targets)))

    def target(self, row: int) -> int:
        """Return the point that a move targets, or NOWHERE."""
        return int(self.geometry.move_target[row])

    def others_by_distance(self, point: int) -> list[int]:
        """Return the other fields, nearest first; ties go by coordinates."""
        distance = self.geometry.squared_distance[point].tolist()
        others = [other for other in range(self.geometry.n_points) if other != point]
        return sorted(others, key=lambda other: (distance[other], other))


def occupant_codes(geometry: Geometry, states: NDArray[np.uint64], off_board: int) -> NDArray[np.uint8]:
    """Return [state, point + 1] the occupant codes of many packed states; the last column is off the board."""
    codes = np.full((len(states), geometry.n_points + 1), EMPTY, dtype=np.uint8)
    codes[:, -1] = off_board
    if not geometry.n_points:
        return codes
    on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
    for first in range(0, len(states), 4096):
        chunk = slice(first, first + 4096)
        holds = unpack_states(states[chunk], len(geometry.fluents))
        for code in range(len(geometry.pieces), 0, -1):  # the smallest code is written last and stays
            fluents = on_board[geometry.fluent_piece[on_board] == code]
            if len(fluents):
                _put_piece(codes[chunk], holds, fluents, geometry.fluent_point[fluents], code)
    return codes


def _put_piece(
    codes: NDArray[np.uint8],
    holds: NDArray[np.bool_],
    fluents: NDArray[np.intp],
    points: NDArray[np.int32],
    code: int,
) -> None:
    order = np.argsort(points, kind="stable")
    distinct, starts = np.unique(points[order], return_index=True)
    occupied = np.logical_or.reduceat(holds[:, fluents[order]], starts, axis=1)
    codes[:, distinct] = np.where(occupied, np.uint8(code), codes[:, distinct])
