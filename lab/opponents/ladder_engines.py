"""The opponents of a ladder: GGP players that a command starts, and the engines of `scripts/lab engine`."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import aiohttp

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerLink
from lab.opponents.engines import open_engine
from lab.opponents.links import EngineLink
from lab.opponents.player_process import running_player
from lab.opponents.processors import pinned

__all__ = ["EngineSeat", "LadderEngine", "ladder_engine", "short_name"]

_GGP = "ggp:"


@dataclass(frozen=True)
class EngineSeat:
    """A role of a match that an engine takes."""

    processor: int
    log: Path
    seed: int


class LadderEngine(Protocol):
    """An opponent that takes a seat of one match after the other, with a process of its own for each."""

    @property
    def description(self) -> str:
        """The description that the user gave."""

    def seated(self, seat: EngineSeat, client: aiohttp.ClientSession) -> AbstractAsyncContextManager[PlayerLink]:
        """Run the engine in a seat for the length of a block. Raises EngineError if it cannot be started."""


def ladder_engine(description: str, machine: Machine, patience_s: float) -> LadderEngine:
    """Return the opponent of a description `KIND:COMMAND`; it is not started yet.

    Args:
        description: `ggp:COMMAND`, where `{port}` stands for the player's port, or a description for `open_engine`.
        machine: the game.
        patience_s: longest time in seconds until a GGP player is there, or until another engine answers.

    Raises ConfigError where the command cannot be split into words or has no `{port}`.
    """
    if not description.startswith(_GGP):
        return _AdaptedEngine(description, machine, patience_s)
    try:
        command = tuple(shlex.split(description.removeprefix(_GGP)))
    except ValueError as error:
        raise ConfigError(f"{description}: {error}; give ggp:COMMAND, as in 'ggp:./sancho {{port}}'") from None
    if not any("{port}" in word for word in command):
        raise ConfigError(
            f"{description}: it does not say where the player's port goes; give it as {{port}}, as in "
            "'ggp:./sancho {port}'"
        )
    return _GgpEngine(description, command, patience_s)


def short_name(description: str) -> str:
    """Return the kind, the program without its folder, and the words of a description: `uci:stockfish?depth=6`."""
    kind, _, rest = description.partition(":")
    command, mark, words = rest.partition("?")
    program = command.split(maxsplit=1)[:1]
    return f"{kind}:{Path(program[0]).name if program else ''}{mark}{words}"


@dataclass(frozen=True)
class _GgpEngine:
    description: str
    command: tuple[str, ...]
    start_s: float

    @asynccontextmanager
    async def seated(self, seat: EngineSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        async with running_player(self.command, seat.processor, seat.log, self.start_s, client) as player:
            yield player


@dataclass(frozen=True)
class _AdaptedEngine:
    """An engine behind an adapter, which answers play messages in this process."""

    description: str
    machine: Machine
    answer_s: float

    @asynccontextmanager
    async def seated(self, seat: EngineSeat, client: aiohttp.ClientSession) -> AsyncIterator[PlayerLink]:
        with pinned(seat.processor):
            engine = open_engine(self.description, self.machine, self.answer_s)
        with closing(engine), closing(EngineLink(self.description, engine, self.machine, seat.seed)) as link:
            yield link
