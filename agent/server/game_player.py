"""The GGP player: it plays one match at a time and answers every message before its clock runs out."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

from gdl_miner.agent.errors import MessageError
from gdl_miner.agent.server.messages import Abort, Info, Message, Play, Preview, Start, Stop
from gdl_miner.agent.server.preparation import PreparationProcess
from gdl_miner.agent.server.running_match import ABORTED, BUSY, DONE, READY, Margin, RunningMatch
from gdl_miner.agent.server.seat import SeatOptions
from gdl_miner.agent.server.seating import Background, Seating
from gdl_miner.agent.version import program_version

log = logging.getLogger("gdl_miner.agent.server")

LONGEST_CLOCK_S = 3600.0  # a longer clock counts as this, so that no message takes the player for days


class GamePlayer:
    """A player that implements the protocol without HTTP. It must be made and used in one event loop."""

    def __init__(
        self,
        name: str,
        preparation: PreparationProcess,
        options: SeatOptions,
        margin: Margin | None = None,
        longest_clock: float = LONGEST_CLOCK_S,
    ) -> None:
        self.name = name
        self._version = program_version()  # read once: an upgrade on disk does not change what runs
        self.margin = margin or Margin()
        self._longest_clock = longest_clock
        self._last: str | None = None  # id of the match before
        self._matches = 0  # begun
        self._answers = self._late = 0  # to START and PLAY messages
        self._preparation = preparation
        self._match: RunningMatch | None = None
        self._previewing: asyncio.Task[None] | None = None
        self._background = Background()
        self._seating = Seating(preparation, options, self._background)

    @property
    def busy(self) -> bool:
        """Whether a match is in progress; a match whose controller has long been silent does not count."""
        return self._match is not None and not self._match.forgotten

    async def answer(self, message: Message, received: float) -> str:
        """Answer a message that came at the time `received` of the event loop.

        Raises:
            UserError: the rules, the moves, the role or the match are wrong; a match that is on continues unchanged.
        """
        message = self._shortened(message)
        match message:
            case Info():
                return f"((name {self.name}) (status {'busy' if self.busy else 'available'}) (species alien))"
            case Preview():
                return await self._preview(message, received)
            case Start():
                return await self._start(message, received)
        running = self._match
        if running is None or running.start.match != message.match:
            return self._unknown(message)
        if isinstance(message, Play):
            return await self._in_time(running, message, received, running.start.play_clock)
        if isinstance(message, Stop):
            return await running.answer(message, received)
        log.info("match %s: aborted", message.match)
        await running.leave()
        return ABORTED

    def hung_up(self, message: Message) -> None:
        """Take note that a client has hung up before its message was answered."""
        running, message = self._match, self._shortened(message)
        if running is not None and isinstance(message, Start | Play | Stop):
            running.hung_up(message)

    def health(self) -> dict[str, Any]:
        """Return what a monitor wants to know: the match, and how many answers were late."""
        running = self._match if self.busy else None
        return {
            "name": self.name,
            "version": self._version,
            "status": "available" if running is None else "busy",
            "match": None if running is None else running.start.match,
            "state": None if running is None else str(running.state),
            "matches": self._matches,
            "answers": self._answers,
            "late": self._late,
            "lateness_s": round(self.margin.lateness, 3),
        }

    async def get_ready(self, wait_s: float) -> None:
        """Start the processes of the first match, and wait at most so long for them: it may have clocks of a second."""
        await self._seating.warm_up(wait_s)

    def warm_up(self) -> None:
        """Start processes ahead of the next match."""
        self._background.start(self._seating.warm_up())

    async def close(self) -> None:
        """Leave the match and end all threads and processes."""
        if self._match is not None:
            await self._match.leave()
        self._seating.close()
        await self._background.close()

    async def forget(self) -> None:
        """Leave the match if its controller has long been silent. The server calls this now and then."""
        match = self._match
        if match is not None and match.forgotten:
            log.warning("match %s: its controller has gone; left", match.start.match)
            await match.leave()

    async def _preview(self, message: Preview, received: float) -> str:
        if self.busy or self._previews:
            return BUSY
        left = received + message.clock - self.margin(message.clock) - asyncio.get_running_loop().time()
        self._previewing = self._background.start(self._seating.preview(message.rules, left))
        await self._previewing
        return READY

    @property
    def _previews(self) -> bool:
        return self._previewing is not None and not self._previewing.done()

    async def _start(self, message: Start, received: float) -> str:
        await self.forget()
        if self._match is not None and self._match.start == message:
            return await self._match.answer(message, received)
        if self._match is not None:
            log.warning("match %s: refused, for match %s is on", message.match, self._match.start.match)
            return BUSY
        self._match = match = RunningMatch(message, received, self._seating, self._background, self.margin)
        if self._previewing is not None and self._previews:
            await self._background.in_thread(self._preparation.restart)
            await asyncio.wait([self._previewing])
        self._matches += 1
        log.info("match %s: clocks of %g s and %g s", message.match, message.start_clock, message.play_clock)
        self._background.start(self._run(match))
        return await self._in_time(match, message, received, message.start_clock)

    async def _in_time(self, match: RunningMatch, message: Start | Play, received: float, clock: float) -> str:
        """Return the answer of a match, and note whether its clock had ended before."""
        try:
            return await match.answer(message, received)
        finally:
            late = asyncio.get_running_loop().time() - received - clock
            self._answers += 1
            if late > 0:
                self._late += 1
                log.warning("match %s: an answer came %.2f s after its clock", match.start.match, late)

    def _shortened(self, message: Message) -> Message:
        """Return a message with clocks that are not too long."""
        longest = self._longest_clock
        if isinstance(message, Preview):
            return replace(message, clock=min(message.clock, longest))
        if isinstance(message, Start):
            start, play = min(message.start_clock, longest), min(message.play_clock, longest)
            return replace(message, start_clock=start, play_clock=play)
        return message

    def _unknown(self, message: Play | Stop | Abort) -> str:
        """Answer a message of a match that is not on. Raises MessageError, unless the end of a match came again."""
        if message.match == self._last:
            if isinstance(message, Play):
                raise MessageError(f"message: match {message.match[:80]} is over here; send its start for another one")
            return DONE if isinstance(message, Stop) else ABORTED
        running = self._match
        state = "no match is on; send its start first" if running is None else f"match {running.start.match} is on"
        raise MessageError(f"message: match {message.match[:80]} is not played here; {state}")

    async def _run(self, match: RunningMatch) -> None:
        try:
            await match.run()
        finally:
            self._match, self._last = None, match.start.match
            self.warm_up()
