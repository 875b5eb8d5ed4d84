"""GGP players as processes: started on one processor, awaited until they answer, and ended with their children."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp

from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.server.messages import Info
from lab.opponents.engines import EngineError
from lab.opponents.processors import pinned

__all__ = ["running_player"]

_AGAIN_S = 0.1  # seconds between two questions whether the player is there
_ANSWER_S = 5.0  # longest time for the answer to one of these questions
_END_S = 5.0  # seconds in which a player should end after SIGTERM
_LONGEST_TAIL = 300  # characters of its output that a message quotes
_FRAME = re.compile(r"[\u2500-\u257f]+")  # lines that are drawn around messages


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
        try:
            await player.ask(Info(), (), _ANSWER_S)
            return
        except (TimeoutError, OSError):
            pass
        status = process.poll()
        if status is not None:
            raise EngineError(f"{name}: the player ended with status {status} before it answered{_tail(log)}")
        if time.monotonic() > deadline:
            raise EngineError(
                f"{name}: the player does not answer on its port within {start_s:g} s; give it more time with "
                f"--engine-seconds{_tail(log)}"
            )
        await asyncio.sleep(_AGAIN_S)


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
