"""The tree of the reference search: nodes and moves, a table that evicts states, and proofs of goals."""

from dataclasses import dataclass, field

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine

Goals = tuple[int, ...]


@dataclass
class Move:
    row: int
    prior: float = 1.0
    visits: int = 0
    payoff: int = 0


@dataclass
class Node:
    state: np.ndarray
    goals: Goals | None  # goals of a terminal state, or proven ones
    visits: int = 0
    moves: list[list[Move]] | None = None  # [role][move]; None until they are needed
    ranked: bool = False
    last_visit: int = 0
    solved: bool = False
    proven: dict[int, int] = field(default_factory=dict)  # goals that moves of the chooser are proven to bring it
    outcome: Goals = ()  # goals of the best of them
    chance: int | None = None  # the role that moves at random

    @property
    def chooser(self) -> int | None:
        """The one role with a choice, role 0 if there is none, None if there are several or chance has one."""
        choosers = [role for role, moves in enumerate(self.moves) if len(moves) > 1]
        return None if len(choosers) > 1 or choosers == [self.chance] else [*choosers, 0][0]


Path = list[tuple[Node, list[Move]]]


class Table:
    """The states known; the sixteenth of them that was visited longest ago gives way to new ones."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.nodes: dict[bytes, Node] = {}
        self.clock = 0

    def visit(self, node: Node) -> None:
        self.clock += 1
        node.last_visit = self.clock

    def look_up(self, state: np.ndarray) -> Node | None:
        return self.nodes.get(state.tobytes())

    def add(self, state: np.ndarray, goals: Goals | None, keep_since: int) -> Node | None:
        """Return a new node; None if all others were visited at or after `keep_since` and fill the table."""
        if len(self.nodes) >= self.most:
            old = sorted((node for node in self.nodes.values() if node.last_visit < keep_since), key=by_last_visit)
            for node in old[: max(1, len(self.nodes) // 16)]:
                del self.nodes[node.state.tobytes()]
        if len(self.nodes) >= self.most:
            return None
        node = self.nodes[state.tobytes()] = Node(state, goals)
        self.visit(node)
        return node


def by_last_visit(node: Node) -> int:
    return node.last_visit


class Proofs:
    """MCTS-Solver: goals that are proven, from the ends of matches up."""

    def __init__(self, machine: Machine, on: bool) -> None:
        roles, values = machine.circuit.goal_role.tolist(), machine.circuit.goal_value.tolist()
        every = range(len(machine.roles))
        goals = [[value for of, value in zip(roles, values, strict=True) if of == role] for role in every]
        self.most, self.least = [max(each, default=0) for each in goals], [min(each, default=100) for each in goals]
        self.on = on

    def prove(self, node: Node, row: int, goals: Goals) -> bool:
        """Record what a move of the chooser leads to; return whether the node is solved."""
        role = node.chooser
        if not self.on or role is None or node.solved or row in node.proven:
            return node.solved
        node.proven[row] = goals[role]
        if not node.outcome or goals[role] > node.outcome[role]:
            node.outcome = goals
        if goals[role] == self.most[role] or len(node.proven) == len(node.moves[role]):
            node.solved, node.goals = True, node.outcome
        return node.solved

    def back_up(self, path: Path, goals: Goals) -> None:
        for node, chosen in reversed(path):
            role = node.chooser
            if role is None or not self.prove(node, chosen[role].row, goals):
                return
            goals = node.goals

    def verdict(self, node: Node, role: int, row: int) -> int:
        """Return 1 for a move proven best, -1 for one proven to bring the least while others may bring more."""
        if row not in node.proven:
            return 0
        if node.solved and node.proven[row] == node.outcome[role]:
            return 1
        return -1 if node.proven[row] <= self.least[role] else 0
