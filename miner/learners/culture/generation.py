"""A generation at work: its forages one after the other, then the mating of the fittest and the belief update.

Source: Sharma 2009, algorithms 5 to 8.
"""

from __future__ import annotations

import random
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import ValueShape, layout_for
from gdl_miner.miner.learners.culture.beliefs import GameSequence, RoleBeliefs, as_arrays
from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.culture.forages import (
    Ants,
    Colony,
    FeatureMap,
    Foraged,
    Population,
    forage_shard,
    join_foraged,
    map_features,
)
from gdl_miner.miner.learners.culture.pheromone import Trails
from gdl_miner.miner.learners.culture.species import Encounter, breed, fitness_of, rank
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.pairing import match_score
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.task import Task


@dataclass(frozen=True)
class StepTotals:
    """The games of a step, how far values were off, and the fitness of the best."""

    games: int = 0
    moves: int = 0
    broken_off: int = 0
    squared_error: float = 0.0  # sum over all updates
    updates: int = 0
    fitness: tuple[float, ...] = ()  # [role] of the fittest player


@dataclass(frozen=True, eq=False)
class ColonyState:
    """The players of all species and what they share."""

    population: Population
    numbers: tuple[int, ...]  # [player] permanent number, which no other player ever has
    born: int  # number of players so far
    trails: Trails | None  # None where there are no ants
    beliefs: tuple[RoleBeliefs, ...]  # [role], empty where there are no beliefs


@dataclass(frozen=True, eq=False)
class ForageResult:
    """The result of a forage, with the features that weights stand for."""

    foraged: Foraged
    features: FeatureMap


def play_forage(
    run: Run,
    step: int,
    number: int,
    forages: int,
    shape: ValueShape,
    colony: Colony,
    shards: tuple[Ants, ...],
) -> ForageResult:
    """Let a population forage, in parts that are played side by side.

    Args:
        run: the run.
        step: the step.
        number: of this forage within the step, from 0.
        forages: of the step.
        shape: the value network of a player.
        colony: all players, and what they share.
        shards: the parts, each of some players.
    """
    begun, title = time.monotonic(), f"forage {number + 1} of {forages}"
    run.reporter.working(f"{title} of {run.unit} {step}")
    pieces = [WorkerTask(f"g{step:03d}-forage{number}-{part}", ants) for part, ants in enumerate(shards)]
    joined = join_foraged(run.on_workers(forage_shard, (shape, colony), pieces))
    run.write_time(StepPart(step, title, None), None, None, time.monotonic() - begun)
    return ForageResult(joined, map_features(layout_for(run.machine, shape)))


