"""Coevolution: which players of a species are fit, and how they mate (Sharma 2009, algorithm 5 and equation 7.1)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gdl_miner.miner.learners.culture.forages import FeatureMap, Population


@dataclass(frozen=True)
class Encounter:
    """A game of a player, as far as its fitness depends on it."""

    player: int
    opponents: tuple[int, ...]  # players of the other roles
    won: bool


def fitness_of(players: Sequence[int], encounters: Iterable[Encounter]) -> dict[int, float]:
    """Return the fitness of the players of a species.

    An opponent that a player has beaten at least once counts 1 / number of players of the species that have beaten it.
    """
    own = set(players)
    beaten_by: dict[tuple[int, ...], set[int]] = {}
    for each in encounters:
        if each.won and each.player in own:
            beaten_by.setdefault(each.opponents, set()).add(each.player)
    fitness = dict.fromkeys(players, 0.0)
    for winners in beaten_by.values():
        for winner in winners:
            fitness[winner] += 1 / len(winners)
    return fitness


def rank(fitness: dict[int, float], rng: random.Random) -> list[int]:
    """Return players from the fittest on; the order of equally fit ones is drawn."""
    players = list(fitness)
    rng.shuffle(players)
    return sorted(players, key=lambda player: -fitness[player])


def breed(
    population: Population,
    features: FeatureMap,
    role: int,
    ranking: Sequence[int],
    fit: int,
    mutation: float,
    rng: random.Random,
) -> tuple[Population, list[int]]:
    """Return the population after a species has mated, and the places of its newborn players.

    The fittest player mates with each other of the `fit` best; the children take the places of the weakest. The lists
    of features are crossed at one point, the same at every temporal level. With probability `mutation` a child forgets
    the value of one feature.
    """
    father, mothers = ranking[0], ranking[1:fit]
    places = list(ranking[len(ranking) - len(mothers) :])
    arrays = [each.copy() for each in population]
    length = 1 + int(features.ordinals[features.owners == role].max(initial=0))
    for mother, place in zip(mothers, places, strict=True):
        cut = rng.randrange(1, length) if length > 1 else 1
        forgotten = rng.randrange(length) if rng.random() < mutation else -1
        for array, parents in zip(arrays, population, strict=True):
            child = np.where(features.ordinals < cut, parents[father], parents[mother])
            child[features.ordinals == forgotten] = 0
            array[place] = child
    return Population(*arrays), places
