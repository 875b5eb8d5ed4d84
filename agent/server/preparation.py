"""The preparation of rules from outside: a process reads, recognises, grounds and compiles them.

The process is killed when its time is over. A hostile rule sheet can therefore block neither the event loop nor the
memory of the server, and a prepared game arrives complete.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from gdl_miner.agent.errors import BudgetError, ConfigError, KnowledgeError, UserError
from gdl_miner.agent.files.untrusted_xml import iterate_xml, open_xml
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.renaming import Renaming, find_renaming, form_digest
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.knowledge.knowledge_xml import MAX_BYTES
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.machine import load_circuit
from gdl_miner.agent.released import level_files, read_index

MOST_FILES = 10_000  # of a folder with knowledge
DEFAULT_MEMORY_MIB = 4096
READY = "ready"  # the first message of the process


@dataclass(frozen=True)
class Recognised:
    """Rules that came over the network, with the known sheet and the knowledge that fit them."""

    sheet: RuleSheet  # the sheet that is played: the known sheet if there is one, else the received one
    renaming: Renaming | None  # from the words of the received sheet to those of `sheet`; None if they are the same
    knowledge: tuple[Path, ...]  # the files for this game, the one to use first


class KnownGames:
    """The bundled rule sheets, and the sheets (`*.kif`) and knowledge files (`*.xml`) of a folder and its subfolders.

    If a game has several knowledge files, `best.xml` comes first, then the newest file. Files that cannot be read are
    left out. The name of a level of released knowledge, such as `quick`, stands for all its files, unless there is such
    a folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        released: dict[str, Path] = {}
        if folder is not None and not folder.is_dir():
            released, folder, given = level_files(str(folder)), None, folder
            if not released:
                levels = ", ".join(dict.fromkeys(each.level for each in read_index()))
                raise ConfigError(
                    f"{given}: no such folder; give one with knowledge files, or a released level ({levels})"
                )
        self._unreadable: list[str] = []
        self._sheets: list[RuleSheet] = []
        for path in (*bundled().values(), *_files(folder, ".kif")):
            try:
                self._sheets.append(read_sheet(path))
            except UserError as error:
                self._unreadable.append(str(error))
        self._forms: dict[str, list[RuleSheet]] = {}
        for sheet in self._sheets:
            self._forms.setdefault(form_digest(sheet), []).append(sheet)
        # By digest of the rules, the file to use first.
        self._knowledge = {digest: [path] for digest, path in released.items()}
        for path in sorted(_files(folder, ".xml"), key=lambda path: (path.name == "best.xml", path.stat().st_mtime)):
            try:
                digest = _digest_of(path)
            except KnowledgeError as error:
                self._unreadable.append(str(error))
                continue
            if digest:
                self._knowledge.setdefault(digest, []).insert(0, path)

    @property
    def games(self) -> tuple[str, ...]:
        """Names of the games that have knowledge; a digest stands for a game without a known sheet."""
        names = {sheet.digest: sheet.name for sheet in self._sheets}
        return tuple(sorted(names.get(digest, digest[:12]) for digest in self._knowledge))

    def faults(self) -> list[str]:
        """Return what is wrong with files that are left out: sheets, other XML, and knowledge that would come first.

        Knowledge is read for this, up to the first file of each game that is whole. That of games without a known sheet
        cannot be read before a match.
        """
        found = list(self._unreadable)
        for sheet in {sheet.digest: sheet for sheet in self._sheets}.values():
            found += read_first(self._knowledge.get(sheet.digest, ()), sheet)[1]
        return found

    def recognise(self, theirs: RuleSheet) -> Recognised:
        """Find a game by its digest, else by its form up to renaming; known sheets with knowledge are preferred."""
        known = tuple(self._knowledge.get(theirs.digest, ()))
        for ours in self._sheets:
            if ours.digest == theirs.digest:
                return Recognised(ours, None, known)
        if known:
            return Recognised(theirs, None, known)
        alike = self._forms.get(form_digest(theirs), [])
        for ours in sorted(alike, key=lambda sheet: sheet.digest not in self._knowledge):
            renaming = find_renaming(theirs, ours)
            if renaming is not None:
                same = all(old == new for old, new in renaming.forward.items())
                return Recognised(ours, None if same else renaming, tuple(self._knowledge.get(ours.digest, ())))
        return Recognised(theirs, None, ())


def read_first(paths: Iterable[Path], sheet: RuleSheet) -> tuple[Knowledge | None, list[str]]:
    """Return the knowledge of the first file that can be read, None if there is none, and what is wrong with others."""
    faults: list[str] = []
    for path in paths:
        try:
            return read_knowledge(path, sheet), faults
        except UserError as error:
            faults.append(f"{error}; this file is left out")
    return None, faults


