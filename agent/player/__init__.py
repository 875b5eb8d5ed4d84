"""The player as a library: it has a seat in a match and searches for a given time or number of playouts."""

from gdl_miner.agent.player.learning import Lesson
from gdl_miner.agent.player.match import OngoingMatch
from gdl_miner.agent.player.player import Player
from gdl_miner.agent.player.thought import MoveThought, Thought

__all__ = ["Lesson", "MoveThought", "OngoingMatch", "Player", "Thought"]
