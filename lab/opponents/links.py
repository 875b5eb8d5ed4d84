"""Links of a match: one that plays the opening for its player, and those to what chooses moves in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from gdl_miner.agent.errors import MoveError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerFault, PlayerLink
from gdl_miner.agent.server.messages import Message, Play, Start
from lab.opponents.engines import EngineError, Opponent
from lab.opponents.match import Joint


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


class _Local:
    """What chooses moves in this process, as the receiver of messages; it is not asked in the opening."""

    def __init__(self, name: str, opponent: Opponent, machine: Machine, seed: int, opening_plies: int = 0) -> None:
        """Take who chooses, the game, and the seed for what is random in the choice; the caller closes the opponent."""
        self.name = name
        self._opponent = opponent
        self._machine = machine
        self._seed = seed
        self._opening_plies = opening_plies
        self._match = OngoingMatch(machine)
        self._role = 0
        self._joints: tuple[Joint, ...] = ()  # that the messages have told

    def _listen(self, message: Message) -> None:
        match message:
            case Start():
                self._joints = ()
            case Play() if message.moves is not None:
                self._joints += (message.moves,)

    def _answer(self, message: Message, joints: Sequence[Joint]) -> str:
        """Answer a message after all joint moves so far; earlier messages may have been given up unanswered."""
        match message:
            case Start():
                self._match = OngoingMatch(self._machine)
                self._role = self._machine.roles.index(message.role.lower())
                self._opponent.begin(self._seed)
                return "ready"
            case Play():
                for joint in joints[self._match.number :]:
                    self._match.advance(joint)
                return self._machine.sheet.display(self._move())
        return "done"

    def _move(self) -> str:
        legal = self._match.legal(self._role)
        if len(legal) == 1 or self._match.number < self._opening_plies:
            return legal[0]
        return self._opponent.move(self._match, self._role)


class TimedLink(_Local):
    """A link to an engine that plays by the clocks of a referee."""

    def __init__(self, name: str, opponent: Opponent, machine: Machine, seed: int, opening_plies: int = 0) -> None:
        super().__init__(name, opponent, machine, seed, opening_plies)
        self._thread = ThreadPoolExecutor(1, "engine")  # an answer that comes too late delays the next

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return the engine's move, or its only one without asking it.

        Raises:
            TimeoutError: the engine has no move within the seconds.
            OSError: the engine has failed.
        """
        self._listen(message)
        try:
            async with asyncio.timeout(seconds):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._thread, self._answer, message, self._joints)
        except EngineError as error:
            raise OSError(str(error)) from None

    def close(self) -> None:
        """End the thread as soon as the engine has answered."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class UntimedLink(_Local):
    """A link to an engine or a search that has all the time that it takes; a fault ends the match."""

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return the move, or the only one without asking. Raises EngineError where there is no legal answer."""
        self._listen(message)
        answer = self._answer(message, self._joints)
        if isinstance(message, Play):
            try:
                self._match.row(self._role, answer)
            except MoveError as error:
                raise EngineError(f"the engine's answer after {self._match.number} plies is illegal: {error}") from None
        return answer
