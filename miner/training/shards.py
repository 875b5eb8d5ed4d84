"""A round of self-play in a task of its own."""

from __future__ import annotations

from gdl_miner.agent.values import LearnedWeights, RoundSettings, RoundTotals, ValueShape, layout_for, train_round
from gdl_miner.miner.play.prepared_game import PreparedGame

__all__ = ["train_shard"]


def train_shard(
    game: PreparedGame, shape: ValueShape, start: LearnedWeights | None, settings: RoundSettings
) -> tuple[LearnedWeights, RoundTotals]:
    """Play a round and learn from it; without `start`, all weights begin with 0."""
    layout = layout_for(game.machine(), shape)
    return train_round(layout, LearnedWeights.new(layout) if start is None else start, settings)
