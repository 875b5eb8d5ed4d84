"""The game controller: matches between players over HTTP, clocks enforced, faults reported."""

from gdl_miner.agent.referee.match import Clocks, PlayerFault, RefereedMatch, referee
from gdl_miner.agent.referee.players import LocalRandom, PlayerLink

__all__ = [
    "Clocks",
    "LocalRandom",
    "PlayerFault",
    "PlayerLink",
    "RefereedMatch",
    "referee",
]
