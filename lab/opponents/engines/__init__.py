"""Engines of other programs as opponents: adapters translate between their moves and those of rule sheets."""

from lab.opponents.engines.description import check_engine, open_engine
from lab.opponents.engines.process import EngineError, Opponent

__all__ = ["EngineError", "Opponent", "check_engine", "open_engine"]
