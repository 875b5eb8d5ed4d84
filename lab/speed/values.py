"""Time that the learned value of one state takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import get_args

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import ShapeChoice, ValueShape, layout_for, value_function
from lab.speed.rounds import call_seconds, random_matches
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "GAMES", "measure_values"]

GAMES = ("connectfour.ext", "connectfour7.ext", "breakthrough.ext", "othello.ext", "checkers.ext", "cubicup.ext")

COLUMNS = (
    Column("game", "game", 17),
    Column("shapes", "shapes", 8),
    Column("weights", "weights", 8),
    Column("tuples", "tuples", 8),
    Column("value_us", "value µs", 9, ".2f"),
)


def measure_values(games: Iterable[tuple[str, Machine]], *, seconds: float) -> Iterator[dict[str, CellValue]]:
    """Yield the microseconds of processor time of a state's values, for each game and usual choice of shapes.

    The states are those of random matches, one after the other, and the weights are random numbers. A search needs less
    for the moves of a node, because it adds up anew only the tuples that differ from one state to the next.
    """
    dice = np.random.default_rng(0)
    for name, machine in games:
        record = random_matches(machine)
        states = record.states[dice.permutation(len(record.states))]
        layouts = [layout_for(machine, ValueShape(choice)) for choice in get_args(ShapeChoice)]
        weights = [dice.standard_normal(layout.n_weights, np.float32) for layout in layouts]
        functions = list(map(value_function, layouts, weights))
        spent = call_seconds([partial(function.values, states) for function in functions], seconds)
        for choice, layout, call in zip(get_args(ShapeChoice), layouts, spent, strict=True):
            yield {
                "game": name,
                "shapes": choice,
                "weights": layout.n_weights,
                "tuples": len(layout.network.views[0].tuple_weight),
                "value_us": 1e6 * call / len(states),
            }