def _files(folder: Path | None, suffix: str) -> list[Path]:
    if folder is None:
        return []
    paths = sorted(path for path in folder.rglob(f"*{suffix}") if path.is_file())
    if len(paths) > MOST_FILES:
        raise ConfigError(f"{folder}: {len(paths)} {suffix} files; give a folder with at most {MOST_FILES}")
    return paths


def _digest_of(path: Path) -> str:
    """Return the digest of the rules that a knowledge file is for; an empty text for other XML.

    Raises KnowledgeError if the beginning of the file cannot be read.
    """
    with open_xml(path, MAX_BYTES, KnowledgeError) as stream:
        for _, element in iterate_xml(stream):
            return str(element.get("digest", "")) if element.tag == "Knowledge" else ""
    return ""


@dataclass(frozen=True)
class PreparedRules:
    """Everything that is needed to play a game."""

    theirs: RuleSheet  # the sheet as it was received, for its roles and its spelling
    sheet: RuleSheet  # the sheet that is played
    renaming: Renaming | None  # from theirs to sheet
    knowledge: Knowledge | None
    circuit: Circuit | None  # None if the rules were too large for the time or the memory
    warnings: tuple[str, ...]  # the problems of the preparation


class _Task(NamedTuple):
    rules: str
    source: str
    seconds: float


class PreparationProcess:
    """A process that prepares one game at a time. `prepare` may be called from one thread, `cancel` from any."""

    def __init__(self, knowledge: Path | None = None, memory_mib: int = DEFAULT_MEMORY_MIB) -> None:
        self._knowledge = knowledge
        self._memory_mib = memory_mib
        self._lock = threading.Lock()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._greeted = False
        self._closed = False

    def warm_up(self, wait_s: float = 0.0) -> None:
        """Start the process ahead of the next preparation, and wait at most `wait_s` seconds until it is ready."""
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
                target=_work, args=(theirs, self._knowledge, self._memory_mib), name="preparation", daemon=True
            )
            process.start()
            theirs.close()
            self._process, self._pipe, self._greeted = process, ours, False

    def prepare(
        self, rules: str, source: str, seconds: float, read: Callable[[RuleSheet], None] | None = None
    ) -> PreparedRules:
        """Prepare a game. The result has no circuit if compiling exceeds the time or the memory.

        `read` gets the sheet as soon as it is read.

        Raises:
            UserError: the rules are not a game (`RuleError`), or were not even read in time (`BudgetError`).
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
                answer = pipe.recv()
                self._greeted = True
                if isinstance(answer, UserError):
                    raise answer
                if isinstance(answer, PreparedRules):
                    return answer
                if isinstance(answer, RuleSheet):
                    theirs = answer
                    if read is not None:
                        read(answer)
        except (EOFError, OSError):
            problem = "preparing it was broken off; it needs too much, or was aborted"
        if self._is_mine(pipe):  # another match may already use the process that took its place
            self.restart()
        if theirs is None:
            raise BudgetError(f"{source}: {problem}; give it a longer start clock")
        return PreparedRules(theirs, theirs, None, None, None, (f"{source}: {problem}",))

    def _is_mine(self, pipe: Connection | None) -> bool:
        """Whether no other process has taken the place of the one behind a pipe."""
        with self._lock:
            return self._pipe is pipe

    def cancel(self) -> None:
        """Kill the process and the processes that it started; the next preparation starts another."""
        with self._lock:
            process, self._process, self._pipe = self._process, None, None
        if process is not None and process.pid is not None:
            with suppress(ProcessLookupError):  # the process may not have made its group yet
                os.killpg(process.pid, signal.SIGKILL)  # the group includes the grounder that the process started
            process.kill()
            process.join()

    def restart(self) -> None:
        """Break off the preparation and start a process for the next game."""
        self.cancel()
        self.warm_up()

    def close(self) -> None:
        """Kill the process; no other is started."""
        self._closed = True
        self.cancel()


def _work(pipe: Connection, knowledge: Path | None, memory_mib: int) -> None:
    """Serve tasks until the pipe closes: the main function of the process."""
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


def _prepared(theirs: RuleSheet, seconds: float, known_games: KnownGames, memory_mib: int) -> PreparedRules:
    known = known_games.recognise(theirs)
    knowledge, warnings = read_first(known.knowledge, known.sheet)
    try:
        circuit = load_circuit(known.sheet, Budget(seconds=seconds, memory_mib=memory_mib), warn=warnings.append)
    except BudgetError as error:
        return PreparedRules(theirs, theirs, None, None, None, (*warnings, str(error)))
    return PreparedRules(theirs, known.sheet, known.renaming, knowledge, circuit, tuple(warnings))
