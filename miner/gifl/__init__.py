"""Game Independent Feature Learning (Kirci 2010): conjunctions of facts and a move, learned from the ends of games.

Games are played at random. At the end of one, facts are taken away one by one to see which of them the end needs; then
the same is asked of the moves before it, two plies at a time.
"""

from gdl_miner.miner.gifl.features import (
    FeatureSide,
    GameCounts,
    GiflFeature,
    GiflFeatures,
    join_learned,
    lowest_levels,
)
from gdl_miner.miner.gifl.nature import GameNature, study_game
from gdl_miner.miner.gifl.settings import GiflSettings, TreeSettings
from gdl_miner.miner.gifl.shards import GameSpan, learn_shard, study_shard

__all__ = [
    "FeatureSide",
    "GameCounts",
    "GameNature",
    "GameSpan",
    "GiflFeature",
    "GiflFeatures",
    "GiflSettings",
    "TreeSettings",
    "join_learned",
    "learn_shard",
    "lowest_levels",
    "study_game",
    "study_shard",
]
