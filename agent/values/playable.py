"""Playable cells: an empty cell to which a role may move is another content of a tuple than one to which none may.

A legal move makes the cells playable that it names and that hold no piece. Where several roles may move to a cell, that
is a content of its own. Contents are facts beside those of the state, which are numbered after the fluents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.gdl.board import PartialPoint
from gdl_miner.agent.geometry import NOWHERE, Symmetry, geometry_of
from gdl_miner.agent.geometry.geometry import BoardNames
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.values.random_play import blank_of, changing_points, sampled_states

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

_MAY = "(may"  # begins the name of the content of a playable cell


@dataclass(frozen=True, eq=False)
class PlayableCells:
    """The facts of the playable cells of a game, as arrays for the native module (circuit/playable_cells.hpp).

    Fact `cell * kinds + role` says that the role alone may move to the empty cell, the last one of a cell, which it has
    where several roles may move at once, that several may.
    """

    n_roles: int
    several: bool  # whether there is a fact of several roles
    piece_start: NDArray[np.int32]  # [cell + 1] into the array below; cells are the points of the board
    pieces: NDArray[np.int32]  # fluents that put a piece there
    row_start: NDArray[np.int32]  # [row + 1] into the array below
    row_cells: NDArray[np.int32]  # cells that the move names
    row_role: NDArray[np.int32]  # [row] whose move it is

    @property
    def kinds(self) -> int:
        """Facts of a cell."""
        return self.n_roles + self.several

    @property
    def n_facts(self) -> int:
        """Number of facts."""
        return (len(self.piece_start) - 1) * self.kinds

    def images(self, symmetry: Symmetry) -> NDArray[np.int32]:
        """Return [fact] its image."""
        kinds = np.array([*symmetry.roles, self.n_roles][: self.kinds], np.int32)
        return (symmetry.points[:, None] * self.kinds + kinds).ravel().astype(np.int32)

    def plain(self, machine: Machine, state: NDArray[np.uint64]) -> list[int]:
        """Return the facts of a packed state, ascending: the plain twin of the native module."""
        held = set(np.flatnonzero(unpack_states(state, len(machine.fluents))).tolist())
        named = [
            {cell for row in rows for cell in self.row_cells[self.row_start[row] : self.row_start[row + 1]].tolist()}
            for rows in (each.tolist() for each in machine.legal(state))
        ]
        found: list[int] = []
        for cell in range(len(self.piece_start) - 1):
            movers = [role for role, cells in enumerate(named) if cell in cells]
            if movers and held.isdisjoint(self.pieces[self.piece_start[cell] : self.piece_start[cell + 1]].tolist()):
                several = self.several and len(movers) > 1
                found += [cell * self.kinds + kind for kind in ([self.n_roles] if several else movers)]
        return found

    def in_states(self, machine: Machine, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return [state, fact] the facts of packed states."""
        return unpack_states(_native.StateBatch(machine.native).playable(states, self), self.n_facts)


@dataclass(frozen=True, eq=False)
class PlayableSample:
    """Statistics of the playable cells of a game over random matches."""

    cells: PlayableCells
    kinds: tuple[tuple[int, ...], ...]  # [turn] kinds of facts that occur in it
    telling: bool  # whether some empty cells are playable and others of the same state are not


def content_name(machine: Machine, kind: int) -> str:
    """Return the name of the content of a cell to which a role may move, or several: `(may white)`, `(may)`."""
    return f"{_MAY} {machine.roles[kind]})" if kind < len(machine.roles) else f"{_MAY})"


def mover_named(content: str) -> str | None:
    """Return the role in the name of the content of a playable cell, empty for several, None for another content."""
    if content == f"{_MAY})":
        return ""
    return content[len(_MAY) + 1 : -1] if content.startswith(f"{_MAY} ") else None


@lru_cache(maxsize=2)
def playable_sample(machine: Machine, turns: tuple[int, ...]) -> PlayableSample:
    """Return the playable cells of a game, always the same ones.

    `turns` are the fluents that tell the turns (`find_turns`).
    """
    states = sampled_states(machine)
    facts = unpack_states(states, len(machine.fluents))
    shown = np.column_stack([facts[:, list(turns)], np.ones(len(states), np.bool_)]).argmax(axis=1)
    cells = _cells(machine, several=False)
    by_role = cells.in_states(machine, states).reshape(len(states), -1, len(machine.roles))
    movers: NDArray[np.bool_] = np.any(by_role, axis=1)
    several = bool((movers.sum(axis=1) > 1).any())
    kinds = []
    for turn in range(len(turns) + 1):
        roles = np.flatnonzero(movers[shown == turn].any(axis=0)).tolist()
        kinds.append((*roles, len(machine.roles)) if several and len(roles) > 1 else tuple(roles))
    changing = list(changing_points(machine))
    empty = ~_filled(cells, facts)[:, changing]
    playable: NDArray[np.bool_] = np.any(by_role, axis=2)[:, changing]
    telling = (playable & empty).any(axis=1) & (~playable & empty).any(axis=1)
    return PlayableSample(_cells(machine, several) if several else cells, tuple(kinds), bool(telling.any()))


def _cells(machine: Machine, several: bool) -> PlayableCells:
    geometry, board = geometry_of(machine), machine.board
    on_point: list[list[int]] = [[] for _ in range(geometry.n_points)]
    for fluent, (point, piece) in enumerate(zip(geometry.fluent_point, geometry.fluent_piece, strict=True)):
        if point != NOWHERE and piece != blank_of(machine):
            on_point[point].append(fluent)
    index: dict[PartialPoint, int] = dict(geometry.point_index.items())
    named: list[list[int]] = []
    for move in geometry.moves:
        points = [] if board is None else _points_named(board, move)
        named.append(sorted({index[point] for point in points if point in index}))
    return PlayableCells(
        n_roles=len(machine.roles),
        several=several,
        piece_start=_starts(on_point),
        pieces=np.array([fluent for each in on_point for fluent in each], np.int32),
        row_start=_starts(named),
        row_cells=np.array([cell for each in named for cell in each], np.int32),
        row_role=np.repeat(np.arange(len(machine.roles), dtype=np.int32), np.diff(geometry.move_start)),
    )


def _points_named(board: BoardNames, move: str) -> list[PartialPoint]:
    points: list[PartialPoint] = []

    def kept(point: PartialPoint) -> PartialPoint:
        points.append(point)
        return point

    board.with_points(move, kept)
    return points


def _starts(lists: list[list[int]]) -> NDArray[np.int32]:
    return np.cumsum([0, *map(len, lists)]).astype(np.int32)


def _filled(cells: PlayableCells, facts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return [state, cell] whether a piece stands there."""
    filled = np.zeros((len(facts), len(cells.piece_start) - 1), np.bool_)
    np.logical_or.at(filled.T, np.repeat(np.arange(filled.shape[1]), np.diff(cells.piece_start)), facts.T[cells.pieces])
    return filled
