"""The game controller: matches between players over HTTP, clocks enforced, faults reported."""

from agent.referee.match import Clocks, PlayerFault, RefereedMatch, referee
from agent.referee.player_link import LocalRandom, PlayerLink
from agent.referee.scramble import scrambled

__all__ = [
    "Clocks",
    "LocalRandom",
    "PlayerFault",
    "PlayerLink",
    "RefereedMatch",
    "referee",
    "scrambled",
]
