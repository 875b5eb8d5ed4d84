"""The player: rules, reasoner, search and knowledge of the GDL knowledge miner."""

from agent.player import Player

__all__ = ["Player"]
