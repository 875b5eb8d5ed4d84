"""Links of a ladder match: one that plays the opening for its player, and one to an engine that speaks no GGP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerFault, PlayerLink
from gdl_miner.agent.server.messages import Message, Play, Start
from lab.opponents.engine_matches import Joint
from lab.opponents.engines import EngineError, Opponent

__all__ = ["EngineLink", "OpeningLink"]


class OpeningLink:
    """A link whose player is asked for every move, and whose answers in the opening are replaced by drawn moves.

    A GGP player has to accept that another move was made in its place, for a referee replaces illegal moves too. Hence
    the rules and the knowledge stay those of the game, whatever the server and the player are.
    """

    def __init__(self, link: PlayerLink, role: str, opening: Sequence[str]) -> None:
        """Take the link of the player, its role, and its moves of the opening."""
        self._link = link
        self._role = role
        self._opening = opening
        self.name = link.name
        self.faults: list[PlayerFault] = []  # of the opening; a referee sees those of later moves
        self.seconds: list[float] = []  # of the answer to each play message

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Send a message and return the answer, or the move of the opening. Raises as PlayerLink says."""
        if not isinstance(message, Play):
            return await self._link.ask(message, legal, seconds)
        ply, begin = len(self.seconds), time.perf_counter()
        try:
            answer = await self._link.ask(message, legal, seconds)
        except (TimeoutError, OSError) as error:
            if ply >= len(self._opening):
                raise
            late = isinstance(error, TimeoutError)
            what, detail = ("late", f"no answer within {seconds:g} s") if late else ("unreachable", str(error))
            self.faults.append(PlayerFault(ply + 1, self._role, what, detail))
            answer = ""
        finally:
            self.seconds.append(time.perf_counter() - begin)
        return self._opening[ply] if ply < len(self._opening) else answer


class EngineLink:
    """A link to an engine of `scripts/lab engine`, which then plays by the clocks of a referee."""

    def __init__(self, name: str, engine: Opponent, machine: Machine, seed: int) -> None:
        """Take an engine, the game, and the seed for what is random in the engine; the caller closes the engine."""
        self.name = name
        self._engine = engine
        self._machine = machine
        self._seed = seed
        self._match = OngoingMatch(machine)
        self._role = 0
        self._joints: tuple[Joint, ...] = ()  # that the messages have told
        self._thread = ThreadPoolExecutor(1, "engine")  # an answer that comes too late delays the next

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return the engine's move, or its only one without asking it.

        Raises:
            TimeoutError: the engine has no move within the seconds.
            OSError: the engine has failed.
        """
        match message:
            case Start():
                self._joints = ()
            case Play() if message.moves is not None:
                self._joints += (message.moves,)
        async with asyncio.timeout(seconds):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._answer, message, self._joints)

    def close(self) -> None:
        """End the thread as soon as the engine has answered."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _answer(self, message: Message, joints: Sequence[Joint]) -> str:
        """Answer a message after all joint moves so far; earlier messages may have been given up unanswered."""
        try:
            match message:
                case Start():
                    self._match = OngoingMatch(self._machine)
                    self._role = self._machine.roles.index(message.role.lower())
                    self._engine.begin(self._seed)
                    return "ready"
                case Play():
                    for joint in joints[self._match.number :]:
                        self._match.advance(joint)
                    return self._move()
        except EngineError as error:
            raise OSError(str(error)) from None
        return "done"

    def _move(self) -> str:
        legal = self._match.legal(self._role)
        move = legal[0] if len(legal) == 1 else self._engine.move(self._match, self._role)
        return self._machine.sheet.display(move)
