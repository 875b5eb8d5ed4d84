"""A process of its own for what rules from outside may blow up: reading, recognising, grounding, compiling them.

It is killed, not asked, when its time is over. So a hostile rule sheet costs the server neither its event loop nor its
memory, and what is prepared comes back whole.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from agent.errors import BudgetError, UserError
from agent.gdl.check import require_playable
from agent.gdl.renaming import Renaming
from agent.gdl.rules import RuleSheet, parse_sheet
from agent.knowledge import Knowledge, read_knowledge
from agent.reasoner import cache
from agent.reasoner.budget import Budget
from agent.reasoner.circuit import Circuit
from agent.reasoner.prepare import prepare
from agent.server.known_games import KnownGames

__all__ = ["Preparation", "Workshop"]

DEFAULT_MEMORY_MIB = 4096
READY = "ready"  # what the process says first


@dataclass(frozen=True)
class Preparation:
    """All that playing a game takes. Without a circuit the rules were too large for the time there was."""

    theirs: RuleSheet  # as it came, for its roles and its spelling
    sheet: RuleSheet  # what is played
    renaming: Renaming | None  # from theirs to sheet
    knowledge: Knowledge | None
    circuit: Circuit | None
    warning: str  # what went wrong on the way; empty for nothing


class _Task(NamedTuple):
    rules: str
    source: str
    seconds: float


class Workshop:
    """Prepares one game at a time. `prepare` may be called from one thread, `cancel` from any."""

    def __init__(self, knowledge: Path | None = None, memory_mib: int = DEFAULT_MEMORY_MIB) -> None:
        self._knowledge = knowledge
        self._memory_mib = memory_mib
        self._lock = threading.Lock()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._greeted = False
        self._closed = False

    def warm_up(self, wait_s: float = 0.0) -> None:
        """Start the process, so that the next preparation does not wait for it; wait until it is there."""
        self._start()
        if self._pipe is not None and not self._greeted:
            self._pipe.poll(wait_s)  # the next preparation reads the greeting

    def _start(self) -> None:
        with self._lock:
            if self._closed or (self._process is not None and self._process.is_alive()):
                return
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(theirs, self._knowledge, self._memory_mib), name="workshop", daemon=True
            )
            process.start()
            theirs.close()
            self._process, self._pipe, self._greeted = process, ours, False

    def prepare(self, rules: str, source: str, seconds: float) -> Preparation:
        """Prepare a game; without a circuit where that does not end in time, or needs more memory than there is.

        Raises:
            UserError: rules that are no game (`RuleError`), or not even read in time (`BudgetError`).
        """
        end = time.monotonic() + seconds
        self._start()
        pipe = self._pipe
        theirs: RuleSheet | None = None
        problem = f"not prepared within {seconds:g} s"
        try:
            if pipe is None:
                raise EOFError
            pipe.send(_Task(rules, source, seconds))
            while pipe.poll(max(0.0, end - time.monotonic())):
                found = pipe.recv()
                self._greeted = True
                if isinstance(found, UserError):
                    raise found
                if isinstance(found, Preparation):
                    return found
                theirs = found if isinstance(found, RuleSheet) else None
        except (EOFError, OSError):
            problem = "preparing it was broken off; it needs too much, or was aborted"
        self.restart()
        if theirs is None:
            raise BudgetError(f"{source}: {problem}; give it a longer start clock")
        return Preparation(theirs, theirs, None, None, None, f"{source}: {problem}")

    def cancel(self) -> None:
        """Kill the process and what it does; the next preparation starts another."""
        with self._lock:
            process, self._process, self._pipe = self._process, None, None
        if process is not None and process.pid is not None:
            with suppress(ProcessLookupError):  # it has not come as far as making a group
                os.killpg(process.pid, signal.SIGKILL)  # with the grounder it started
            process.kill()
            process.join()

    def restart(self) -> None:
        """Kill what is being prepared and be ready for the next game."""
        self.cancel()
        self.warm_up()

    def close(self) -> None:
        """End for good."""
        self._closed = True
        self.cancel()


def _work(pipe: Connection, knowledge: Path | None, memory_mib: int) -> None:
    """What the process does: serve tasks until the pipe closes."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    known_games = KnownGames(knowledge)
    pipe.send(READY)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            theirs = parse_sheet(task.rules, task.source)
            pipe.send(theirs)
            answer: object = _prepared(theirs, task.seconds, known_games, memory_mib)
        except UserError as error:
            answer = error
        except (MemoryError, RecursionError) as error:
            answer = BudgetError(f"{task.source}: the rules are too large for the memory there is ({error})")
        except KeyboardInterrupt:
            return
        pipe.send(answer)


def _prepared(theirs: RuleSheet, seconds: float, known_games: KnownGames, memory_mib: int) -> Preparation:
    found = known_games.recognise(theirs)
    warning = ""
    knowledge = None
    if found.knowledge is not None:
        try:
            knowledge = read_knowledge(found.knowledge, found.sheet)
        except UserError as error:
            warning = str(error)
    circuit = cache.load(found.sheet.digest)
    if circuit is None:
        require_playable(found.sheet)
        try:
            circuit = prepare(found.sheet, Budget(seconds=seconds, memory_mib=memory_mib))
        except BudgetError as error:
            return Preparation(theirs, theirs, None, None, None, str(error))
        try:
            cache.store(circuit)
        except OSError as error:
            warning = f"cannot keep the circuit in {cache.cache_folder()}: {error.strerror}"
    return Preparation(theirs, found.sheet, found.renaming, knowledge, circuit, warning)
