"""A match in progress: the states it went through, the moves made, and the visits of the players' searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import MoveError, RuleError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.player.thought import Thought
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine, endless, illegal_move, match_over, no_legal_move
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord

MoveChooser: TypeAlias = "Callable[[OngoingMatch, int, int], int]"
"""A player as a function: it takes a match, a role that has a choice there and a seed, and returns a legal row."""


@dataclass
class _Step:
    state: State
    joint: tuple[int, ...] = ()  # [role] global row of the move; empty until the joint move is made
    visits: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # by role: rows and visits, ascending
    playouts: dict[int, int] = field(default_factory=dict)  # by role


class OngoingMatch:
    """One match of a game. Roles are numbered in the order of the sheet; moves go in and out as texts."""

    def __init__(self, machine: Machine, start: State | None = None, before: Sequence[int] = ()) -> None:
        """Begin a match, by default in the initial state; `before` is the joint move that led to another `start`."""
        self.machine = machine
        self._steps = [_Step(machine.initial() if start is None else start)]
        self._before = tuple(before)

    @property
    def state(self) -> State:
        """[words] the packed state now."""
        return self._steps[-1].state

    @property
    def number(self) -> int:
        """Number of joint moves made so far."""
        return len(self._steps) - 1

    @property
    def last_rows(self) -> NDArray[np.int32]:
        """[n_roles] the joint move that led here, empty at the start of a whole match."""
        return np.array(self._steps[-2].joint if self.number else self._before, np.int32)

    @property
    def joints(self) -> tuple[tuple[str, ...], ...]:
        """[move][role] the moves made, canonical."""
        return tuple(tuple(self.machine.circuit.moves[row] for row in step.joint) for step in self._steps[:-1])

    @property
    def ended(self) -> bool:
        """Whether the state is terminal."""
        return self.machine.terminal(self.state)

    @property
    def goals(self) -> tuple[int | None, ...]:
        """[n_roles] goals in the state now, None where the rules give none."""
        return self.machine.goals(self.state)

    @property
    def facts(self) -> list[str]:
        """Fluents that are true now, sorted."""
        return self.machine.facts(self.state)

    def legal_rows(self, role: int) -> NDArray[np.int32]:
        """Return the [n_moves] legal global rows of a role, ascending.

        Raises RuleError if the role has none and the match is not over.
        """
        rows = self.machine.legal(self.state)[role]
        if len(rows) == 0 and not self.ended:
            raise no_legal_move(self.machine, role)
        return rows

    def legal(self, role: int) -> tuple[str, ...]:
        """Return the legal moves of a role, canonical, in the order of their rows. Raises as `legal_rows` does."""
        return tuple(self.machine.circuit.moves[row] for row in self.legal_rows(role))

    def advance(self, joint: Sequence[str]) -> None:
        """Make a joint move: one move for each role, in any spelling.

        Raises:
            MoveError: too few or too many moves, an illegal one, or a match that is over.
        """
        if self.ended:
            raise match_over(self.machine, self.number)
        if len(joint) != len(self.machine.roles):
            raise MoveError(
                f"{self.machine.sheet.name}: {len(joint)} moves given; give one for each of "
                f"{', '.join(self.machine.roles)}"
            )
        self.advance_rows([self.row(role, move) for role, move in enumerate(joint)])

    def advance_rows(self, joint: Sequence[int]) -> None:
        """Make a joint move given as legal rows, one for each role. Raises RuleError where the match is endless."""
        if self.number >= LONGEST_MATCH:
            raise endless(self.machine.sheet.source)
        self._steps[-1].joint = tuple(int(row) for row in joint)
        self._steps.append(_Step(self.machine.next(self.state, joint)))

    def row(self, role: int, move: str) -> int:
        """Return the global row of a legal move in any spelling. Raises MoveError for any other."""
        try:
            row = self.machine.row(role, normalise(move))
        except (ValueError, RuleError):
            row = NO_MOVE
        if row == NO_MOVE or row not in self.legal_rows(role):
            raise illegal_move(self.machine, role, move, self.legal_rows(role))
        return row

    def take_back(self, count: int = 1) -> None:
        """Undo the last `count` joint moves. Raises MoveError if fewer were made."""
        if not 0 <= count <= self.number:
            raise MoveError(f"{self.machine.sheet.name}: {self.number} moves were made; {count} cannot be taken back")
        for _ in range(count):
            self._steps.pop()
            self._steps[-1] = _Step(self.state)

    def note(self, role: int, thought: Thought, number: int | None = None) -> None:
        """Keep the visits of a search for the record.

        The searched position is the one after `number` joint moves, by default the position now.
        """
        if number is not None and number >= len(self._steps):
            return  # the position was taken back
        step = self._steps[-1 if number is None else number]
        step.visits[role] = sorted((move.row, move.visits) for move in thought.moves)
        step.playouts[role] = thought.playouts

    def record(self, name: str, players: Mapping[int, int] | None = None) -> MatchBatchRecord:
        """Return the match so far as a record of one match.

        Args:
            name: id of the match.
            players: number of the player in each seat; by default the number of the role.
        """
        n_roles, n_steps = len(self.machine.roles), len(self._steps)
        moves = np.full((n_steps, n_roles), NO_MOVE, np.int32)
        visits: list[tuple[int, int]] = []
        visit_start = np.zeros(n_steps + 1, np.int64)
        playouts = np.zeros((1, n_roles), np.int64)
        for number, step in enumerate(self._steps):
            if number < n_steps - 1:
                moves[number] = step.joint
                for role in sorted(step.visits):
                    visits += step.visits[role]
                for role, count in step.playouts.items():
                    playouts[0, role] += count
            visit_start[number + 1] = len(visits)
        goals = self.goals if self.ended else (None,) * n_roles
        return MatchBatchRecord(
            ids=(name,),
            start=np.array([0, n_steps], np.int32),
            states=np.array([step.state for step in self._steps], np.uint64),
            moves=moves,
            goals=np.array([[-1 if goal is None else goal for goal in goals]], np.int32),
            visit_start=visit_start,
            visit_row=np.array([row for row, _ in visits], np.int32),
            visit_count=np.array([count for _, count in visits], np.int32),
            players=np.array([[(players or {}).get(role, role) for role in range(n_roles)]], np.int32),
            playouts=playouts,
        )
