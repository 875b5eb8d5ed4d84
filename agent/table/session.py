"""The course of a match at the table: agents search against their clocks, people choose, and browsers are informed.

One task drives the match. A command (a move, a seat, another match) stops the task, changes the table and starts the
task again, so nothing changes during a search. Searches run slice by slice in one thread, and browsers are informed
after every slice.
"""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from gdl_miner.agent.errors import ConfigError, MoveError, UserError
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.player import Player, Thought
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.table.table import SeatKind, Table
from gdl_miner.agent.table.view import (
    describe_position,
    describe_reasons,
    describe_thought,
    fired_features,
)

T = TypeVar("T")

STRENGTHS = {"seconds": (0.05, 3600.0), "playouts": (1, MAX_PLAYOUTS), "level": (1, 16)}
"""By unit: the least and the most that people may choose."""
SLICE_S = 0.25
LONGEST_LINE = 6  # joint moves
ADVICE_S = 60.0  # s, after which the adviser stops
WATCHED_S = 0.1  # s, shortest time between moves if people only watch


@dataclass(frozen=True)
class Strength:
    """How much agents search for a move: for so many seconds, or so many playouts, or by a level."""

    unit: Literal["seconds", "playouts", "level"] = "seconds"
    amount: float = 2.0

    def __post_init__(self) -> None:
        least, most = STRENGTHS[self.unit]
        if not least <= self.amount <= most or (self.unit != "seconds" and self.amount % 1):
            whole = "" if self.unit == "seconds" else "a whole number "
            raise ConfigError(f"a strength of {self.amount:g} {self.unit}; give {whole}from {least:g} to {most:g}")

    @property
    def seconds(self) -> float | None:
        """Seconds of a move, None where playouts are counted."""
        return self.amount if self.unit == "seconds" else None

    @property
    def playouts(self) -> int | None:
        """Playouts of a move, None where the clock counts. A level makes twice as many as the one below it."""
        if self.unit == "seconds":
            return None
        return int(self.amount) if self.unit == "playouts" else 10 * 2 ** int(self.amount)


@dataclass(frozen=True)
class TableSettings:
    """Settings that people may change while they play."""

    strength: Strength = Strength()
    advice: bool = False  # show the agent's search of a person's moves
    paused: bool = False
    turned: bool = False


