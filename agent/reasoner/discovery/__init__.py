"""Discovery of the board of a game in its rules."""

from agent.reasoner.discovery.board import NamedBoard, board_of_discovery, why_no_board
from agent.reasoner.discovery.discover import discover_boards
from agent.reasoner.discovery.result import BoardKind, DiscoveredMove, Discovery, FoundBoard

__all__ = [
    "BoardKind",
    "DiscoveredMove",
    "Discovery",
    "FoundBoard",
    "NamedBoard",
    "board_of_discovery",
    "discover_boards",
    "why_no_board",
]
