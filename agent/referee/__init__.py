"""The game controller: matches between players over HTTP, clocks enforced, faults reported."""

from agent.referee.match import Clocks, Fault, Outcome, referee
from agent.referee.player_link import LocalRandom, PlayerLink, RemotePlayer
from agent.referee.scramble import scrambled

__all__ = ["Clocks", "Fault", "LocalRandom", "Outcome", "PlayerLink", "RemotePlayer", "referee", "scrambled"]
