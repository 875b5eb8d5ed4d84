"""The players of a match: on the circuit of the game, and on the interpreter as long as there is no circuit.

The preparation of rules may go on after the start clock has ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from gdl_miner.agent.errors import BudgetError, UserError
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.server.interpreted_seat import InterpretedSeat
from gdl_miner.agent.server.interpreter_process import InterpreterProcess
from gdl_miner.agent.server.messages import Start
from gdl_miner.agent.server.preparation import PreparationProcess, PreparedRules
from gdl_miner.agent.server.seat import CircuitSeat, Seat, SeatOptions

log = logging.getLogger("gdl_miner.agent.server")

PREPARATION_S = 300.0  # time for the preparation of rules, which may go on while the interpreter plays
SECOND_TRY_S = 30.0  # time for the second try to prepare rules that were not even read
STAND_IN_S = 0.5  # time for the preparation of rules that were read, after which the interpreter takes the seat
T = TypeVar("T")

MOST_THREADS = 8
CLOSING_S = 1.0  # time for tasks to end by themselves when no more work begins


class Background:
    """The threads and tasks of one player, for use in one event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MOST_THREADS, "seat")
        self._tasks: set[asyncio.Task[Any]] = set()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do work in a thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task, which no code has to wait for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Give up the work that has not begun, and end all tasks: those that are not over in a moment are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=CLOSING_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


class Seating:
    """Prepares rules and makes the players of matches, for use in one event loop."""

    def __init__(self, preparation: PreparationProcess, options: SeatOptions, background: Background) -> None:
        self._preparation = preparation
        self._options = options
        self._background = background
        self._machine: Machine | None = None  # of the last match; its programs may serve the next one
        self._preparing: Start | None = None  # of the match whose rules are being prepared
        self._building: dict[str, asyncio.Lock] = {}  # by digest of the rules: held while their programs are made
        self._spare: InterpreterProcess | None = None
        self._closed = False

    async def warm_up(self, wait_s: float = 0.0) -> None:
        """Start the process of the next match that the interpreter plays; wait at most `wait_s` until it is ready."""
        if self._spare is None and not self._closed:
            spare = await self._background.in_thread(InterpreterProcess)
            if self._spare is None and not self._closed:
                self._spare = spare
            else:
                spare.close()
        ready = self._spare
        if ready is not None and wait_s > 0:
            await self._background.in_thread(lambda: ready.wait(wait_s))

    def close(self) -> None:
        """Kill the processes; no match can begin after this."""
        self._closed = True
        self._preparation.close()
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    async def preview(self, rules: str, seconds: float) -> None:
        """Prepare rules that may be played soon. Raises UserError if they are no game or were not read in time."""
        await self._background.in_thread(lambda: self._preparation.prepare(rules, "preview", max(0.1, seconds)))

    async def bring(self, start: Start, offer: Callable[[Seat], None]) -> None:
        """Prepare the rules of a match and offer a player on their circuit.

        If that takes longer than a moment, or there is no circuit, offer one on the interpreter, too. Return when
        no other will be offered. Raises UserError if the rules are no game, or do not have the role.
        """
        read: asyncio.Future[RuleSheet] = asyncio.get_running_loop().create_future()
        preparing = self._background.start(self._prepared(start, read))
        first: list[asyncio.Future[Any]] = [preparing, read]
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if read.done():
            await asyncio.wait([preparing], timeout=STAND_IN_S)
        standing_in = None
        if not preparing.done():
            standing_in = self._background.start(self._offer_interpreter(start, read.result(), offer))
            standing_in.add_done_callback(lambda task: task.cancelled() or task.exception())  # the circuit has it, too
        prepared = await preparing
        if prepared is None:
            return
        for warning in prepared.warnings:
            log.warning("match %s: %s", start.match, warning)
        if prepared.circuit is not None:
            offer(await self._compiled(prepared, start.role))
        else:
            await (standing_in or self._offer_interpreter(start, prepared.theirs, offer))

    async def abandon(self, start: Start) -> None:
        """Break off the preparation of the rules of a match, if it goes on."""
        if self._preparing is start:
            self._preparing = None
            await self._background.in_thread(self._preparation.restart)

    async def _prepared(self, start: Start, read: asyncio.Future[RuleSheet]) -> PreparedRules | None:
        """Prepare the rules of a match, None if it is abandoned meanwhile; `read` gets the sheet once it is read."""
        loop = asyncio.get_running_loop()

        def tell(sheet: RuleSheet) -> None:
            loop.call_soon_threadsafe(lambda: None if read.done() else read.set_result(sheet))

        async def within(seconds: float) -> PreparedRules:
            source = f"match {start.match[:80]}"
            return await self._background.in_thread(
                lambda: self._preparation.prepare(start.rules, source, seconds, tell)
            )

        self._preparing = start
        try:
            prepared = await within(PREPARATION_S)
        except BudgetError as error:  # the rules were not even read; a second try may save the match
            if self._preparing is not start:
                return None
            log.warning("%s; goes on", error)
            prepared = await within(SECOND_TRY_S)
        finally:
            abandoned = self._preparing is not start
            if not abandoned:
                self._preparing = None
        return None if abandoned else prepared

    async def _compiled(self, prepared: PreparedRules, role: str) -> CircuitSeat:
        """Return a seat on the circuit. The programs of a game are made once for matches that follow each other."""
        digest = prepared.sheet.digest
        async with self._building.setdefault(digest, asyncio.Lock()):
            try:
                seat = await self._background.in_thread(
                    lambda: CircuitSeat(prepared, role, self._options, self._machine)
                )
                self._machine = seat.machine
                return seat
            finally:
                self._building.pop(digest, None)

    async def _offer_interpreter(self, start: Start, sheet: RuleSheet, offer: Callable[[Seat], None]) -> None:
        offer(await self._background.in_thread(lambda: self._interpreted(start, sheet)))

    def _interpreted(self, start: Start, sheet: RuleSheet) -> InterpretedSeat:
        seed, records = self._options.seed, self._options.records
        spare, self._spare = self._spare, None
        if spare is not None:
            try:
                return InterpretedSeat(sheet, start.role, seed, records, spare)
            except OSError:  # the process has ended
                spare.close()
            except UserError:
                spare.close()
                raise
        return InterpretedSeat(sheet, start.role, seed, records)
