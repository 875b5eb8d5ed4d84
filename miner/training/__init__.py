"""Learning what states are worth from self-play: temporal differences over games in lock-step."""

from miner.training.layout import ValueShape, layout_for
from miner.training.rounds import LearnedWeights, RoundSettings, RoundTotals, average, train_round, train_shard

__all__ = [
    "LearnedWeights",
    "RoundSettings",
    "RoundTotals",
    "ValueShape",
    "average",
    "layout_for",
    "train_round",
    "train_shard",
]
