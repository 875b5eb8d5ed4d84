"""Learning what states are worth from self-play: temporal differences over games in lock-step."""

from agent.training.layout import ShapeChoice, ValueShape, layout_for, movers_before
from agent.training.rounds import LearnedWeights, RoundSettings, RoundTotals, average, train_round
from agent.training.timed_training import TimedTraining

__all__ = [
    "LearnedWeights",
    "RoundSettings",
    "RoundTotals",
    "ShapeChoice",
    "TimedTraining",
    "ValueShape",
    "average",
    "layout_for",
    "movers_before",
    "train_round",
]
