"""The protocol by which the referee asks players for moves, and a player of random moves that keeps to it."""

from __future__ import annotations

import random
from typing import Protocol

from gdl_miner.agent.server.messages import Message

__all__ = ["LocalRandom", "PlayerLink"]


class PlayerLink(Protocol):
    """A player to which messages can be sent."""

    @property
    def name(self) -> str:
        """Name or address of the player, for reports."""

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Send a message and return the answer; `legal` are the moves that the player may make now.

        Raises:
            TimeoutError: no whole answer within the seconds.
            OSError: the player cannot be reached, or does not speak HTTP.
        """


class LocalRandom:
    """A player of random legal moves."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return one of the legal moves, `ready` if there are none."""
        return self._random.choice(legal) if legal else "ready"
