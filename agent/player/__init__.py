"""The player as a library: it has a seat in a match and searches for a given time or number of playouts."""

from agent.player.learning import Lesson
from agent.player.match import OngoingMatch
from agent.player.player import Player
from agent.player.thought import MoveThought, Thought

__all__ = ["Lesson", "MoveThought", "OngoingMatch", "Player", "Thought"]
