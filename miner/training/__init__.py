"""Learning what states are worth from self-play: temporal differences over games in lock-step."""

from miner.training.layout import ValueShape, layout_for
from miner.training.rounds import LearnedWeights, RoundSettings, RoundTotals, average, train_round, train_shard
from miner.training.start import weights_from

__all__ = [
    "LearnedWeights",
    "RoundSettings",
    "RoundTotals",
    "ValueShape",
    "average",
    "layout_for",
    "train_round",
    "train_shard",
    "weights_from",
]
