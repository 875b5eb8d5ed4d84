"""A match in progress: its start message, its seat, and the locks and events of its tasks."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass, field

from gdl_miner.agent._native import release_memory
from gdl_miner.agent.server.messages import Play, Start
from gdl_miner.agent.server.seat import Seat

__all__ = ["NO_MOVE", "RunningMatch"]

NO_MOVE = "nil"
FORGOTTEN_AFTER_S = 30.0  # a controller that is silent for this time and two clocks is considered gone


@dataclass(eq=False)
class RunningMatch:
    """The state of a match in progress, for use in one event loop."""

    start: Start
    silent_since: float  # loop time
    seat: Seat | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    order: asyncio.Lock = field(default_factory=asyncio.Lock)  # held while the seat takes moves, which is short
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # held while the seat thinks
    answering: tuple[Play, asyncio.Task[str]] | None = None
    sitting: asyncio.Task[None] | None = None  # prepares the rules and takes the seat
    preparing: bool = False
    over: bool = False
    first_move: str = NO_MOVE  # a legal move of the current position
    joints: list[tuple[str, ...]] = field(default_factory=list)  # joint moves made so far

    def forgotten(self, now: float) -> bool:
        """Whether the controller of the match has long been silent."""
        clock = max(self.start.start_clock, self.start.play_clock)
        return (
            self.answering is None and self.ready.is_set() and now > self.silent_since + 2 * clock + FORGOTTEN_AFTER_S
        )

    def clear(self) -> None:
        """Close the seat and release its memory, including memory that reference cycles hold."""
        if self.seat is not None:
            self.seat.close()
        self.seat = self.answering = None
        gc.collect()
        release_memory()
