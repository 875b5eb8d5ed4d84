"""The player: rules, reasoner, search and knowledge of the GDL knowledge miner."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl_miner.agent.player import Player

__all__ = ["Player"]


def __getattr__(name: str) -> object:
    """Import the player on first use, so that command lines can start before the large libraries are loaded."""
    if name == "Player":
        from gdl_miner.agent.player import Player

        return Player
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