class TableSession:
    """The driver of one table; make and use it in one event loop."""

    def __init__(self, table: Table, settings: TableSettings | None = None) -> None:
        self.table = table
        self.settings = settings or TableSettings()
        self.serial = 0  # number of the position; moves for another position are refused
        self._position: dict[str, Any] = {}
        self._thought: dict[str, Any] | None = None
        self._explanation: dict[str, Any] | None = None
        self._hidden: dict[str, Any] | None = None  # a thought that is shown after the move is made
        self._problem = ""
        self._news = asyncio.Condition()
        self._version = 0
        self._closed = False
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._played = asyncio.Event()
        self._thinking: Player | None = None
        self._thread = ThreadPoolExecutor(1, "table")

    async def start(self) -> None:
        """Start the match."""
        async with self._lock:
            await self._go_on()

    async def close(self) -> None:
        """End all threads and all waits for news."""
        async with self._lock:
            await self._stop()
            await self._in_thread(self.table.close)
        self._thread.shutdown()
        self._closed = True
        await self._tell()

    async def news(self, version: int) -> tuple[int, str] | None:
        """Wait for a state newer than a version; return its version and the state as JSON, None after `close`."""
        async with self._news:
            await self._news.wait_for(lambda: self._closed or self._version != version)
            if self._closed:
                return None
            return self._version, json.dumps(
                {
                    "serial": self.serial,
                    "position": self._position,
                    "thought": self._thought,
                    "thinking": self._thinking is not None,
                    "explanation": self._explanation,
                    "explains": self.table.worth is not None,
                    "saves": True,
                    "strength": {"unit": self.settings.strength.unit, "amount": self.settings.strength.amount},
                    "advice": self.settings.advice,
                    "paused": self.settings.paused,
                    "problem": self._problem,
                }
            )

    async def play(self, serial: int, role: int, row: int) -> None:
        """Make a person's move. Raises MoveError if it is illegal, not a person's, or the position has changed."""
        async with self._lock:
            if serial != self.serial:
                raise MoveError("the position has changed meanwhile")
            if not 0 <= role < len(self.table.seats) or self.table.seats[role] != SeatKind.YOU:
                raise MoveError("that seat is not yours")
            self.table.choose(role, row)
            driven = self._task is not None and not self._task.done()
            if driven and not self._played.is_set() and self.table.waits_for(*self.table.agents):
                await self._tell_position()  # agents still search; the task goes on when they are ready
            else:
                await self._stop()
                await self._go_on()

    async def take_back(self) -> None:
        """Go back to a person's last choice, and pause if only agents play. Raises MoveError at the start."""
        async with self._lock:
            await self._stop()
            try:
                self.table.take_back()
                self.serial += 1
                self.settings = replace(self.settings, paused=SeatKind.YOU not in self.table.seats)
                self._thought = self._hidden = self._explanation = None
            finally:
                await self._go_on()

    async def start_again(self) -> None:
        """Start another match with the same seats."""
        async with self._lock:
            await self._stop()
            await self._in_thread(self.table.start_again)
            self.serial += 1
            self._thought = self._hidden = self._explanation = None
            self.settings = replace(self.settings, paused=False)
            await self._go_on()

    async def take_position(self, facts: str) -> None:
        """Start another match in the state in which these facts hold. Raises ConfigError where there is none."""
        async with self._lock:
            await self._stop()
            try:
                await self._in_thread(partial(self.table.take_position, facts))
                self.serial += 1
                self._thought = self._hidden = self._explanation = None
            finally:
                await self._go_on()

    async def explain(self, serial: int, row: int | None) -> None:
        """Show what a move changes by the weights of values, None for no move.

        Raises MoveError if the position has changed, the move is illegal, or nothing explains it.
        """
        async with self._lock:
            if serial != self.serial:
                raise MoveError("the position has changed meanwhile")
            self._explanation = None if row is None else describe_reasons(self.table, row)
            await self._tell()

    async def sit(self, role: int, kind: str) -> None:
        """Change who sits in a seat. Raises ConfigError for an unknown role or kind, or without knowledge for it."""
        async with self._lock:
            await self._stop()
            try:
                self.table.sit(role, kind)
                self._hidden = None
            finally:
                await self._go_on()

    async def change(self, settings: TableSettings) -> None:
        """Change settings."""
        async with self._lock:
            await self._stop()
            self.settings = settings
            await self._go_on()

    async def record(self) -> bytes:
        """Return the match so far as XML."""
        async with self._lock:
            record = self.table.record()
            return await asyncio.get_running_loop().run_in_executor(None, self._written, record)

    def _written(self, record: Any) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "match.xml"
            write_records(record, self.table.machine, path)
            return path.read_bytes()

    async def _go_on(self) -> None:
        self._problem = ""
        await self._tell_position()
        self._task = asyncio.create_task(self._drive())

    async def _stop(self) -> None:
        """End the task that drives the match, and the search for which it waits."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        if self._thinking is not None:
            self._thinking.interrupt()
        with suppress(asyncio.CancelledError):
            await task
        await self._in_thread(lambda: None)  # returns after the search has

    async def _drive(self) -> None:
        try:
            while not self.table.match.ended and not self.settings.paused:
                await self._let_agents_choose()
                people = self.table.waits_for(SeatKind.YOU)
                if people:
                    self._played.set()
                    if self.settings.advice:
                        await self._think(people[0], Strength(amount=ADVICE_S), tell=True)
                    return
                if not self.table.advance():
                    return
                self._thought, self._hidden = self._hidden or self._thought, None
                await self._tell_position(changed=True)
                await asyncio.sleep(0 if SeatKind.YOU in self.table.seats else WATCHED_S)
        except UserError as error:
            self._problem = str(error)
            await self._tell()

    async def _let_agents_choose(self) -> None:
        self._played.clear()
        for role in self.table.waits_for(*self.table.agents):
            if self.table.seats[role] == SeatKind.RANDOM:
                self.table.choose(role, self.table.random_row(role))
                continue
            if self.table.seats[role] in self.table.others:
                self.table.choose(role, await self._in_thread(partial(self.table.others_row, role)))
                continue
            secret = bool(self.table.waits_for(SeatKind.YOU))
            thought = await self._think(role, self.settings.strength, tell=not secret)
            self.table.choose(role, thought.chosen.row)

    async def _think(self, role: int, strength: Strength, *, tell: bool) -> Thought:
        """Search in slices until the time is over, or the playouts are made.

        With `tell`, browsers see the result after each slice, without it after the move is made.
        """
        loop = asyncio.get_running_loop()
        begin = loop.time()
        player = await self._in_thread(lambda: self.table.player(role))
        knowledge = player.knowledge
        fired = await self._in_thread(lambda: fired_features(self.table, knowledge, role))
        worth = await self._in_thread(lambda: _worth_of_moves(self.table, role))
        seconds = math.inf if strength.seconds is None else strength.seconds
        playouts, thought = 0, None
        self._thinking = player
        try:
            while thought is None or (loop.time() - begin < seconds and playouts != strength.playouts):
                left = max(0.02, min(SLICE_S, begin + seconds - loop.time()))
                more = None if strength.playouts is None else strength.playouts - playouts
                part, line = await self._in_thread(partial(_search, player, left, more))
                playouts += part.playouts
                thought = replace(part, playouts=playouts, seconds=loop.time() - begin)
                described = describe_thought(self.table, role, thought, line, fired, worth)
                if tell:
                    self._thought = described
                    await self._tell()
                else:
                    self._hidden = described
                if part.playouts == 0 and part.seconds < left / 2:
                    break  # the position is solved
            self.table.note(role, thought)
            return thought
        finally:
            self._thinking = None
            await self._tell()

    async def _tell_position(self, *, changed: bool = False) -> None:
        self.serial += changed
        if changed:
            self._explanation = None
        self._position = describe_position(self.table, self.settings.turned)
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._version += 1
            self._news.notify_all()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _worth_of_moves(table: Table, role: int) -> dict[int, float]:
    return {} if table.worth is None else table.worth.of_moves(table.match.state, role)


def _search(player: Player, seconds: float, playouts: int | None) -> tuple[Thought, tuple[tuple[int, ...], ...]]:
    thought = player.think(seconds=seconds, playouts=playouts)
    return thought, player.line(thought, LONGEST_LINE)
