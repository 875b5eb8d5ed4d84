"""Discovery of the board of a game in its rules."""

from gdl_miner.agent.reasoner.discovery.board import (
    NamedBoard,
    board_facts,
    board_in_words,
    board_of_discovery,
    discovery_in_words,
    left_out_of_facts,
    owners_of_pieces,
    why_no_board,
)
from gdl_miner.agent.reasoner.discovery.discover import discover_boards
from gdl_miner.agent.reasoner.discovery.result import BoardKind, DiscoveredMove, Discovery, FoundBoard

__all__ = [
    "BoardKind",
    "DiscoveredMove",
    "Discovery",
    "FoundBoard",
    "NamedBoard",
    "board_facts",
    "board_in_words",
    "board_of_discovery",
    "discover_boards",
    "discovery_in_words",
    "left_out_of_facts",
    "owners_of_pieces",
    "why_no_board",
]
