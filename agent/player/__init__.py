"""The player as a library: a seat in a match, that thinks against a clock or a number of playouts."""

from agent.player.match import Match
from agent.player.player import Player
from agent.player.thought import MoveThought, Thought

__all__ = ["Match", "MoveThought", "Player", "Thought"]
