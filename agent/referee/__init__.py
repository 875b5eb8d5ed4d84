"""The game controller: matches between players over HTTP, clocks enforced, faults reported."""

from gdl_miner.agent.referee.match import Clocks, PlayerFault, RefereedMatch, referee
from gdl_miner.agent.referee.players import LocalPlayer, LocalRandom, PlayerLink

__all__ = [
    "Clocks",
    "LocalPlayer",
    "LocalRandom",
    "PlayerFault",
    "PlayerLink",
    "RefereedMatch",
    "referee",
]
