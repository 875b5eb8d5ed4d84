"""The GGP player: it plays one match at a time and answers every message before its clock runs out."""

from __future__ import annotations

import asyncio
import logging

from gdl_miner.agent.server.messages import Info, Message, Play, Preview, Start, Stop
from gdl_miner.agent.server.preparation import PreparationProcess
from gdl_miner.agent.server.running_match import ABORTED, BUSY, READY, Margin, RunningMatch
from gdl_miner.agent.server.seat import SeatOptions
from gdl_miner.agent.server.seating import Background, Seating

log = logging.getLogger("gdl_miner.agent.server")


class GamePlayer:
    """A player that implements the protocol without HTTP. It must be made and used in one event loop."""

    def __init__(
        self,
        name: str,
        preparation: PreparationProcess,
        options: SeatOptions,
        margin: Margin | None = None,
    ) -> None:
        self.name = name
        self.margin = margin or Margin()
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
            UserError: the rules, the moves or the role are wrong; the match that they belong to continues unchanged.
        """
        match message:
            case Info():
                return f"((name {self.name}) (status {'busy' if self.busy else 'available'}) (species alien))"
            case Preview():
                return await self._preview(message, received)
            case Start():
                return await self._start(message, received)
        running = self._match
        if running is None or running.start.match != message.match:
            return BUSY
        if isinstance(message, Play | Stop):
            return await running.answer(message, received)
        log.info("match %s: aborted", message.match)
        await running.leave()
        return ABORTED

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
            log.warning("match %s: no message for long; left", match.start.match)
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
        if self._match is not None:
            log.warning("match %s: refused, for match %s is on", message.match, self._match.start.match)
            return BUSY
        self._match = match = RunningMatch(message, received, self._seating, self._background, self.margin)
        if self._previewing is not None and self._previews:
            await self._background.in_thread(self._preparation.restart)
            await asyncio.wait([self._previewing])
        self._background.start(self._run(match))
        return await match.answer(message, received)

    async def _run(self, match: RunningMatch) -> None:
        try:
            await match.run()
        finally:
            self._match = None
            self.warm_up()
