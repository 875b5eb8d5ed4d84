"""The GGP player: it plays one match at a time and answers every message before its clock runs out.

Long work runs in threads and processes. The event loop only waits for it, with a time limit, and has a legal move ready
for the time when the limit passes.
"""

from __future__ import annotations

import asyncio
import logging
import re

from gdl_miner.agent.errors import MoveError, UserError
from gdl_miner.agent.server.background import Background
from gdl_miner.agent.server.margin import Margin
from gdl_miner.agent.server.messages import Abort, Info, Message, Play, Preview, Start, Stop
from gdl_miner.agent.server.preparation_process import PreparationProcess
from gdl_miner.agent.server.running_match import NO_MOVE, RunningMatch
from gdl_miner.agent.server.seat import Seat, SeatOptions
from gdl_miner.agent.server.seating import Seating

__all__ = ["GamePlayer"]

log = logging.getLogger("gdl_miner.agent.server")

BUSY, READY, DONE, ABORTED = "busy", "ready", "done", "aborted"
LEAST_SEARCH_S = 0.02  # a search of a move is at least so long, unless the answer is due before


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
        return self._match is not None and not self._match.forgotten(asyncio.get_running_loop().time())

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
            case Play():
                return await self._play(message, received)
            case Stop():
                return await self._stop(message)
            case Abort():
                return await self._abort(message)

    def warm_up(self) -> None:
        """Start processes ahead of the next match."""
        self._background.start(self._seating.warm_up())

    async def close(self) -> None:
        """Leave the match and end all threads and processes."""
        match = self._match
        if match is not None:
            await self._leave(match)
            if match.sitting is not None:
                match.sitting.cancel()
        self._seating.close()
        await self._background.close()

    async def forget(self) -> None:
        """Leave the match if its controller has long been silent. The server calls this now and then."""
        match = self._match
        if match is not None and match.forgotten(asyncio.get_running_loop().time()):
            log.warning("match %s: no message for long; left", match.start.match)
            await self._leave(match)

    async def _preview(self, message: Preview, received: float) -> str:
        if self.busy or (self._previewing is not None and not self._previewing.done()):
            return BUSY
        seconds = self._left(received, message.clock)
        self._previewing = self._background.start(self._seating.preview(message.rules, seconds))
        await self._previewing
        return READY

    async def _start(self, message: Start, received: float) -> str:
        await self.forget()
        if self._match is not None:
            log.warning("match %s: refused, for match %s is on", message.match, self._match.start.match)
            return BUSY
        match = RunningMatch(message, received)
        self._match = match
        if self._previewing is not None and not self._previewing.done():
            await self._background.in_thread(self._preparation.restart)
            await asyncio.wait([self._previewing])
        match.sitting = sitting = self._background.start(self._sit_down(match, received))
        done, _ = await asyncio.wait([sitting], timeout=self._limit(received, message.start_clock))
        if not done:
            log.warning("match %s: the rules are still being prepared; the interpreter plays until then", message.match)
            sitting.add_done_callback(lambda task: self._sat_down_late(match, task))
        elif (error := sitting.exception()) is not None and not match.over:
            await self._leave(match)
            raise error
        if match.over:
            return ABORTED
        match.silent_since = asyncio.get_running_loop().time()
        return READY

    def _sat_down_late(self, match: RunningMatch, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            log.warning("match %s: left, for %s", match.start.match, task.exception())
            self._background.start(self._leave(match))

    async def _sit_down(self, match: RunningMatch, received: float) -> None:
        """Take the seat of a match, and learn or search until the start clock ends."""
        seat = await self._seating.sit_down(match)
        async with match.lock:
            end = self._end(received, match.start.start_clock)
            if seat is None or match.over or end - asyncio.get_running_loop().time() < LEAST_SEARCH_S:
                return
            if match.seat is seat and not match.joints:
                left = end - asyncio.get_running_loop().time()
                account = await self._background.in_thread(lambda: seat.prepare(left))
                log.info("match %s: %s", match.start.match, account)
                self.margin.note(asyncio.get_running_loop().time() - end)
                await self._background.in_thread(seat.ponder)

    async def _play(self, message: Play, received: float) -> str:
        match = self._match
        if match is None or match.start.match != message.match:
            return BUSY
        while match.answering is not None:  # another play message may be refused, and this one is then answered
            asked, task = match.answering
            if asked == message:
                return await asyncio.shield(task)
            await asyncio.wait([task], timeout=self._limit(received, match.start.play_clock))
            if not task.done():
                return BUSY
            await asyncio.sleep(0)
        task = asyncio.create_task(self._move(match, message, received))
        match.answering = message, task
        try:
            return await asyncio.shield(task)
        finally:
            match.answering = None
            match.silent_since = asyncio.get_running_loop().time()

    async def _move(self, match: RunningMatch, message: Play, received: float) -> str:
        """Return a move before the clock runs out: if the search is late, by what its trees know then."""
        clock = match.start.play_clock
        due = asyncio.get_running_loop().time() + self._limit(received, clock)
        chosen = asyncio.create_task(self._chosen(match, message, self._end(received, clock), due))
        done, _ = await asyncio.wait([chosen], timeout=due - asyncio.get_running_loop().time())
        if done:
            return chosen.result()
        chosen.add_done_callback(_look_at)
        known = None
        if match.seat is not None:
            known = match.seat.settle()
            match.seat.interrupt()
        if known is None:
            log.warning("match %s: no search has begun in time; played the first legal move", match.start.match)
            return match.first_move
        log.warning("match %s: the search is late; played what it knew", match.start.match)
        return known

    async def _chosen(self, match: RunningMatch, message: Play, end: float, due: float) -> str:
        """Search until the time `end` of the event loop and return the best move.

        From the time `due` on nobody waits for it: then no search begins.
        """
        await match.ready.wait()
        async with match.order:
            seat = match.seat
            if seat is None or match.over:
                return NO_MOVE
            match.first_move = NO_MOVE
            await self._advance(match, seat, message.moves)
            match.first_move = move = await self._background.in_thread(seat.first_move)
            only = await self._background.in_thread(seat.only_move)
            number = len(match.joints) + 1
        searched = False
        async with match.lock:
            seat = match.seat  # another may have taken it
            if seat is None or match.over:
                return move
            if only is None and asyncio.get_running_loop().time() < due:
                searched = True
                move = await self._search(seat, end)
        self._background.start(self._afterwards(match, number, move, searched))
        return move

    async def _advance(self, match: RunningMatch, seat: Seat, moves: tuple[str, ...] | None) -> None:
        """Let a seat take the joint move that was played. Raises MoveError for an impossible one."""
        await self._background.in_thread(lambda: seat.advance(moves))
        if moves is not None:
            match.joints.append(moves)

    async def _search(self, seat: Seat, end: float) -> str:
        """Search until the time `end` of the event loop, or a moment if that has come, and return the best move."""
        loop = asyncio.get_running_loop()
        left = max(LEAST_SEARCH_S, end - loop.time())
        end = loop.time() + left
        move = await self._background.in_thread(lambda: seat.choose(left))
        self.margin.note(loop.time() - end)
        return move

    async def _afterwards(self, match: RunningMatch, number: int, move: str, searched: bool) -> None:
        """Log what a search found, and ponder."""
        async with match.lock:
            seat = match.seat
            if seat is None or match.over:
                return
            account = await self._background.in_thread(seat.account) if searched else "not searched"
            log.info("match %s, move %d: %s, %s", match.start.match, number, move, account)
            await self._background.in_thread(seat.ponder)

    async def _stop(self, message: Stop) -> str:
        match = self._match
        if match is None or match.start.match != message.match:
            return BUSY
        if match.seat is not None:
            match.seat.interrupt(for_good=True)
        async with match.order:
            if match.seat is not None:
                try:
                    await self._advance(match, match.seat, message.moves)
                    goal = await self._background.in_thread(match.seat.goal)
                    log.info("match %s: over, goal %s", message.match, goal)
                except MoveError as error:
                    log.warning("match %s: %s", message.match, error)
        await self._leave(match)
        return DONE

    async def _abort(self, message: Abort) -> str:
        match = self._match
        if match is None or match.start.match != message.match:
            return BUSY
        log.info("match %s: aborted", message.match)
        await self._leave(match)
        return ABORTED

    async def _leave(self, match: RunningMatch) -> None:
        if match.over:
            return
        match.over = True
        if match.seat is not None:
            match.seat.interrupt(for_good=True)
        if match.preparing:
            await self._background.in_thread(self._preparation.restart)
        async with match.lock:
            seat = match.seat  # another may have taken it meanwhile
            if seat is not None:
                try:
                    name = re.sub(r"[^\w.-]", "_", match.start.match)[:80]
                    path = await self._background.in_thread(lambda: seat.save(name))
                    if path is not None:
                        log.info("match %s: recorded in %s", match.start.match, path)
                except UserError as error:
                    log.warning("match %s: %s", match.start.match, error)
                await self._background.in_thread(match.clear)
        if self._match is match:
            self._match = None
        match.ready.set()
        self.warm_up()

    def _end(self, received: float, clock: float) -> float:
        """Return the time of the event loop at which the answer to a message should be ready."""
        return received + clock - self.margin(clock)

    def _left(self, received: float, clock: float) -> float:
        """Return the seconds of a clock that are left to use."""
        return self._end(received, clock) - asyncio.get_running_loop().time()

    def _limit(self, received: float, clock: float) -> float:
        """Return the seconds after which a message is answered even if the threads are late."""
        return max(0.0, self._left(received, clock) + self.margin(clock) / 3)


def _look_at(task: asyncio.Task[str]) -> None:
    """Log the error of a late search, if it ended in one."""
    if not task.cancelled() and task.exception() is not None:
        log.warning("the late search ended in an error: %s", task.exception())