class Generation:
    """The forages of one step. Use: `colony, totals, best = yield from generation.learn()`."""

    def __init__(self, config: CultureConfig, roles: int, step: int, colony: ColonyState | None) -> None:
        self._config = config
        self._settings = config.culture
        self._roles = roles
        self._step = step
        self._colony = colony
        self._number = 0  # of the present forage in this step
        self._features: FeatureMap | None = None
        self._encounters: list[Encounter] = []
        self._sequences: list[GameSequence] = []
        self._totals = StepTotals()

    def learn(self) -> Generator[Task[Any], Any, tuple[ColonyState, StepTotals, Population]]:
        """Forage, and let the fittest mate and influence the beliefs.

        Return the colony of the next step, the totals of this one, and the weights of the fittest player of every role
        as one player: float32[1, n_weights].
        """
        for number in range(self._settings.forages):
            self._number = number
            self._take((yield from self._next_forage()))
        return self._conclude()

    def _take(self, result: ForageResult) -> None:
        """Take the result of a forage: what the players learned, and the trails that they left."""
        settings, found, ants = self._settings, result.foraged, self._ants()
        self._features = result.features
        colony = self._colony or self._new_colony(result)
        trails = None if colony.trails is None else colony.trails.after(found, settings.persistence)
        self._colony = replace(colony, population=found.learned, trails=trails)
        self._note(ants, result)
        totals = self._totals
        self._totals = StepTotals(
            totals.games + len(found.goals),
            totals.moves + found.moves,
            totals.broken_off + found.broken_off,
            totals.squared_error + found.squared_error,
            totals.updates + found.updates,
        )

    def _conclude(self) -> tuple[ColonyState, StepTotals, Population]:
        colony, features, settings = self._colony, self._features, self._settings
        assert colony is not None
        assert features is not None
        best = [each[:1].copy() for each in colony.population]
        fitness, rankings = [], []
        for role in range(self._roles):
            of_player = fitness_of(self._species(role), self._encounters)
            ranking = rank(of_player, self._rng("ranking", role))
            rankings.append(ranking)
            fitness.append(of_player[ranking[0]])
            for array, learned in zip(best, colony.population, strict=True):
                array[0, features.owners == role] = learned[ranking[0], features.owners == role]
        colony = self._with_beliefs(colony, rankings)
        if settings.coevolution:
            for role, ranking in enumerate(rankings):
                colony = self._mated(colony, features, role, ranking)
        return colony, replace(self._totals, fitness=tuple(fitness)), Population(*best)

    def _species(self, role: int) -> range:
        return range(role * self._settings.individuals, (role + 1) * self._settings.individuals)

    def _rng(self, *name: int | str) -> random.Random:
        return random.Random(derive_seed(self._config.seed, "culture", self._step, *name))

    def _ants(self) -> Ants:
        """Return all players, each with opponents of its own for every game."""
        settings, rng = self._settings, self._rng("opponents", self._number)
        players = self._roles * settings.individuals
        seats = np.empty((players, settings.opponents, self._roles), np.int32)
        for player in range(players):
            for role in range(self._roles):
                rivals = self._species(role)
                if player in rivals:
                    seats[player, :, role] = player
                elif settings.opponents <= len(rivals):
                    seats[player, :, role] = rng.sample(rivals, settings.opponents)
                else:
                    seats[player, :, role] = rng.choices(rivals, k=settings.opponents)
        numbers = np.arange(players, dtype=np.int32)
        return Ants(numbers, numbers // settings.individuals, seats)

    def _next_forage(self) -> Task[ForageResult]:
        settings, before, ants = self._settings, self._colony, self._ants()
        forages = (self._step - 1) * settings.forages + self._number
        landscape = beliefs = None
        if before is not None and before.trails is not None:
            landscape = before.trails.landscape(settings.pheromone_influence, settings.desirability_influence)
        if before is not None and any(space.states for space in before.beliefs):
            words = len(next(state for space in before.beliefs for state in space.states)) // 8
            beliefs = as_arrays(before.beliefs, words)
        colony = Colony(
            population=None if before is None else before.population,
            players=len(ants.players),
            landscape=landscape,
            beliefs=beliefs,
            settings=settings.forage(
                derive_seed(self._config.seed, "culture", self._step, "forage", self._number), forages
            ),
        )
        size = -(-len(ants.players) // settings.shards)
        shards = tuple(ants.part(first, first + size) for first in range(0, len(ants.players), size))
        return Task(play_forage, self._step, self._number, settings.forages, settings.shape, colony, shards)

    def _new_colony(self, result: ForageResult) -> ColonyState:
        settings, found = self._settings, result.foraged
        players = len(found.learned.weights)
        trails = None
        if settings.ants:
            weights, rows = found.learned.weights.shape[1], len(found.move_goals)
            trails = Trails.new(self._roles, weights, rows, settings.persistence)
        spaces = self._roles if settings.beliefs else 0
        return ColonyState(
            population=found.learned,
            numbers=tuple(range(players)),
            born=players,
            trails=trails,
            beliefs=tuple(RoleBeliefs(settings.belief_states, settings.belief_eviction) for _ in range(spaces)),
        )

    def _note(self, ants: Ants, result: ForageResult) -> None:
        """Keep what the fitness and the beliefs of this step depend on."""
        found, colony = result.foraged, self._colony
        assert colony is not None
        goals = found.goals.reshape(len(ants.players), -1, self._roles)
        for player, role, own_seats, own_goals in zip(
            ants.players.tolist(), ants.roles.tolist(), ants.seats.tolist(), goals.tolist(), strict=True
        ):
            for number, (seats, game) in enumerate(zip(own_seats, own_goals, strict=True)):
                if game[role] < 0:
                    continue
                rivals = tuple(each for other, each in enumerate(seats) if other != role)
                won = match_score(game, role).wins > 0 if rivals else game[role] == 100
                self._encounters.append(Encounter(player, rivals, won))
                if self._settings.beliefs:
                    at = player * self._settings.opponents + number
                    states = found.states[found.start[at] : found.start[at + 1]]
                    self._sequences.append(
                        GameSequence(
                            colony.numbers[player], role, game[role], tuple(state.tobytes() for state in states)
                        )
                    )

    def _with_beliefs(self, colony: ColonyState, rankings: list[list[int]]) -> ColonyState:
        spaces = []
        for role, space in enumerate(colony.beliefs):
            accepted = [colony.numbers[player] for player in rankings[role][: self._settings.fit]]
            spaces.append(space.update([each for each in self._sequences if each.role == role], accepted))
        return replace(colony, beliefs=tuple(spaces))

    def _mated(self, colony: ColonyState, features: FeatureMap, role: int, ranking: list[int]) -> ColonyState:
        settings = self._settings
        population, places = breed(
            colony.population, features, role, ranking, settings.fit, settings.mutation, self._rng("mating", role)
        )
        numbers = list(colony.numbers)
        for number, place in enumerate(places, colony.born):
            numbers[place] = number
        return replace(colony, population=population, numbers=tuple(numbers), born=colony.born + len(places))
