"""The worth of moves by learned values alone, without a search, and the weights that say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gdl_miner.agent.errors import MoveError
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import Contribution, StateJudge, Values


class Reasons(NamedTuple):
    """The changes that a move makes, by the weights of values."""

    worth: float  # of the state after the move, 0 to 100
    ended: bool  # whether the match ends with the move; there are no changes then
    changes: list[Contribution]  # strongest first


class MoveWorth:
    """The worth of the moves of one game, for a role that chooses alone.

    Raises KnowledgeError where the values do not fit the game.
    """

    def __init__(self, values: Values, machine: Machine) -> None:
        self.judge = StateJudge(values, machine)
        self._machine = machine

    def of_moves(self, state: State, role: int) -> dict[int, float]:
        """Return by row what the state after each legal move of a role is worth to it, 0 to 100; goals count at ends.

        Nothing is returned where another role chooses at once, and in terminal states.
        """
        if self._machine.terminal(state):
            return {}
        rows = self._machine.legal(state)[role].tolist()
        return dict(zip(rows, map(float, self._worths(self._after(state, role, rows), role)), strict=False))

    def reasons(self, state: State, row: int) -> Reasons:
        """Return what a legal move changes.

        Raises MoveError for another move, and where another role has a choice at the same time.
        """
        legal = [] if self._machine.terminal(state) else [rows.tolist() for rows in self._machine.legal(state)]
        role = next((role for role, rows in enumerate(legal) if row in rows), None)
        if role is None:
            raise MoveError(f"{self._machine.sheet.name}: that move is not legal now")
        states = self._after(state, role, [row])
        if not states:
            raise MoveError("another role has a choice at the same time, so this move alone has no worth")
        ended = self._machine.terminal(states[0])
        changes = [] if ended else self.judge.changes(state, states[0], role)
        return Reasons(self._worths(states, role)[0], ended, changes)

    def _after(self, state: State, role: int, rows: Sequence[int]) -> list[State]:
        """Return the states after moves of a role, none where another role has a choice, too."""
        legal = self._machine.legal(state)
        if any(len(moves) > 1 for each, moves in enumerate(legal) if each != role):
            return []
        joints = ([row if each == role else int(moves[0]) for each, moves in enumerate(legal)] for row in rows)
        return [self._machine.next(state, joint) for joint in joints]

    def _worths(self, states: Sequence[State], role: int) -> list[float]:
        if not states:
            return []
        values = self.judge.values(np.array(states))[:, role].tolist()
        goals = [self._machine.goals(state)[role] or 0 if self._machine.terminal(state) else None for state in states]
        return [value if goal is None else float(goal) for value, goal in zip(values, goals, strict=True)]
