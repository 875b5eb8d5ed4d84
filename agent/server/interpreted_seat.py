"""A seat for games too large to ground: the interpreter searches in a process of its own as far as the time allows.

The process keeps the position. The seat sends it questions and stops waiting if it does not answer in time.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import threading
import time
from collections import deque
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from agent.errors import ConfigError, MoveError, RecordError, RuleError, UserError
from agent.gdl import normalise
from agent.gdl.rules import RuleSheet
from agent.reasoner.engines import InterpreterEngine
from agent.reasoner.interpreter import Interpreter
from agent.search.plain_uct import PlainSearch
from agent.search.record_xml import write_records
from agent.server.interpreted_record import History, seen_match

__all__ = ["InterpretedSeat"]

MEMORY_MIB = 4096
ANSWER_S = 0.2  # part of the time for a choice that is kept for the answer
ASKED_S = 2.0  # time limit for questions that need no search
LOOK_S = 0.05  # time between two checks whether to go on waiting


class _Ask(NamedTuple):
    what: str  # advance, choose, goal or history
    moves: tuple[str, ...] = ()
    end: float = 0.0  # time at which a choice must end, on the monotonic clock, which processes share


class InterpretedSeat:
    """A seat that plays with the interpreter: UCT in plain Python as far as the time allows, at least a legal move."""

    def __init__(self, sheet: RuleSheet, role: str, seed: int, records: Path | None = None) -> None:
        """Start the process. Raises ConfigError for a role that the rules do not have."""
        if role.lower() not in sheet.roles:
            raise ConfigError(f"{sheet.source}: no role {role[:40]}; the roles are {', '.join(sheet.roles)}")
        self._sheet = sheet
        self._records = records
        self._pending: deque[tuple[str, ...]] = deque()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, sheet, role.lower(), seed), name="interpreter", daemon=True
        )
        self._process.start()
        theirs.close()
        self._waiting = 0  # answers that are still to come
        self._interrupted = threading.Event()
        self._over = False

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

    def only_move(self) -> str | None:
        """Return None: the seat does not know without asking the process."""
        return None

    def first_move(self) -> str:
        """Return `nil`: the seat knows no move without asking the process."""
        return "nil"

    def choose(self, seconds: float) -> str:
        """Ask the process for a move; return `nil` if it does not answer in time or the choice is interrupted."""
        if not self._over:
            self._interrupted.clear()
        answer = self._answer(_Ask("choose", (), time.monotonic() + seconds - ANSWER_S), seconds)
        if isinstance(answer, UserError):
            raise answer
        return self._sheet.display(str(answer)) if answer else "nil"

    def settle(self) -> None:
        """Interrupt the choice; the seat knows no move without the answer of the process."""
        self.interrupt()

    def account(self) -> str:
        """Return that the interpreter chose: it tells nothing of its search."""
        return "chosen by the interpreter"

    def ponder(self) -> None:
        """Do nothing: there is no tree to grow."""

    def interrupt(self, *, for_good: bool = False) -> None:
        """Let `choose` return at once."""
        self._over = self._over or for_good
        self._interrupted.set()

    def goal(self) -> int | None:
        """Return the role's goal in the current position, None if there is none."""
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
        path = self._records / f"{self._sheet.name}-{name}.xml"
        write_records(record, game, path)
        return path

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def describe(self) -> str:
        """Describe how the seat plays."""
        return f"{self._sheet.name}, interpreted, for it is too large to compile in this time"

    def _asked(self, what: str) -> object:
        self._interrupted.clear()
        return self._answer(_Ask(what), ASKED_S)

    def _send(self, ask: _Ask) -> None:
        try:
            self._pipe.send(ask)
            self._waiting += 1
        except OSError:
            raise MoveError(f"{self._sheet.source}: the interpreter ran out of memory") from None

    def _answer(self, ask: _Ask, seconds: float) -> object:
        end = time.monotonic() + seconds
        while self._pending:
            self._send(_Ask("advance", self._pending.popleft()))
        self._send(ask)
        answer: object = None
        while self._waiting:
            left = max(0.0, end - time.monotonic())
            if not self._pipe.poll(min(left, LOOK_S)):
                if left <= LOOK_S or self._interrupted.is_set():
                    return None
                continue
            try:
                answer = self._pipe.recv()
            except (EOFError, OSError):
                return None
            self._waiting -= 1
        return answer


def _work(pipe: Connection, sheet: RuleSheet, role: str, seed: int) -> None:
    """Answer questions until the pipe closes: the main function of the process."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MIB << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    game = Interpreter(sheet)
    states, joints = [game.initial()], []
    search = PlainSearch(InterpreterEngine(game), random.Random(seed))
    while True:
        try:
            ask: _Ask = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        answer: object = None
        try:
            if ask.what == "advance":
                states.append(game.next(states[-1], ask.moves))
                joints.append(ask.moves)
            elif ask.what == "goal":
                answer = game.goal(states[-1], role)
            elif ask.what == "history":
                over = game.terminal(states[-1])
                goals = tuple(game.goal(states[-1], each) if over else None for each in game.roles)
                answer = History(tuple(states), tuple(joints), goals)
            else:
                answer = _chosen(game, search, states[-1], role, ask.end)
        except ValueError as error:
            answer = MoveError(str(error))
        pipe.send(answer)


def _chosen(game: Interpreter, search: PlainSearch, state: frozenset[str], role: str, end: float) -> str:
    """Return the move that UCT visits most; the first legal move if there is no choice or no time."""
    legal = sorted(game.legal(state, role))
    if not legal:
        raise ValueError(f"{role} has no legal move")
    left = end - time.monotonic()
    if len(legal) == 1 or left <= 0:
        return legal[0]
    try:
        return search.think(state, game.roles.index(role), 0, left).move
    except RuleError:  # somewhere a role has no move
        return legal[0]
