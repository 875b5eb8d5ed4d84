"""Selection, crossover and mutation of chromosomes, as DEAP's toolboxes take them.

DEAP supplies uniform crossover and roulette selection, which becomes ranked selection by drawing over ranks. Mutation
depends on the kind of gene. All operators draw from the generator of the module `random`, as DEAP's do; who breeds
seeds it (`seeded_global_random`), so that any operator of DEAP can take the place of one of these. They return new
individuals and leave the given ones as they are.

Source: thesis 4.3.1 and 6.3.1; Goldberg 1989 (SGA); Baker 1985 (ranked selection).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

import numpy as np
from deap import base, tools

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.miner.learners.evolution.chromosome import Chromosome, FeatureLists
from gdl_miner.miner.learners.evolution.genes import GeneValue
from gdl_miner.miner.learners.evolution.genome import Genome

_SWAP = 0.5  # probability that the parents swap a gene in uniform crossover


class Fitness(base.Fitness):  # type: ignore[misc]  # DEAP has no type information
    """Elo, of which more is better; without values until the individual is measured."""

    weights = (1.0,)


class Measured(Protocol):
    """An individual that has a fitness."""

    @property
    def fitness(self) -> Fitness:
        """The fitness."""
        ...


MeasuredT = TypeVar("MeasuredT", bound=Measured)


def elo_statistics() -> tools.Statistics:
    """Return the statistics of a generation: mean, standard deviation, minimum and maximum of Elo."""
    statistics = tools.Statistics(lambda individual: individual.fitness.values[0])
    for name, function in (("mean", np.mean), ("sd", np.std), ("min", np.min), ("max", np.max)):
        statistics.register(name, function)
    return statistics


def elo_measures(record: Mapping[str, float]) -> dict[str, float]:
    """Return what a logbook's record of these statistics says, as measures of a step."""
    return {f"elo_{name}": float(record[name]) for name in ("mean", "sd", "min", "max")}


@contextmanager
def seeded_global_random(seed: int) -> Iterator[None]:
    """Seed the generator of the module `random` for the block, and restore its state afterwards."""
    outside = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(outside)


def random_chromosome(genome: Genome, spread: float = 1.0) -> Chromosome:
    """Return a chromosome without features; each gene is drawn with probability `spread`, else it has its default."""
    values = []
    for gene in genome.genes:
        drawn = gene.draw()
        values.append(drawn if random.random() < spread else gene.default)
    return Chromosome(tuple(values))


def cross(one: Chromosome, other: Chromosome) -> tuple[Chromosome, Chromosome]:
    """Return two children by uniform crossover of the genes.

    Each of their feature lists holds the `max_features` heaviest features of the union of the parents' lists.
    """
    first, second = list(one.values), list(other.values)
    tools.cxUniform(first, second, _SWAP)
    return _with_features(first, one, other), _with_features(second, one, other)


def mutate(chromosome: Chromosome, genome: Genome, rate: float) -> tuple[Chromosome]:
    """Return a chromosome in which every gene is mutated with probability `rate`, alone in a tuple.

    Feature lists stay as they are, except that they shrink to a smaller `max_features`.
    """
    values = []
    for gene, value in zip(genome.genes, chromosome.values, strict=True):
        values.append(gene.mutate(value) if random.random() < rate else value)
    return (replace(chromosome, values=tuple(values)).trimmed(),)


def merge_features(
    one: Sequence[WeightedFeature], other: Sequence[WeightedFeature], limit: int
) -> tuple[WeightedFeature, ...]:
    """Return the `limit` heaviest features of the union, heaviest first.

    The heavier entry counts where a feature (with its itemset) is in both lists.
    """
    best: dict[object, WeightedFeature] = {}
    for entry in (*one, *other):
        key = (entry.feature, entry.itemset)
        held = best.get(key)
        if held is None or entry.weight > held.weight:
            best[key] = entry
    ranked = sorted(best.values(), key=lambda entry: (-entry.weight, repr(entry.feature), repr(entry.itemset)))
    return tuple(ranked[:limit])


def select_by_rank(individuals: Sequence[MeasuredT], k: int) -> list[MeasuredT]:
    """Draw `k` individuals; the fittest is as many times as likely as the last as there are individuals."""
    count = len(individuals)
    ranked = [_Ranked(each, count - place) for place, each in enumerate(tools.selBest(individuals, count))]
    return [each.individual for each in tools.selRoulette(ranked, k)]


class _Ranked(Generic[MeasuredT]):
    """An individual with its rank as the fitness that DEAP's roulette reads."""

    def __init__(self, individual: MeasuredT, rank: int) -> None:
        self.individual = individual
        self.fitness = Fitness((rank,))


def _with_features(values: Sequence[GeneValue], one: Chromosome, other: Chromosome) -> Chromosome:
    child = replace(one, values=tuple(values))
    return replace(
        child,
        winning=_merge_all(one.winning, other.winning, child.max_features),
        losing=_merge_all(one.losing, other.losing, child.max_features),
    )


def _merge_all(one: FeatureLists, other: FeatureLists, limit: int) -> FeatureLists:
    if not one or not other:
        return tuple(merge_features(features, (), limit) for features in one or other)
    return tuple(merge_features(mine, yours, limit) for mine, yours in zip(one, other, strict=True))
