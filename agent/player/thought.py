"""Results of searches: those of several trees, and the best line of a single player."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine


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
    moves.sort(key=lambda move: (-move.verdict, -move.visits, -move.value if move.visits else 0.0, move.row))
    return Thought(tuple(moves), playouts, nodes, size, seconds)


def puzzle_searches(machine: Machine, threads: int, memory_mib: int) -> list[_native.PuzzleSearch]:
    """Return the searches of so many threads for a game of one role.

    One search alone takes turns between both ways. The memory is that of the systematic search.
    """
    works = ["alternate"] if threads == 1 else ["systematic first", *["rollouts only"] * (threads - 1)]
    return [_native.PuzzleSearch(machine.native, memory_mib << 20, work) for work in works]


class BestLine:
    """The best line that the searches of a match have seen from its position to an end."""

    def __init__(self) -> None:
        self.plan: Plan | None = None

    @property
    def proven(self) -> bool:
        """Whether there is a line, and no line brings more."""
        return self.plan is not None and self.plan.proven

    def advance(self, row: int) -> None:
        """Take the move that was made: the rest of the line stays if the move is its first."""
        plan, self.plan = self.plan, None
        if plan is not None and plan.rows[0] == row and len(plan.rows) > 1:
            self.plan = plan._replace(rows=plan.rows[1:])

    def forget(self) -> None:
        """Forget the line."""
        self.plan = None

    def merge(
        self, rows: NDArray[np.int32], names: Iterable[str], trees: Iterable[TreeReport], seconds: float
    ) -> Thought:
        """Make a thought of the reports of several searches: it follows the best of their lines and the kept one.

        A line is better if it has the larger goal at its end, then if it is shorter; among equals the one with the
        lower rows counts. Moves that only lead to a promising state are better than a line to the goal 0.
        """
        reports = list(trees)
        lines = [tree for tree in reports if len(tree.rows) == len(rows)]
        if self.plan is not None:
            lines.append(_report(self.plan, rows))
        best = min(lines, key=_order, default=None)
        thought = merge(rows, names, [] if best is None else [best], seconds)
        line = () if best is None or best.line is None else tuple(best.line.tolist())
        plan = Plan(line, None if best.goal < 0 else best.goal, best.solved) if best is not None and line else None
        if plan is not None and plan.goal is not None:
            self.plan = plan
        return replace(
            thought,
            playouts=sum(tree.playouts for tree in reports),
            nodes=sum(tree.nodes for tree in reports),
            bytes=sum(tree.bytes for tree in reports),
            plan=plan,
        )


def _report(plan: Plan, rows: NDArray[np.int32]) -> TreeReport:
    """Return the report of a search that knows the plan and has seen no states."""
    follows = (rows == plan.rows[0]).astype(np.int64)
    goal = -1 if plan.goal is None else plan.goal
    return TreeReport(
        rows=rows,
        visits=follows,
        payoffs=follows * goal,
        verdicts=follows * plan.proven,
        solved=plan.proven,
        playouts=0,
        nodes=0,
        bytes=0,
        goal=goal,
        line=np.array(plan.rows, np.int32),
    )


def _order(tree: TreeReport) -> tuple[int, int, tuple[int, ...]]:
    """Sort reports: lines that bring something, the largest goal first, then promises, then lines to the goal 0."""
    line = () if tree.line is None else tuple(tree.line.tolist())
    if tree.goal > 0:
        rank = -tree.goal
    elif line and tree.goal < 0:
        rank = 0
    else:
        rank = 1 if line else 2
    return rank, len(line), line
