"""Cultural coevolution (Sharma 2009): species of players that learn values, mate, lay pheromone and share beliefs."""

from gdl_miner.miner.learners.culture.learner import CULTURE

__all__ = ["CULTURE"]
