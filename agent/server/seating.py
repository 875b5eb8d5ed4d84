"""The player of a match: on the circuit of the game, or on the interpreter as long as there is no circuit.

Rules are prepared for as long as it takes, also beyond the start clock. Where that takes longer than a moment, the
interpreter takes the seat. It gives it up to the player on the circuit, which makes the moves of the match so far.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from gdl_miner.agent.errors import BudgetError, MoveError, UserError
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.server.background import Background
from gdl_miner.agent.server.interpreted_seat import InterpretedSeat
from gdl_miner.agent.server.interpreter_process import InterpreterProcess
from gdl_miner.agent.server.preparation_process import PreparationProcess, PreparedRules
from gdl_miner.agent.server.running_match import RunningMatch
from gdl_miner.agent.server.seat import CircuitSeat, Seat, SeatOptions

__all__ = ["Seating"]

log = logging.getLogger("gdl_miner.agent.server")

PREPARATION_S = 300.0  # time for the preparation of rules, which may go on while the interpreter plays
SECOND_TRY_S = 30.0  # time for the second try to prepare rules that were not even read
STAND_IN_S = 0.5  # time for the preparation of rules that were read, after which the interpreter takes the seat


class Seating:
    """Gives matches their seats, for use in one event loop."""

    def __init__(self, preparation: PreparationProcess, options: SeatOptions, background: Background) -> None:
        self._preparation = preparation
        self._options = options
        self._background = background
        self._machine: Machine | None = None  # of the last match; its programs may serve the next one
        self._building: dict[str, asyncio.Lock] = {}  # by digest of the rules: held while their programs are made
        self._spare: InterpreterProcess | None = None
        self._closed = False

    async def warm_up(self) -> None:
        """Start the process of the next match that the interpreter plays."""
        if self._spare is None and not self._closed:
            spare = await self._background.in_thread(InterpreterProcess)
            if self._spare is None and not self._closed:
                self._spare = spare
            else:
                spare.close()

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

    async def sit_down(self, match: RunningMatch) -> CircuitSeat | None:
        """Prepare the rules of a match and take its seat; return the last to take it, None if it is the interpreter.

        Raises UserError if the rules are no game, or do not have the role.
        """
        read: asyncio.Future[RuleSheet] = asyncio.get_running_loop().create_future()
        standing_in = asyncio.create_task(self._stand_in(match, read))
        try:
            prepared = await self._prepared(match, read)
            if match.over:
                return None
            if prepared.warning:
                log.warning("match %s: %s", match.start.match, prepared.warning)
            if prepared.circuit is None:
                await self._let_stand_in(match, prepared.theirs)
                return None
            seat = await self._compiled(prepared, match.start.role)
            return seat if await self._take_seat(match, seat) else None
        finally:
            standing_in.cancel()

    async def _prepared(self, match: RunningMatch, read: asyncio.Future[RuleSheet]) -> PreparedRules:
        """Prepare the rules of a match; `read` gets the sheet once it is read."""
        loop = asyncio.get_running_loop()
        rules, source = match.start.rules, f"match {match.start.match[:80]}"

        def tell(sheet: RuleSheet) -> None:
            loop.call_soon_threadsafe(lambda: None if read.done() else read.set_result(sheet))

        async def prepared(seconds: float) -> PreparedRules:
            return await self._background.in_thread(lambda: self._preparation.prepare(rules, source, seconds, tell))

        match.preparing = True
        try:
            return await prepared(PREPARATION_S)
        except BudgetError as error:  # the rules were not even read; a second try may save the match
            if match.over:
                raise
            log.warning("%s; goes on", error)
            return await prepared(SECOND_TRY_S)
        finally:
            match.preparing = False

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

    async def _stand_in(self, match: RunningMatch, read: asyncio.Future[RuleSheet]) -> None:
        """Let the interpreter take the seat if the preparation of rules that were read takes long."""
        sheet = await read
        await asyncio.sleep(STAND_IN_S)
        self._background.start(self._offer_stand_in(match, sheet))

    async def _offer_stand_in(self, match: RunningMatch, sheet: RuleSheet) -> None:
        with suppress(UserError):  # the preparation meets the fault, too
            await self._let_stand_in(match, sheet)

    async def _let_stand_in(self, match: RunningMatch, sheet: RuleSheet) -> None:
        if match.seat is None and not match.over:
            await self._take_seat(match, await self._background.in_thread(lambda: self._interpreted(sheet, match)))

    def _interpreted(self, sheet: RuleSheet, match: RunningMatch) -> Seat:
        role, seed, records = match.start.role, self._options.seed, self._options.records
        spare, self._spare = self._spare, None
        if spare is not None:
            try:
                return InterpretedSeat(sheet, role, seed, records, spare)
            except OSError:  # the process has ended
                spare.close()
            except UserError:
                spare.close()
                raise
        return InterpretedSeat(sheet, role, seed, records)

    async def _take_seat(self, match: RunningMatch, seat: Seat) -> bool:
        """Let a player go on with the match in place of the one before; return whether it could."""
        name = match.start.match
        async with match.lock, match.order:
            taken = not match.over and not (isinstance(seat, InterpretedSeat) and match.seat is not None)
            try:
                if taken:
                    match.first_move = await self._background.in_thread(lambda: _caught_up(seat, match.joints))
            except MoveError as error:
                log.warning("match %s: %s; the interpreter goes on", name, error)
                taken = False
            left = match.seat if taken else seat
            if taken:
                match.seat = seat
                log.info("match %s: %s plays %s", name, match.start.role, seat.describe())
                match.ready.set()
        if left is not None:
            await self._background.in_thread(left.close)
        return taken


def _caught_up(seat: Seat, joints: list[tuple[str, ...]]) -> str:
    """Make the joint moves of the match so far at a new seat; return a legal move of the position.

    Raises MoveError if a move is impossible, or the match is over.
    """
    for joint in joints:
        seat.advance(joint)
    return seat.first_move()
