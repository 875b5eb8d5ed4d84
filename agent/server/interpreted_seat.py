"""A seat for games that have no circuit, or none yet: the interpreter searches in a process of its own.

The process keeps the position. The seat sends it questions and stops waiting if it does not answer in time. The process
tells a legal move ahead of its answer, which is played if the search takes too long.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError, MoveError, RecordError, RuleError, UserError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.circuit import pack_states
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord
from gdl_miner.agent.server.interpreter_process import History, InterpreterProcess, Question, Reply, ToldMove
from gdl_miner.agent.server.record_folder import RecordFolder

ANSWER_S = 0.2  # part of the time for a choice that is kept for the answer
ASKED_S = 2.0  # time limit for questions that need no search
LOOK_S = 0.05  # time between two checks whether to go on waiting


class InterpretedSeat:
    """A seat that plays with the interpreter: UCT in plain Python as far as the time allows, at least a legal move."""

    def __init__(
        self,
        sheet: RuleSheet,
        role: str,
        seed: int,
        records: RecordFolder | None = None,
        process: InterpreterProcess | None = None,
    ) -> None:
        """Take a process that has no game yet, or start one.

        Raises ConfigError for a role that the rules do not have.
        """
        if role.lower() not in sheet.roles:
            raise ConfigError(f"{sheet.source}: no role {role[:40]}; the roles are {', '.join(sheet.roles)}")
        if role.lower() == CHANCE_ROLE:
            raise ConfigError(f"{sheet.source}: the role {role} moves by chance; no player takes its seat")
        self._sheet = sheet
        self._records = records
        self.role = sheet.roles.index(role.lower())
        self._pending: deque[tuple[str, ...]] = deque()
        self._process = process or InterpreterProcess()
        self._process.take(sheet, role.lower(), seed)
        self._pipe = self._process.pipe
        self._waiting = 0  # answers that are still to come
        self._position = 0  # number of joint moves made
        self._known: ToldMove | None = None  # the choice that the process told last
        self._interrupted = threading.Event()
        self._over = False
        self._send(Question("look"))

    def advance(self, moves: tuple[str, ...] | None) -> None:
        """Take the joint move that was played; the process learns it with the next question.

        Raises MoveError for a wrong number of moves or a move that is not a term.
        """
        if moves is not None:
            if len(moves) != len(self._sheet.roles):
                raise MoveError(f"{len(moves)} moves for {len(self._sheet.roles)} roles; send one for each")
            try:
                self._pending.append(tuple(map(normalise, moves)))
            except RuleError as error:
                raise MoveError(str(error)) from None
            self._position += 1

    def only_move(self) -> str | None:
        """Return None: the seat does not know without asking the process."""
        return None

    def first_move(self) -> str:
        """Return a legal move that the process has told, `nil` if it has told none."""
        return self._known_move() or "nil"

    def choose(self, seconds: float) -> str:
        """Ask the process for a move.

        Return the first legal move if it is late or the choice is interrupted, `nil` if it has not told even that.
        """
        if not self._over:
            self._interrupted.clear()
        answer = self._answer(Question("choose", (), time.monotonic() + seconds - ANSWER_S), seconds)
        if isinstance(answer, UserError):
            raise answer
        return self._known_move() or "nil"

    def settle(self) -> str | None:
        """Interrupt the choice and return the best move that the process has told, None if it has told none."""
        self.interrupt()
        return self._known_move()

    def account(self) -> str:
        """Describe the last choice by its playouts."""
        playouts = 0 if self._known is None else self._known.playouts
        return f"{playouts} playouts of the interpreter"

    def ponder(self) -> None:
        """Do nothing: there is no tree to grow."""

    def interrupt(self, *, for_good: bool = False) -> None:
        """Let `choose` return at once."""
        self._over = self._over or for_good
        self._interrupted.set()

    def goal(self) -> int | None:
        """Return the role's goal, None while the match is not over, if the rules give none, or without an answer."""
        answer = self._asked("goal")
        return answer if isinstance(answer, int) else None

    def save(self, name: str) -> Path | None:
        """Write the record of the match and return its path; None without a folder for records.

        The record has no visits, since there is no tree. Raises RecordError if the interpreter does not answer.
        """
        if self._records is None:
            return None
        history = self._asked("history")
        if not isinstance(history, History):
            raise RecordError(f"{self._sheet.source}: the interpreter does not tell the match; it is not recorded")
        record, game = seen_match(self._sheet, history, name)
        path = self._records.place(self._sheet.name, name)
        write_records(record, game, path)
        return path

    def close(self) -> None:
        """Kill the process."""
        self._process.close()

    def describe(self) -> str:
        """Describe how the seat plays."""
        return f"{self._sheet.name}, interpreted, for it is not compiled yet, or too large for that"

    def _known_move(self) -> str | None:
        known = self._known
        return self._sheet.display(known.move) if known is not None and known.position == self._position else None

    def _asked(self, what: str) -> object:
        self._interrupted.clear()
        return self._answer(Question(what), ASKED_S)

    def _send(self, ask: Question) -> None:
        try:
            self._pipe.send(ask)
            self._waiting += 1
        except OSError:
            raise MoveError(f"{self._sheet.source}: the interpreter ran out of memory") from None

    def _answer(self, ask: Question, seconds: float) -> object:
        end = time.monotonic() + seconds
        while self._pending:
            self._send(Question("advance", self._pending.popleft()))
        self._send(ask)
        answer: object = None
        while self._waiting:
            left = max(0.0, end - time.monotonic())
            if not self._pipe.poll(min(left, LOOK_S)):
                if left <= LOOK_S or self._interrupted.is_set():
                    return None
                continue
            try:
                reply: Reply = self._pipe.recv()
            except (EOFError, OSError):
                return None
            if isinstance(reply.value, ToldMove):
                self._known = reply.value
            if reply.final:
                self._waiting -= 1
                answer = reply.value
        return answer


