"""What a player found out about its moves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MoveThought", "Thought", "TreeReport", "merge"]


class MoveThought(NamedTuple):
    """One legal move."""

    move: str  # as the rule sheet spells it
    row: int  # global row of the move in the machine
    visits: int  # playouts that chose it, those of earlier searches of this position included
    value: float  # mean goal of those playouts, 0..100; nan where there were none
    verdict: int = 0  # 1: proven that no move brings more, -1: proven to bring the least, 0: neither


@dataclass(frozen=True)
class Thought:
    """What a search found for its role."""

    moves: tuple[MoveThought, ...]  # every legal move, best first
    playouts: int  # of this search, all trees together
    nodes: int  # states in the transposition tables
    bytes: int  # size of the transposition tables
    seconds: float  # wall-clock

    @property
    def move(self) -> str:
        """The move to play: proven best, or the most visited not proven worst; then of larger value, of lower row."""
        return self.moves[0].move

    @property
    def value(self) -> float:
        """Mean goal expected of the best move, 0..100; nan where nothing was tried."""
        return self.moves[0].value


class TreeReport(NamedTuple):
    """What the native thinker returns for one tree."""

    rows: NDArray[np.int32]  # [n_moves] ascending; empty where the time did not even list them
    visits: NDArray[np.int64]  # [n_moves]
    payoffs: NDArray[np.int64]  # [n_moves] sum of goals
    verdicts: NDArray[np.int64]  # [n_moves] as of a MoveThought
    solved: bool  # nothing is left to find out
    playouts: int
    nodes: int
    bytes: int


def merge(rows: NDArray[np.int32], names: Iterable[str], trees: Iterable[TreeReport], seconds: float) -> Thought:
    """Add up what several trees say of the legal rows (root parallelisation, Chaslot et al. 2008)."""
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
