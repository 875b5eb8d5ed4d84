"""Engines of other programs as opponents: adapters translate between their moves and those of rule sheets."""

from gdl_miner.miner.strength.engines.description import open_engine
from gdl_miner.miner.strength.engines.opponent import EngineError, Opponent

__all__ = ["EngineError", "Opponent", "open_engine"]
