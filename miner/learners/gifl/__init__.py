"""Game Independent Feature Learning (Kirci 2010): conjunctions of facts and a move, learned from the ends of games.

Games are played at random. At the end of one, facts are taken away one by one to see which of them the end needs; then
the same is asked of the moves before it, two plies at a time.
"""

from gdl_miner.miner.learners.gifl.learner import GIFL

__all__ = ["GIFL"]
