"""One scale for the values of all species: constants, one for each turn, that fit the results of their games.

The weights that count in a turn are those of the species that has moved before. A player learns from games against
opponents that often move at random, so each species hopes for more than it gets from the other, and a search that
compares states of different turns would be misled. Games between the fittest players show what states are worth
between equals. The constant of a turn makes the values of its states agree with the results of these games in the mean,
as the intercept of Platt's scaling does (Platt 1999).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.values import NOTHING, TupleWeights, ValueLayout, Values, ValueShape, layout_for, value_function
from gdl_miner.agent.values.named_values import values_of
from gdl_miner.miner.learners.culture.forages import (
    Ants,
    Colony,
    Foraged,
    ForageSettings,
    Population,
    forage_shard,
    join_foraged,
)
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.run import Run

Constants = Mapping[tuple[int, int], float]
"""By turn and role, in log-odds."""

_LARGEST_LOGIT = 20.0  # of a state, beyond which its value is certain
_LARGEST_CONSTANT = 20.0
_PRIOR = 1.0  # games: how far results pull a constant of 1 towards 0
_HALVINGS = 60


def join_species(
    run: Run,
    step: int,
    shape: ValueShape,
    weights: NDArray[np.float32],
    games: ForageSettings | None,
    clones: int,
    shards: int,
) -> Values:
    """Return the weights of the fittest player of every species as the values of one player, on one scale.

    Args:
        run: the run.
        step: the step.
        shape: the value network of a player.
        weights: of the fittest players, each in the places of its species, [n_weights].
        games: of a clone of these players for each role; nobody learns from them. None: the scales stay as they are.
        clones: for each role, which play side by side.
        shards: parts in which they play.
    """
    layout = layout_for(run.machine, shape)
    values = values_of(layout, weights)
    if games is None or not layout.turns:
        return values
    begun, title = time.monotonic(), "games of the fittest"
    run.reporter.working(f"{title} of {run.unit} {step}")
    players = clones * len(run.machine.roles)
    numbers = np.arange(players, dtype=np.int32)
    seats = np.broadcast_to(numbers[:, None, None], (players, len(games.steps), len(run.machine.roles))).copy()
    ants = Ants(numbers, numbers // clones, seats)
    alike = np.repeat(weights[None], players, axis=0)
    colony = Colony(Population(alike, np.zeros_like(alike), np.zeros_like(alike)), players, None, None, games)
    size = -(-players // shards)
    pieces = [
        WorkerTask(f"g{step:03d}-fittest-{first // size}", ants.part(first, first + size))
        for first in range(0, players, size)
    ]
    found = join_foraged(run.on_workers(forage_shard, (shape, colony), pieces))
    run.write_time(StepPart(step, title, None), None, None, time.monotonic() - begun)
    return with_constants(values, layout, fit_constants(layout, weights, found))


def fit_constants(layout: ValueLayout, weights: NDArray[np.float32], found: Foraged) -> Constants:
    """Return what has to be added to the sums of weights so that values agree with the results of games in the mean.

    Every game counts as much, however many states it has. A turn or role of which the games show nothing is left out.
    """
    ended = np.flatnonzero(found.goals[:, 0] >= 0)
    lengths = np.diff(found.start)
    game = np.repeat(np.arange(len(lengths)), lengths)
    known = np.isin(game, ended)
    game, states = game[known], found.states[known]
    worth = value_function(layout, weights).values(states, layout.machine.native) / 100
    certain = 1 / (1 + math.exp(_LARGEST_LOGIT))
    worth = np.clip(worth, certain, 1 - certain)
    sums = np.log(worth) - np.log1p(-worth)
    facts = unpack_states(states, len(layout.machine.fluents))
    told = np.column_stack([facts[:, list(layout.turns)], np.ones(len(states), np.bool_)])
    turn = told.argmax(axis=1)
    constants = {}
    for key in dict.fromkeys((part.turn, part.role) for part in layout.parts):
        own = np.flatnonzero(turn == key[0])
        if len(own):
            share = 1 / np.bincount(game[own])[game[own]]
            results = found.goals[game[own], key[1]] / 100
            constants[key] = _fit_constant(sums[own, key[1]], results, share)
    return constants


def _fit_constant(sums: NDArray[np.float64], results: NDArray[np.float64], share: NDArray[np.float64]) -> float:
    """Return the constant of largest likelihood, with a normal prior, by bisection: the excess rises with it."""
    low, high = -_LARGEST_CONSTANT, _LARGEST_CONSTANT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        expected = 1 / (1 + np.exp(-(sums + middle)))
        excess = float((share * (expected - results)).sum()) + _PRIOR * middle
        low, high = (low, middle) if excess > 0 else (middle, high)
    return (low + high) / 2


def with_constants(values: Values, layout: ValueLayout, constants: Constants, digits: int = 3) -> Values:
    """Return values with a constant for each turn and role: the weight of the fact that tells the turn.

    Weights are rounded to so many decimal places. The last turn has no such fact; its weight is that of none of them.
    """
    facts = tuple(layout.machine.fluents[fluent] for fluent in layout.turns)
    parts = []
    for part in values.parts:
        constant = round(constants.get((part.turn, part.role), 0.0), digits)
        told = (*facts, NOTHING)[part.turn]
        named = (TupleWeights((), {(told,): constant}, groups=(facts,)),) if constant else ()
        parts.append(replace(part, tuples=(*part.tuples, *named)))
    return replace(values, parts=tuple(parts))
