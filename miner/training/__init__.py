"""Learning what states are worth from self-play: temporal differences over games in lock-step."""

from miner.training.rounds import LearnedWeights, RoundSettings, RoundTotals, average, train_round

__all__ = ["LearnedWeights", "RoundSettings", "RoundTotals", "average", "train_round"]
