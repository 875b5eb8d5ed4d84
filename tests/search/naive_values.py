"""Learned values in the reference search: of new nodes, and of moves, which count as visited with them."""

import math

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search import PlayerSpec
from tests.search.naive_draws import Draws
from tests.search.naive_tree import Goals, Node, Proofs

RoleValues = list[float]  # [role] 0..100


class LeafValues:
    def __init__(self, machine: Machine, player: PlayerSpec, proofs: Proofs) -> None:
        self.machine, self.function, self.proofs = machine, player.values, proofs
        known = self.function is not None
        parameters = player.parameters
        if 0 < parameters.valued_playouts < player.playouts:
            parameters = parameters.without_values()
        elif 0 < parameters.trusted_playouts < player.playouts:
            parameters = parameters.mixed()
        self.weight, self.experience = parameters.value_weight, parameters.experience
        self.value_nodes = known and (self.weight > 0 or self.experience > 0)
        self.value_moves = known and self.experience > 0
        self.simulate = not self.value_nodes or self.weight < 1

    def of_state(self, state: np.ndarray) -> RoleValues:
        return self.function.values(state[None, :], self.machine.native)[0].tolist()

    def of_node(self, node: Node) -> RoleValues:
        """Return what an opened node is worth. If one role chooses, its moves are valued: the best one counts."""
        role = node.chooser
        if role is None:
            return self.of_state(node.state)
        found: RoleValues = []
        for move in node.moves[role]:
            joint = [moves[0].row for moves in node.moves]
            joint[role] = move.row
            after = self.machine.next(node.state, joint)
            if self.machine.terminal(after):
                goals = goals_of(self.machine, after)
                values = [float(goal) for goal in goals]
                self.proofs.prove(node, move.row, goals)
            else:
                values = self.of_state(after)
            move.visits += self.experience
            move.payoff += math.floor(self.experience * values[role] + 0.5)
            if not found or values[role] > found[role]:
                found = values
        return found

    def mix(self, values: RoleValues | None, brought: Goals | None, draws: Draws) -> Goals:
        """Return what a playout counts with, in whole goals.

        It is the mean of the values of a new node and of the goals that a simulation brought from there, or one of them
        alone.
        """
        if values is None or brought is None:
            exact = brought if values is None else values
        else:
            exact = [
                self.weight * value + (1 - self.weight) * other for value, other in zip(values, brought, strict=True)
            ]
        if isinstance(exact, tuple):
            return exact
        part = draws.below(2**32) / 2**32
        return tuple(
            math.floor(value + part) if role % 2 == 0 else math.ceil(value - part) for role, value in enumerate(exact)
        )


def goals_of(machine: Machine, state: np.ndarray) -> Goals:
    return tuple(max(goal or 0, 0) for goal in machine.goals(state))
