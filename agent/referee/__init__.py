"""The game controller: matches between players over HTTP, clocks enforced, faults reported."""

from gdl_miner.agent.referee.match import Clocks, PlayerFault, RefereedMatch, referee
from gdl_miner.agent.referee.players import LocalRandom, PlayerLink
from gdl_miner.agent.referee.scramble import scrambled

__all__ = [
    "Clocks",
    "LocalRandom",
    "PlayerFault",
    "PlayerLink",
    "RefereedMatch",
    "referee",
    "scrambled",
]
