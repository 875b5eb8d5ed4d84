"""Individuals, and the breeding of a generation from the one before (thesis algorithm 4.2)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deap import base

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.evolution.operators import Fitness, random_chromosome, seeded_global_random

__all__ = [
    "Breeding",
    "Individual",
    "Origin",
    "first_population",
    "ignorant",
    "individual_name",
    "next_population",
]

Origin: TypeAlias = Literal["start", "initial", "elite", "child", "newcomer"]


@dataclass(frozen=True)
class Individual:
    """A member of a population."""

    name: str  # g003-i007 was born or kept as number 7 of generation 3
    chromosome: Chromosome
    origin: Origin
    parents: tuple[str, ...] = ()  # names; an elite has its own name of the generation before
    fitness: Fitness = field(default_factory=Fitness, compare=False)


@dataclass(frozen=True)
class Breeding:
    """The rules for breeding a generation from the one before; shares are shares of the population."""

    population: int
    crossover: float  # probability that a child has two parents
    elitism: float  # share that goes on unchanged
    newcomers: float  # share of new random individuals
    spread: float  # probability that a gene of a random individual is drawn; otherwise it has its default

    @property
    def elites(self) -> int:
        """The number of individuals that go on unchanged."""
        return round(self.elitism * self.population)


def first_population(
    breeding: Breeding, genomes: Sequence[Genome], seed: int, start: Chromosome | None = None, generation: int = 1
) -> tuple[Individual, ...]:
    """Return the player that the run starts from, if any, then an individual with the defaults of each genome.

    The others are random, of the genomes in turn. All but the start are without features. `generation` is the number of
    the population, which names its individuals.
    """
    people = [] if start is None else [Individual(individual_name(generation, 1), start, "start")]
    for genome in genomes:
        name = individual_name(generation, len(people) + 1)
        people.append(Individual(name, Chromosome(genome.defaults()), "initial"))
    numbers = range(len(people) + 1, breeding.population + 1)
    people += [_as_initial(_newcomer(breeding, genomes, seed, generation, number)) for number in numbers]
    return tuple(people[: breeding.population])


def next_population(
    ranked: Sequence[Individual],
    breeding: Breeding,
    genomes: Sequence[Genome],
    seed: int,
    generation: int,
    toolbox: base.Toolbox,
) -> tuple[Individual, ...]:
    """Breed the population of `generation`: elites, then children, then newcomers.

    `ranked` is the population of the generation before, best first. The toolbox selects parents and makes their
    children, and newcomers are of the genomes in turn.
    """
    newcomers = round(breeding.newcomers * breeding.population)
    people: list[Individual] = []
    for number in range(1, breeding.population + 1):
        if number <= breeding.elites:
            kept = ranked[number - 1]
            people.append(Individual(individual_name(generation, number), kept.chromosome, "elite", (kept.name,)))
        elif number <= breeding.population - newcomers:
            people.append(_child(ranked, breeding, seed, generation, number, toolbox))
        else:
            people.append(_newcomer(breeding, genomes, seed, generation, number))
    return tuple(people)


def ignorant(genomes: Sequence[Genome], n_roles: int) -> Individual:
    """Return the individual that knows nothing: it has the defaults of the last genome, and no features of any role.

    It belongs to no population. Where no individual is stronger than the player without knowledge, it is the first of
    those that a generation is bred from.
    """
    no_features = ((),) * n_roles
    chromosome = Chromosome(genomes[-1].defaults(), no_features, no_features)
    return Individual("nothing", chromosome, "initial", fitness=Fitness((0.0,)))


def individual_name(generation: int, number: int) -> str:
    """Return the name of the `number`-th individual (from 1) of a generation."""
    return f"g{generation:03d}-i{number:03d}"


def _child(
    ranked: Sequence[Individual], breeding: Breeding, seed: int, generation: int, number: int, toolbox: base.Toolbox
) -> Individual:
    with seeded_global_random(derive_seed(seed, "child", generation, number)):
        one, other = toolbox.select(ranked, 2)
        crossed = random.random() < breeding.crossover and one.name != other.name
        chromosome = toolbox.mate(one.chromosome, other.chromosome)[0] if crossed else one.chromosome
        (chromosome,) = toolbox.mutate(chromosome)
    parents = (one.name, other.name) if crossed else (one.name,)
    return Individual(individual_name(generation, number), chromosome, "child", parents)


def _newcomer(breeding: Breeding, genomes: Sequence[Genome], seed: int, generation: int, number: int) -> Individual:
    with seeded_global_random(derive_seed(seed, "newcomer", generation, number)):
        chromosome = random_chromosome(genomes[(generation + number) % len(genomes)], breeding.spread)
    return Individual(individual_name(generation, number), chromosome, "newcomer")


def _as_initial(individual: Individual) -> Individual:
    return Individual(individual.name, individual.chromosome, "initial")
