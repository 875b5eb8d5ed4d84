"""The protocol that all opponents follow."""

from __future__ import annotations

from typing import Protocol

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.player import OngoingMatch

__all__ = ["EngineError", "Opponent"]


class EngineError(UserError):
    """An engine that cannot be started, ends too early, or gives an answer that cannot be used."""


class Opponent(Protocol):
    """An opponent that chooses moves in matches of one game, one match after the other."""

    def begin(self, seed: int) -> None:
        """Forget the last match; the seed decides where the engine's choice between equal moves is random."""

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move that the role should make now, as the rule sheet spells it; it may still be illegal.

        Raises EngineError if there is no usable answer.
        """

    def close(self) -> None:
        """End the engine. Closing twice does no harm."""
