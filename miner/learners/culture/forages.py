"""Forages: players of a population play against players of other roles, and learn what their afterstates are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.values import ValueLayout, ValueShape, layout_for, movers_before
from gdl_miner.miner.play.prepared_game import PreparedGame


class Population(NamedTuple):
    """The weights of all players, and the sums that give each a step size. Each array is float32[player, n_weights]."""

    weights: NDArray[np.float32]
    error_sum: NDArray[np.float32]
    error_size: NDArray[np.float32]

    @classmethod
    def new(cls, players: int, weights: int) -> Population:
        """Return players whose weights are all 0."""
        return cls(*(np.zeros((players, weights), np.float32) for _ in range(3)))


@dataclass(frozen=True, eq=False)
class LandscapeLayer:
    """Pheromone, or desirability, of features and moves. A feature is a weight that a state selects."""

    features: NDArray[np.float32]  # [role, n_weights]
    moves: NDArray[np.float32]  # [row]
    influence: float  # exponent in the product with the value of an afterstate


@dataclass(frozen=True, eq=False)
class Landscape:
    """The pheromone or the desirability that players of a role share."""

    pheromone: LandscapeLayer
    desirability: LandscapeLayer


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Afterstates that strong players have reached."""

    states: NDArray[np.uint64]  # [n, words] packed
    roles: NDArray[np.int32]  # [n] the role whose players believe in the state
    beliefs: NDArray[np.float64]  # [n]


@dataclass(frozen=True, eq=False)
class ForageSettings:
    """Settings of the games of a forage and of learning; agent/native/training/forage.hpp explains them."""

    seed: int
    exploration: float
    opponent_exploration: float
    move_limit: int
    coherent: bool
    trace: float
    steps: NDArray[np.float64]  # [game] of a player's games
    at_once: int = 64


@dataclass(frozen=True, eq=False)
class Ants:
    """Players that forage."""

    players: NDArray[np.int32]  # [ant] number in the population
    roles: NDArray[np.int32]  # [ant]
    seats: NDArray[np.int32]  # [ant, game, role] players; that of the ant's own role is the ant

    def part(self, first: int, last: int) -> Ants:
        """Return some of the ants."""
        return Ants(self.players[first:last], self.roles[first:last], self.seats[first:last])


@dataclass(frozen=True, eq=False)
class Colony:
    """Everything that the ants of a forage share."""

    population: Population | None  # None: all weights are 0
    players: int
    landscape: Landscape | None  # None: values alone tell what an afterstate is worth
    beliefs: Beliefs | None
    settings: ForageSettings


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The weights of a value network as the lists of features that species have."""

    owners: NDArray[np.int32]  # [n_weights] the role whose afterstates select the weight
    ordinals: NDArray[np.int32]  # [n_weights] place of the feature among those of the same temporal level
    words: int  # of a packed state


class Foraged(NamedTuple):
    """The result of a forage; games are those of the first ant, then those of the second."""

    learned: Population  # of the ants, [ant, n_weights]
    goals: NDArray[np.int32]  # [game, role] 0..100, -1 where the game was broken off
    start: NDArray[np.int64]  # [game + 1] into the states
    states: NDArray[np.uint64]  # [state, word] that the ant moved to, without terminal ones
    feature_goals: NDArray[np.int64]  # [role, n_weights] sum of the goals of games with the feature
    feature_count: NDArray[np.int64]  # [role, n_weights] how often it was seen
    move_goals: NDArray[np.int64]  # [row]
    move_count: NDArray[np.int64]  # [row]
    squared_error: float  # sum over all updates of values
    updates: int
    moves: int
    broken_off: int


def forage(layout: ValueLayout, colony: Colony, ants: Ants) -> Foraged:
    """Let ants play all their games and learn from each.

    What an ant does depends on the colony and its own seats alone, not on the other ants that are named here, the
    instruction set or the number of lanes.
    """
    population = colony.population
    if population is None:
        population = Population.new(colony.players, layout.n_weights)
    beliefs = colony.beliefs or Beliefs(
        np.zeros((0, layout.geometry.state_words), np.uint64), np.zeros(0, np.int32), np.zeros(0)
    )
    found = _native.forage(
        layout.machine.native, layout.network, population, ants, colony.landscape, beliefs, colony.settings
    )
    return Foraged(Population(*found[:3]), *found[3:])


def forage_shard(game: PreparedGame, shape: ValueShape, colony: Colony, ants: Ants) -> Foraged:
    """Let some of the ants of a forage play, in a task of its own."""
    return forage(layout_for(game.machine(), shape), colony, ants)


def join_foraged(parts: Sequence[Foraged]) -> Foraged:
    """Return the result of a forage that was cut into parts, in their order."""
    starts = [parts[0].start[:1]]
    for part in parts:
        starts.append(part.start[1:] + starts[-1][-1])
    return Foraged(
        learned=Population(*(np.concatenate(each) for each in zip(*(part.learned for part in parts), strict=True))),
        goals=np.concatenate([part.goals for part in parts]),
        start=np.concatenate(starts),
        states=np.concatenate([part.states for part in parts]),
        feature_goals=np.sum([part.feature_goals for part in parts], axis=0),
        feature_count=np.sum([part.feature_count for part in parts], axis=0),
        move_goals=np.sum([part.move_goals for part in parts], axis=0),
        move_count=np.sum([part.move_count for part in parts], axis=0),
        squared_error=sum(part.squared_error for part in parts),
        updates=sum(part.updates for part in parts),
        moves=sum(part.moves for part in parts),
        broken_off=sum(part.broken_off for part in parts),
    )


def map_features(layout: ValueLayout) -> FeatureMap:
    """Return which weights of a layout belong to which species, and their places in lists of features."""
    owners = np.zeros(layout.n_weights, np.int32)
    ordinals = np.zeros(layout.n_weights, np.int32)
    movers = movers_before(layout.machine)
    first = 0
    for part in layout.parts:  # the weights of a part lie side by side
        size = len(part.facts) + sum(own.size for own in part.tuples)
        owners[first : first + size] = movers[part.turn] if layout.constant_sum and movers is not None else part.role
        ordinals[first : first + size] = np.arange(size)
        first += size
    return FeatureMap(owners, ordinals, layout.geometry.state_words)