@dataclass(frozen=True)
class _SeenNames:
    fluents: tuple[str, ...]
    moves: tuple[str, ...]
    roles: tuple[str, ...]
    move_start: NDArray[np.int32]


@dataclass(frozen=True)
class SeenGame:
    """The part of a game that the record of one match needs; `write_records` takes it in place of a machine."""

    sheet: RuleSheet
    circuit: _SeenNames


def seen_match(sheet: RuleSheet, history: History, name: str) -> tuple[MatchBatchRecord, SeenGame]:
    """Return a record of one match without visits, and the game that the numbers of the record refer to."""
    roles, n_steps = sheet.roles, len(history.states)
    fluents = tuple(sorted(frozenset().union(*history.states)))
    made = [sorted({joint[role] for joint in history.joints}) for role in range(len(roles))]
    starts = list(accumulate(map(len, made), initial=0))
    rows = [{move: starts[role] + place for place, move in enumerate(moves)} for role, moves in enumerate(made)]
    holds = np.array([[fluent in state for fluent in fluents] for state in history.states], np.bool_)
    moves = np.full((n_steps, len(roles)), NO_MOVE, np.int32)
    for step, joint in enumerate(history.joints):
        moves[step] = [rows[role][move] for role, move in enumerate(joint)]
    record = MatchBatchRecord(
        ids=(name,),
        start=np.array([0, n_steps], np.int32),
        states=pack_states(holds),
        moves=moves,
        goals=np.array([[-1 if goal is None else goal for goal in history.goals]], np.int32),
        visit_start=np.zeros(n_steps + 1, np.int64),
        visit_row=np.empty(0, np.int32),
        visit_count=np.empty(0, np.int32),
        players=np.arange(len(roles), dtype=np.int32)[None],
        playouts=np.zeros((1, len(roles)), np.int64),
    )
    names = _SeenNames(fluents, tuple(move for role in made for move in role), roles, np.array(starts, np.int32))
    return record, SeenGame(sheet, names)
