"""Searches of single positions, each with fresh trees, and the values of positions as they see them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.player import OngoingMatch, Player, Thought
from gdl_miner.agent.reasoner.machine import Machine


class SearchLimits(NamedTuple):
    """What all searches of a review have in common."""

    proves: bool  # whether goals are proven: nothing is left to chance, and one role at a time has a choice
    in_flight: int | None  # playouts at once; None: as many as suit the player
    memory_mib: int
    seed: int


class FreshSearch:
    """It searches positions of a game with some knowledge; the same position and playouts have the same result."""

    def __init__(self, machine: Machine, knowledge: Knowledge | None, limits: SearchLimits) -> None:
        self.machine = machine
        self._knowledge = knowledge
        self._limits = limits
        self._players: dict[int, Player] = {}  # by role

    def think(self, here: OngoingMatch, role: int, playouts: int) -> Thought:
        """Search a position for a role."""
        if role not in self._players:
            self._players[role] = Player(
                self.machine,
                self.machine.roles[role],
                knowledge=self._knowledge,
                parameters={"solver": self._limits.proves},
                in_flight=self._limits.in_flight,
                memory_mib=self._limits.memory_mib,
                seed=self._limits.seed,
            )
        self._players[role].begin_match(here)
        return self._players[role].think(playouts=playouts)

    def value(self, here: OngoingMatch, role: int, playouts: int, thought: Thought | None = None) -> float:
        """Return the goal, 0 to 100, that a role may expect of a position; `thought` is its search, if there is one.

        It is the mean goal of the move that the role's search chooses. Where only others have a choice, the moves of
        their searches are made until the role has one; chance moves are all made, and their values averaged. A search
        that ends early has proven the position. The moves that bring the proven goal are then made to the end.
        """
        chance = self.machine.circuit.chance_role
        while not here.ended:
            legal = [here.legal_rows(each) for each in range(len(self.machine.roles))]
            joint = [int(rows[0]) for rows in legal]
            for mover, rows in enumerate(legal):
                if len(rows) == 1 or mover == chance:
                    continue
                found = thought if thought is not None and mover == role else self.think(here, mover, playouts)
                if mover == role and not (self._limits.proves and found.playouts < playouts):
                    return found.value
                joint[mover] = found.chosen.row
            if chance < len(legal) and len(legal[chance]) > 1:
                drawn = [after(here, with_move(joint, chance, row)) for row in legal[chance].tolist()]
                return fmean(self.value(each, role, max(1, playouts // len(drawn))) for each in drawn)
            here, thought = after(here, joint), None
        return float(here.goals[role] or 0)

    def close(self) -> None:
        """End all searches."""
        for player in self._players.values():
            player.close()


def after(here: OngoingMatch, joint: Sequence[int]) -> OngoingMatch:
    """Return the position after a joint move, given as rows, as the beginning of a match."""
    return OngoingMatch(here.machine, here.machine.next(here.state, joint), joint)


def with_move(joint: Sequence[int], role: int, row: int) -> list[int]:
    """Return a joint move with another move of a role."""
    return [row if each == role else move for each, move in enumerate(joint)]
