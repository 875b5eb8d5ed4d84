"""A value network as arrays for the native module, and its plain twin in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_WEIGHT", "ValueNetwork", "ValueView", "plain_value"]

NO_WEIGHT = -1


@dataclass(frozen=True, eq=False)
class ValueView:
    """The weights that the facts of a state select, in one phase and for one role."""

    fact_weight: NDArray[np.int32]  # [fluent] place of its weight, or NO_WEIGHT
    term_start: NDArray[np.int32]  # [fluent + 1] into the two arrays below
    term_tuple: NDArray[np.int32]  # tuple to which the fluent belongs
    term: NDArray[np.int32]  # what the fluent adds to the place of the weight that the tuple selects
    tuple_weight: NDArray[np.int32]  # [tuple] place of the weight that is selected where none of its fluents holds
    against: bool  # whether the sum counts against the role


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """Which weights a state selects; the logistic function of their sum is its value. See values/value_network.hpp."""

    n_outputs: int  # number of roles, or 1 where the value to the second role is one minus that to the first
    turn_fluents: NDArray[np.int32]  # the turn is the place of the first that holds, their number if none does
    stage_mask: NDArray[np.uint64]  # [words] fluents whose number tells the stage
    stage_numbers: NDArray[np.int32]  # ascending: the numbers from which the next stage begins
    views: tuple[ValueView, ...]  # [phase * n_outputs + output], phase = turn * stages + stage
    n_weights: int
    next_tied: NDArray[np.int32]  # [n_weights] the next place with the same weight, in rings; empty if all are alone


def plain_value(network: ValueNetwork, weights: NDArray[np.float32], facts: NDArray[np.int32], role: int) -> float:
    """Return what a state with these fluents is worth to a role, 0..1."""
    turn = next((i for i, fluent in enumerate(network.turn_fluents) if fluent in facts), len(network.turn_fluents))
    mask = np.unpackbits(network.stage_mask.view(np.uint8), bitorder="little")
    number = int(mask[facts].sum())
    stage = int((network.stage_numbers <= number).sum())
    phase = turn * (len(network.stage_numbers) + 1) + stage
    view = network.views[phase * network.n_outputs + (role if network.n_outputs > 1 else 0)]
    places = view.tuple_weight.copy()
    total = 0.0
    for fluent in facts:
        if view.fact_weight[fluent] != NO_WEIGHT:
            total += float(weights[view.fact_weight[fluent]])
        for at in range(view.term_start[fluent], view.term_start[fluent + 1]):
            places[view.term_tuple[at]] += view.term[at]
    total += sum(float(weights[place]) for place in places)
    value = 1 / (1 + math.exp(total if view.against else -total))
    return 1 - value if network.n_outputs == 1 and role == 1 else value
