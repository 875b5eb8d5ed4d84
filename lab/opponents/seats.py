"""The seats of opponents: GGP players that a command starts or a URL names, and engines behind adapters."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import aiohttp

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerLink
from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.server.messages import Info
from lab.opponents.engines import EngineError, Opponent, open_engine
from lab.opponents.links import TimedLink, UntimedLink
from lab.opponents.processors import pinned

_GGP = "ggp:"
_AGAIN_S = 0.1  # seconds between two questions whether the player is there
_ANSWER_S = 5.0  # longest time for the answer to one of these questions
_END_S = 5.0  # seconds in which a player should end after SIGTERM
_LONGEST_TAIL = 300  # characters of its output that a message quotes
_FRAME = re.compile(r"[\u2500-\u257f]+")  # lines that are drawn around messages


@dataclass(frozen=True)
class MatchSeat:
    """A role of a match that a player takes."""

    opening_plies: int
    processor: int  # the only one that it may use, where there are clocks
    log: Path
    seed: int


class SeatedOpponent(Protocol):
    """An opponent that takes a seat of one match after the other."""

    @property
    def description(self) -> str:
        """The description that the user gave."""

    def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AbstractAsyncContextManager[PlayerLink]:
        """Be there in a seat for the length of a block. Raises EngineError if the opponent cannot be started."""


def seated_opponent(description: str, machine: Machine, patience_s: float, *, timed: bool) -> SeatedOpponent:
    """Return the opponent of a description `KIND:COMMAND`; it is not started yet.

    Args:
        description: `ggp:COMMAND`, where `{port}` stands for the player's port, `ggp:URL` of a player that runs, or a
            description for `open_engine`.
        machine: the game.
        patience_s: longest time in seconds until a GGP player is there, or until another engine answers.
        timed: whether the matches have clocks. With clocks there are processes of its own for each match.

    Raises ConfigError where the command cannot be split into words or has no `{port}`, or a GGP player has no clocks.
    """
    if not description.startswith(_GGP):
        if timed:
            return _TimedEngine(description, machine, patience_s)
        return KeptOpponent(description, machine, lambda: open_engine(description, machine, patience_s))
    if not timed:
        raise ConfigError(f"{description}: GGP players play by clocks; leave --playouts and --seconds out")
    rest = description.removeprefix(_GGP)
    if rest.startswith(("http://", "https://")):
        return _RunningPlayer(description, rest, patience_s)
    try:
        command = tuple(shlex.split(rest))
    except ValueError as error:
        raise ConfigError(f"{description}: {error}; give ggp:COMMAND, as in 'ggp:./sancho {{port}}'") from None
    if not any("{port}" in word for word in command):
        raise ConfigError(
            f"{description}: it does not say where the player's port goes; give it as {{port}}, as in "
            "'ggp:./sancho {port}', or give the URL of a player that runs"
        )
    return _StartedPlayer(description, command, patience_s)


def short_name(description: str) -> str:
    """Return the kind, the program without its folder, and the words of a description: `uci:stockfish?depth=6`."""
    kind, _, rest = description.partition(":")
    command, mark, words = rest.partition("?")
    program = command.split(maxsplit=1)[:1]
    return f"{kind}:{Path(program[0]).name if program else ''}{mark}{words}"


@dataclass(frozen=True)
class _StartedPlayer:
    """A GGP player that a command starts for every match."""

    description: str
    command: tuple[str, ...]
    start_s: float

    @asynccontextmanager
    async def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        async with running_player(self.command, seat.processor, seat.log, self.start_s, client) as player:
            yield player


@dataclass(frozen=True)
class _RunningPlayer:
    """A GGP player that somebody has started behind a URL, on whatever processors it has."""

    description: str
    url: str
    start_s: float

    @asynccontextmanager
    async def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        player = RemotePlayer(self.url, client)
        if not await _answers(player, self.start_s):
            raise EngineError(f"{self.url}: the player does not answer; start it first")
        yield player


@dataclass(frozen=True)
class _TimedEngine:
    """An engine behind an adapter, which answers play messages in this process by the clocks."""

    description: str
    machine: Machine
    answer_s: float

    @asynccontextmanager
    async def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        with pinned(seat.processor):
            engine = open_engine(self.description, self.machine, self.answer_s)
        with (
            closing(engine),
            closing(TimedLink(self.description, engine, self.machine, seat.seed, seat.opening_plies)) as link,
        ):
            yield link


class KeptOpponent:
    """An engine without clocks, which is started for its first match and kept from match to match."""

    def __init__(self, description: str, machine: Machine, start: Callable[[], Opponent]) -> None:
        self.description = description
        self._machine = machine
        self._start = start
        self._opponent: Opponent | None = None

    @asynccontextmanager
    async def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        """Be there in a seat for the length of a block."""
        if self._opponent is None:
            self._opponent = self._start()
        yield UntimedLink(self.description, self._opponent, self._machine, seat.seed, seat.opening_plies)

    def close(self) -> None:
        """End the engine."""
        if self._opponent is not None:
            self._opponent.close()


@asynccontextmanager
async def running_player(
    command: Sequence[str], processor: int, log: Path, start_s: float, client: aiohttp.ClientSession
) -> AsyncIterator[RemotePlayer]:
    """Run a player for the length of the block.

    Args:
        command: program and arguments; `{port}` in them becomes a free port, on which the player has to listen.
        processor: the only processor that the player and its children may use.
        log: file that gets its standard output and standard error stream.
        start_s: longest time in seconds until it answers `info`.
        client: session for the requests.

    Raises:
        EngineError: the player cannot be started, ends at once, or does not answer in time.
    """
    port = _free_port()
    words = [word.replace("{port}", str(port)) for word in command]
    process = _started(words, processor, log)
    try:
        player = RemotePlayer(f"http://127.0.0.1:{port}/", client)
        await _answering(player, process, words[0], log, start_s)
        yield player
    finally:
        await asyncio.to_thread(_end, process)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _started(words: Sequence[str], processor: int, log: Path) -> subprocess.Popen[bytes]:
    if shutil.which(words[0]) is None:
        raise EngineError(f"{words[0]}: there is no such program; give its path")
    with log.open("wb") as output, pinned(processor):
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=_environment(),
                start_new_session=True,  # so that all of its processes can be ended together
            )
        except OSError as error:
            raise EngineError(f"{words[0]}: the player cannot be started ({error.strerror or error})") from None


def _environment() -> Mapping[str, str]:
    """Return this process's environment, in which Python programs write their logs at once."""
    return {**os.environ, "PYTHONUNBUFFERED": "1"}


async def _answering(
    player: RemotePlayer, process: subprocess.Popen[bytes], name: str, log: Path, start_s: float
) -> None:
    """Wait until a player answers `info`."""
    deadline = time.monotonic() + start_s
    while True:
        if await _answers(player, _ANSWER_S):
            return
        status = process.poll()
        if status is not None:
            raise EngineError(f"{name}: the player ended with status {status} before it answered{_tail(log)}")
        if time.monotonic() > deadline:
            raise EngineError(
                f"{name}: the player does not answer on its port within {start_s:g} s; give it more time with "
                f"--engine-seconds{_tail(log)}"
            )
        await asyncio.sleep(_AGAIN_S)


async def _answers(player: RemotePlayer, seconds: float) -> bool:
    try:
        await player.ask(Info(), (), seconds)
    except (TimeoutError, OSError):
        return False
    return True


def _tail(log: Path) -> str:
    text = " ".join(_FRAME.sub(" ", log.read_text(errors="replace")).split())[-_LONGEST_TAIL:]
    return f"; its last words: {text}" if text else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a player and the processes that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
