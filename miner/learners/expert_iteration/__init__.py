"""Expert iteration: an apprentice learns what searches that it guides find, and its features grow one by one."""

from gdl_miner.miner.learners.expert_iteration.learner import EXPERT_ITERATION

__all__ = ["EXPERT_ITERATION"]
