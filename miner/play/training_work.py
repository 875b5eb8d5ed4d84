"""The cost of training games, predicted from their operations instead of a clock.

A network learns from self-play for a predicted time, so that large networks and small ones cost alike, and the same
games are played on every machine. Every operation has a committed cost that was fitted once to measured times of 66
networks in 14 games; they were within 17 % in the mean, and the worst was 45 % off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from gdl_miner.agent.values import RoundSettings, ValueLayout, value_function
from gdl_miner.miner.play.cost_model import PositionSample

# [operation] nanoseconds on one core with AVX-512
TRAINING_COSTS: Mapping[str, float] = MappingProxyType(
    {
        "choice": 520.0,
        "row": 1.6,  # a row of the circuit, at a choice
        "chosen fact": 41.0,  # a fact of a state at a choice
        "chosen tuple": 5.6,  # a tuple whose weight is read at a choice, and changed after the game
        "distant tuple": 3.8,  # such a tuple where the weights do not fit into the fast memory
        "afterstate": 69.0,
        "moved tuple": 4.9,  # a tuple with a fact that a move changes, at every afterstate
        "playable row": 0.0025,  # a cell that a move names, at every afterstate whose playable cells are looked at
        "playable fact": 0.04,  # a fact of a playable cell, at every such afterstate
        "cost": 0.02,  # a slot that is set or read for relaxed costs, at every afterstate whose costs are looked at
    }
)
_NEAR_WEIGHTS = 100_000
_NO_LIMIT = 2**62
_AFTERSTATE = ("afterstate", "moved tuple", "playable row", "playable fact", "cost")


def training_amounts(layout: ValueLayout, sample: PositionSample) -> dict[str, float]:
    """Return how often a choice, or an afterstate valued for it, makes each operation of `TRAINING_COSTS`."""
    function = value_function(layout, np.zeros(layout.n_weights, np.float32))
    tuples, facts, rows, playable = float(function.n_tuples), sample.facts, 0.0, 0.0
    if function.cells is not None:
        seen = sample.playable(function.cells)
        facts, rows, playable = facts + seen.facts, float(seen.n_rows), float(seen.n_facts)
    costs = 0.0 if function.costs is None else sample.costs(function.costs).reads
    return {
        "choice": 1.0,
        "row": float(layout.machine.circuit.n_rows),
        "chosen fact": facts,
        "chosen tuple": tuples,
        "distant tuple": tuples if layout.n_weights > _NEAR_WEIGHTS else 0.0,
        "afterstate": 1.0,
        "moved tuple": sample.moved_tuples(function),
        "playable row": rows,
        "playable fact": playable,
        "cost": costs,
    }


def limited(settings: RoundSettings, layout: ValueLayout, sample: PositionSample, seconds: float) -> RoundSettings:
    """Return settings whose games end after so many predicted seconds of one processor."""
    choice, afterstate = _work(layout, sample)
    return replace(settings, games=_NO_LIMIT, work=seconds * 1e9, choice_work=choice, afterstate_work=afterstate)


def training_seconds(layout: ValueLayout, sample: PositionSample, moves: int) -> float:
    """Return the predicted seconds of one processor of training games with so many joint moves."""
    choice, afterstate = _work(layout, sample)
    return moves * sample.choices / sample.steps * (choice + sample.moves * afterstate) * 1e-9


def _work(layout: ValueLayout, sample: PositionSample) -> tuple[float, float]:
    """Return the cost of a choice without its afterstates, and of an afterstate, in nanoseconds."""
    cost = {name: TRAINING_COSTS[name] * amount for name, amount in training_amounts(layout, sample).items()}
    return sum(cost[name] for name in cost if name not in _AFTERSTATE), sum(cost[name] for name in _AFTERSTATE)
