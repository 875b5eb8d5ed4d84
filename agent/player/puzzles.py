"""The searches of a single player, and the best line that they have ever seen.

One search looks through the states systematically, the others make nested rollouts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.player.thought import Plan, Thought, TreeReport, merge
from gdl_miner.agent.reasoner.machine import Machine

__all__ = ["BestLine", "puzzle_searches"]


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
