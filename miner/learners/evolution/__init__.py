"""Evolution of feature lists, weights and search parameters, as in the thesis."""

from gdl_miner.miner.learners.evolution.learner import EVOLUTION

__all__ = ["EVOLUTION"]
