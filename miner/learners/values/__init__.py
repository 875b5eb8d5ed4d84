"""Learning of values by temporal differences over games of self-play."""

from gdl_miner.miner.learners.values.learner import VALUES

__all__ = ["VALUES"]
