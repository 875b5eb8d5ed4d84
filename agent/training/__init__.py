"""Learning what states are worth by temporal differences, from self-play in lock-step or from games of others."""

from gdl_miner.agent.training.layout import ShapeChoice, ValueShape, layout_for, movers_before
from gdl_miner.agent.training.played_games import PlayedGames
from gdl_miner.agent.training.rounds import (
    LearnedWeights,
    LearningRates,
    RoundSettings,
    RoundTotals,
    average,
    learn_from_games,
    train_round,
)
from gdl_miner.agent.training.timed_training import TimedTraining

__all__ = [
    "LearnedWeights",
    "LearningRates",
    "PlayedGames",
    "RoundSettings",
    "RoundTotals",
    "ShapeChoice",
    "TimedTraining",
    "ValueShape",
    "average",
    "layout_for",
    "learn_from_games",
    "movers_before",
    "train_round",
]
