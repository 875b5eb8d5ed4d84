"""Measurements of training: games per second of one process, and what they cost in moves and weights."""

from __future__ import annotations

import time
from collections.abc import Sequence

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import LearnedWeights, TupleShape, ValueShape, layout_for, train_round
from gdl_miner.miner.learners.values.method import VALUES
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "measure_training"]

COLUMNS = (
    Column("game", "game", 22),
    Column("shapes", "shapes", 24),
    Column("weights", "weights"),
    Column("tuples", "tuples"),
    Column("length", "moves/game", form=",.1f"),
    Column("rate", "games/s"),
    Column("moves", "moves/s"),
    Column("error", "rms error", form=".3f"),
)

_GAMES_OF_ROUND = 1000


def measure_training(machine: Machine, shapes: Sequence[TupleShape], seconds: float, seed: int) -> dict[str, CellValue]:
    """Return a row on training from nothing for at least so many seconds of processor time of one process.

    The games are played and learned from as the configuration `default` says.

    Raises ConfigError for a shape that does not fit the game.
    """
    layout = layout_for(machine, ValueShape(tuple(shapes)))
    usual = VALUES.read_config("default", {"values": {"games": _GAMES_OF_ROUND, "shards": 1}}).values
    learned, games, moves, error, spent = LearnedWeights.new(layout), 0, 0, 0.0, 0.0
    while spent < seconds:
        begun = time.process_time()
        learned, totals = train_round(layout, learned, usual.round(seed + games))
        spent += time.process_time() - begun
        games, moves, error = games + totals.games, moves + totals.moves, totals.squared_error**0.5
    return {
        "game": machine.sheet.name,
        "shapes": ", ".join(["facts", *map(str, shapes)]),
        "weights": layout.n_weights,
        "tuples": len(layout.network.views[0].tuple_weight),
        "length": moves / games,
        "rate": games / spent,
        "moves": moves / spent,
        "error": error,
    }
