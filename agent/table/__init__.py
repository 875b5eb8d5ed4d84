"""The game table: a match between people and agents, shown in a browser on this machine."""

from gdl_miner.agent.table.session import Strength, TableSession, TableSettings
from gdl_miner.agent.table.table import SeatKind, Table

__all__ = ["SeatKind", "Strength", "Table", "TableSession", "TableSettings"]
