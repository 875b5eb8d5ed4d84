"""Matches against `agent serve` in a process of its own, with the times and the memory that they need."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, PlayerLink, referee
from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.server.messages import Message, Play

BEAT_S = 0.02

__all__ = ["Served", "Tally", "burning", "played", "resident_mib", "served", "watched"]


def resident_mib(process: int) -> float:
    """Return the memory of a process now in MiB, 0 if it has ended."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


@dataclass
class Served:
    """A running server."""

    url: str
    process: int

    @property
    def resident_mib(self) -> float:
        """Memory of the server's process now, in MiB."""
        return resident_mib(self.process)


@dataclass
class Tally:
    """Results of all matches so far."""

    matches: int = 0
    thought: list[float] = field(default_factory=list)  # seconds of each answer that was a choice between several moves
    faults: list[str] = field(default_factory=list)
    moves_of_match: int = 0  # moves asked for in the match that is being played
    held_up: float = 0.0  # longest time by which the referee itself was late, in seconds

    @property
    def slowest(self) -> float:
        """Seconds of the slowest answer."""
        return max(self.thought, default=0.0)


class _Timed:
    """A player whose answers are timed if it has a choice."""

    def __init__(self, link: PlayerLink, tally: Tally) -> None:
        self.name = link.name
        self._link = link
        self._tally = tally

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        begin = time.perf_counter()
        try:
            return await self._link.ask(message, legal, seconds)
        finally:
            self._tally.moves_of_match += isinstance(message, Play)
            if isinstance(message, Play) and len(legal) > 1:
                self._tally.thought.append(time.perf_counter() - begin)


async def played(server: Served, game: str, clocks: Clocks, tally: Tally, client: aiohttp.ClientSession) -> None:
    """Play one scrambled match against random moves; the seat changes from match to match."""
    machine = load_machine(game)
    number = tally.matches
    links: list[PlayerLink] = [LocalRandom(number + role) for role in range(len(machine.roles))]
    links[number % len(links)] = _Timed(RemotePlayer(server.url, client), tally)
    found = await referee(machine, links, clocks, name=f"soak-{number}", seed=number, scramble=True)
    tally.matches += 1
    tally.moves_of_match = 0
    tally.faults += [f"match {number} ({game}): {fault}" for fault in found.faults]


async def watched(tally: Tally) -> None:
    """Measure by how much this process itself is late, until cancelled."""
    while True:
        begin = time.perf_counter()
        await asyncio.sleep(BEAT_S)
        tally.held_up = max(tally.held_up, time.perf_counter() - begin - BEAT_S)


@contextmanager
def served(*options: str) -> Iterator[Served]:
    """Run a server with these options; its log is `soak-PID.log` in the folder for temporary files."""
    command = [sys.executable, "-m", "gdl_miner.agent", "serve", "--port", "0", *options]
    log = (Path(tempfile.gettempdir()) / f"soak-{os.getpid()}.log").open("w")
    with (
        log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True) as server,
    ):
        try:
            assert server.stdout is not None
            yield Served(server.stdout.readline().split()[-1], server.pid)
        finally:
            server.terminate()


@contextmanager
def burning(processes: int) -> Iterator[None]:
    """Run processes that only burn processor time."""
    command = [sys.executable, "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]
    burners = [subprocess.Popen(command, start_new_session=True) for _ in range(processes)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
