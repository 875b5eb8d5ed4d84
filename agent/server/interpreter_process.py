"""A process that plays one game with the interpreter: it keeps the position and answers questions about it.

Asked for a move, it first tells a legal one, and then searches by UCT in plain Python. A question ends the search of
the question before.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import random
import resource
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

from gdl_miner.agent.errors import MoveError, RuleError
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.engines import InterpreterEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.search.plain_uct import PlainSearch, PlainThought

MEMORY_MIB = 4096
LEAST_S = 1e-6


class Question(NamedTuple):
    """A question to the process, or a joint move that it should make."""

    what: str  # advance, look, choose, goal or history
    moves: tuple[str, ...] = ()
    end: float = 0.0  # time at which a choice must end, on the monotonic clock, which processes share


class ToldMove(NamedTuple):
    """A legal move: any one, or the one that a search chose."""

    position: int  # number of joint moves made before
    move: str  # canonical
    playouts: int = 0


class Reply(NamedTuple):
    """An answer of the process, or a choice that comes ahead of it."""

    final: bool
    value: object


class History(NamedTuple):
    """The states and joint moves of a match so far."""

    states: tuple[frozenset[str], ...]  # canonical facts; one state more than joint moves
    joints: tuple[tuple[str, ...], ...]  # [move][role] canonical moves
    goals: tuple[int | None, ...]  # [role]; None if the match is not over, or if the rules give no goal


class InterpreterProcess:
    """The process; it starts at once, which takes a second or so, and takes a game later."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), name="interpreter", daemon=True)
        self._process.start()
        theirs.close()

    def wait(self, seconds: float) -> None:
        """Wait at most so long until the process can take a game; call it before `take`."""
        self.pipe.poll(seconds)

    def take(self, sheet: RuleSheet, role: str, seed: int) -> None:
        """Give the process its game; it takes one only. Raises OSError if the process has ended."""
        self.pipe.send((sheet, role, seed))

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


class _TimeUpError(Exception):
    """The time for a choice is over, or there is another question."""


class _Clock:
    """Ends the work of the interpreter when a search should end; outside of searches it never does."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.end = math.inf  # on the monotonic clock

    def tick(self) -> None:
        """Raise `_TimeUpError` if a search should end."""
        if self.end < math.inf and (time.monotonic() > self.end or self._pipe.poll()):
            raise _TimeUpError


class _InterruptibleEngine(InterpreterEngine):
    """The interpreter for searches; the clock is looked at before every move, however few steps it takes."""

    def __init__(self, game: Interpreter, clock: _Clock) -> None:
        super().__init__(game)
        self._clock = clock

    def next(self, state: frozenset[str], moves: Sequence[str]) -> frozenset[str]:
        """Return the state after one legal move per role."""
        self._clock.tick()
        return super().next(state, moves)


def _work(pipe: Connection) -> None:
    """Take a game, then answer questions until the pipe closes: the main function of the process."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MIB << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        pipe.send(Reply(False, None))  # it is ready; a seat passes over a reply without a move
        sheet, role, seed = pipe.recv()
    except (EOFError, OSError, KeyboardInterrupt):
        return
    clock = _Clock(pipe)
    game = Interpreter(sheet, clock.tick)
    states, joints = [game.initial()], []
    search = PlainSearch(_InterruptibleEngine(game, clock), random.Random(seed))
    while True:
        try:
            ask: Question = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        answer: object = None
        try:
            if ask.what == "advance":
                states.append(game.next(states[-1], ask.moves))
                joints.append(ask.moves)
            elif ask.what == "goal":
                answer = game.goal(states[-1], role) if game.terminal(states[-1]) else None
            elif ask.what == "history":
                over = game.terminal(states[-1])
                goals = tuple(game.goal(states[-1], role) if over else None for role in game.roles)
                answer = History(tuple(states), tuple(joints), goals)
            else:
                move = game.some_legal(states[-1], role)
                if move is None:
                    raise ValueError(f"{role} has no legal move")
                answer = ToldMove(len(joints), move)
                if ask.what == "choose":
                    pipe.send(Reply(False, answer))
                    clock.end = ask.end
                    thought = _thought(game, search, states[-1], role, clock)
                    clock.end = math.inf
                    if thought.move:
                        answer = ToldMove(len(joints), thought.move, thought.playouts)
        except ValueError as error:
            answer = MoveError(str(error))
        pipe.send(Reply(True, answer))


def _thought(game: Interpreter, search: PlainSearch, state: frozenset[str], role: str, clock: _Clock) -> PlainThought:
    """Return what UCT finds until the end of the clock; a playout that is cut off does not count.

    The move is empty where there is no choice, or no time to list the moves.
    """
    number = game.roles.index(role)
    try:
        if len(game.legal(state, role)) == 1:
            return PlainThought("", 0)
    except _TimeUpError:
        return PlainThought("", 0)
    try:
        return search.think(state, number, 0, max(LEAST_S, clock.end - time.monotonic()))
    except (_TimeUpError, RuleError):  # or somewhere a role has no move
        return search.known(state, number)
