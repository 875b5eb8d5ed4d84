"""Results of a player's search."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MoveThought", "Plan", "Thought", "TreeReport", "merge"]


class MoveThought(NamedTuple):
    """The result for one legal move."""

    move: str  # as the rule sheet spells it
    row: int  # global row of the move in the machine
    visits: int  # playouts that chose it, earlier searches of this position included
    value: float  # mean goal of these playouts, 0..100; nan if there were none
    verdict: int = 0  # 1: proven that no move brings more, -1: proven to bring the least, 0: neither


class Plan(NamedTuple):
    """The moves that a single player is going to make."""

    rows: tuple[int, ...]
    goal: int | None  # at the end of the match; None if the moves do not lead there
    proven: bool  # whether no line brings more


@dataclass(frozen=True)
class Thought:
    """The result of a search for its role."""

    moves: tuple[MoveThought, ...]  # every legal move, best first
    playouts: int  # made in this search, all trees together
    nodes: int  # states in the transposition tables
    bytes: int  # size of the transposition tables
    seconds: float  # wall-clock
    plan: Plan | None = None  # of a single player, whose playouts are the states that it has seen
    drawn: MoveThought | None = None  # the move drawn by its visits where several roles choose at once

    @property
    def chosen(self) -> MoveThought:
        """The move to play: the one drawn, else the first by verdict, then by visits, by value and by the lower row."""
        return self.drawn or self.moves[0]

    @property
    def move(self) -> str:
        """The move to play."""
        return self.chosen.move

    @property
    def value(self) -> float:
        """Mean goal of the playouts that chose the move to play, 0..100; nan if there were none."""
        return self.chosen.value


class TreeReport(NamedTuple):
    """The report of the native thinker on one tree."""

    rows: NDArray[np.int32]  # [n_moves] ascending; empty if the time did not suffice to list them
    visits: NDArray[np.int64]  # [n_moves]
    payoffs: NDArray[np.int64]  # [n_moves] sum of goals
    verdicts: NDArray[np.int64]  # [n_moves] as in MoveThought
    solved: bool  # whether the root is solved
    playouts: int
    nodes: int
    bytes: int
    goal: int = -1  # of a puzzle search: at the end of `line`, -1 if it does not lead to an end
    line: NDArray[np.int32] | None = None  # [n] of a puzzle search: rows of the moves that it would make


def merge(rows: NDArray[np.int32], names: Iterable[str], trees: Iterable[TreeReport], seconds: float) -> Thought:
    """Add up the reports of several trees on the legal rows.

    This is root parallelisation (Chaslot, Winands & van den Herik 2008).
    """
    visits = np.zeros(len(rows), np.int64)
    payoffs = np.zeros(len(rows), np.int64)
    verdicts = np.zeros(len(rows), np.int64)
    playouts = nodes = size = 0
    for tree in trees:
        if len(tree.rows) == len(rows):
            visits += tree.visits
            payoffs += tree.payoffs
            verdicts += tree.verdicts
        playouts, nodes, size = playouts + tree.playouts, nodes + tree.nodes, size + tree.bytes
    moves = [
        MoveThought(name, row, count, total / count if count else math.nan, verdict)
        for name, row, count, total, verdict in zip(
            names, rows.tolist(), visits.tolist(), payoffs.tolist(), np.sign(verdicts).tolist(), strict=True
        )
    ]
    moves.sort(key=lambda each: (-each.verdict, -each.visits, -each.value if each.visits else 0.0, each.row))
    return Thought(tuple(moves), playouts, nodes, size, seconds)
