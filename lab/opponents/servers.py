"""The game servers that can run a ladder match: the referee of this project, or a program of others."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aiohttp import web

from gdl_miner.agent.errors import ConfigError, MessageError, MoveError, RuleError, UserError
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks, PlayerFault, PlayerLink, referee
from gdl_miner.agent.server.messages import Play, Start, read_message
from lab.opponents.match import Joint

_GRACE_S = 5.0  # seconds beyond a clock for which a player is waited for; a server of others may allow some
_OTHER_S = 10.0  # longest wait for the answer to any other message
_FAULTS = {"TO": "late", "IL": "illegal", "CE": "unreachable"}  # words of ggp-base


class ServerError(UserError):
    """A game server that cannot be started, or whose account of a match cannot be used."""


@dataclass(frozen=True)
class ServedMatch:
    """A match as its server tells it."""

    joints: tuple[Joint, ...]  # [ply][role] canonical
    goals: tuple[int | None, ...]  # [role]
    faults: tuple[PlayerFault, ...]


class GameServer(Protocol):
    """A program that runs a match between players."""

    async def run(
        self, machine: Machine, links: Sequence[PlayerLink], clocks: Clocks, name: str, seed: int
    ) -> ServedMatch:
        """Run one match between the players of all roles, under an id. Raises ServerError if there is no result."""


class OwnReferee:
    """The referee behind `agent referee`."""

    async def run(
        self, machine: Machine, links: Sequence[PlayerLink], clocks: Clocks, name: str, seed: int
    ) -> ServedMatch:
        """Run one match; the seed is that of the moves that replace faulty ones."""
        played = await referee(machine, links, clocks, name=name, seed=seed)
        return ServedMatch(played.joints, played.goals, played.faults)


@dataclass(frozen=True)
class CommandServer:
    """A server that a command runs: `COMMAND MATCH SHEET STARTCLOCK PLAYCLOCK HOST:PORT…`.

    It prints one JSON object as ggp-base writes a match: `moves` [ply][role], `goalValues` [role] and, if there were
    any, `errors` [message][role], of which the first are those of the start.
    """

    command: tuple[str, ...]

    async def run(
        self, machine: Machine, links: Sequence[PlayerLink], clocks: Clocks, name: str, seed: int
    ) -> ServedMatch:
        """Run one match; the server draws the moves that replace faulty ones, without the seed."""
        if any(not float(clock).is_integer() for clock in clocks):
            raise ConfigError(f"{self.command[0]}: clocks of a server are whole seconds; give such clocks")
        async with AsyncExitStack() as stack:
            ports = [await stack.enter_async_context(_serving(link, clocks)) for link in links]
            with tempfile.TemporaryDirectory() as folder:
                sheet = Path(folder) / f"{machine.sheet.name}.kif"
                sheet.write_text(scrambled(machine.sheet, None)[0], encoding="utf-8")
                words = [name, str(sheet), *(str(int(clock)) for clock in clocks)]
                told = await self._told([*self.command, *words, *(f"127.0.0.1:{port}" for port in ports)])
        return self._match(machine, told)

    async def _told(self, words: Sequence[str]) -> dict[str, object]:
        """Run the command and return the last object that it prints."""
        try:
            process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        except OSError as error:
            raise ServerError(f"{words[0]}: the server cannot be started ({error.strerror or error})") from None
        try:
            output, _ = await process.communicate()
        except BaseException:
            process.kill()
            await process.wait()
            raise
        for line in reversed(output.decode(errors="replace").splitlines()):
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if isinstance(told, dict):
                return told
        raise ServerError(f"{words[0]}: the server (status {process.returncode}) has printed no match")

    def _match(self, machine: Machine, told: dict[str, object]) -> ServedMatch:
        """Play what the server tells, and check its goals."""
        match = OngoingMatch(machine)
        try:
            moves, goals, errors = told["moves"], told["goalValues"], told.get("errors", [])
            if not (isinstance(moves, list) and isinstance(goals, list) and isinstance(errors, list)):
                raise TypeError("moves, goalValues and errors have to be lists")
            for joint in moves:
                match.advance(joint)
            faults = tuple(_faults(machine, errors))
        except (KeyError, TypeError, ValueError, AttributeError, MoveError, RuleError) as error:
            raise ServerError(f"{self.command[0]}: the server's account of the match is wrong: {error!r}") from None
        if not match.ended or list(match.goals) != [int(goal) for goal in goals]:
            raise ServerError(
                f"{self.command[0]}: after {match.number} moves the server has the goals {goals}, but by the rules "
                f"{'they are ' + str(list(match.goals)) if match.ended else 'the match is not over'}"
            )
        return ServedMatch(match.joints, match.goals, faults)


def _faults(machine: Machine, errors: Sequence[Sequence[str]]) -> list[PlayerFault]:
    return [
        PlayerFault(move, machine.sheet.display(role), _FAULTS.get(text[:2], "illegal"), text[:200])
        for move, texts in enumerate(errors)
        for role, text in zip(machine.roles, texts, strict=True)
        if text
    ]


@asynccontextmanager
async def _serving(link: PlayerLink, clocks: Clocks) -> AsyncIterator[int]:
    """Serve a player behind a link over HTTP for the length of the block, and yield the port."""

    async def answer(request: web.Request) -> web.Response:
        try:
            message = read_message(await request.text())
            match message:
                case Start():
                    seconds = clocks.start + _GRACE_S
                case Play():
                    seconds = clocks.play + _GRACE_S
                case _:
                    seconds = _OTHER_S
            return web.Response(text=await link.ask(message, (), seconds), content_type="text/acl")
        except (MessageError, TimeoutError, OSError) as error:
            return web.Response(status=503, text=str(error) or type(error).__name__)

    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
