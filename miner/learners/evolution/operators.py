"""Crossover, mutation and selection of chromosomes, with DEAP's operators where they fit.

DEAP supplies uniform crossover and roulette selection, which becomes ranked selection by drawing over ranks. Mutation
is implemented here, because it depends on the kind of gene. Every operator takes its random generator and returns new
values.

Source: thesis 4.3.1 and 6.3.1; Goldberg 1989 (SGA); Baker 1985 (ranked selection).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from deap import base, tools

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.miner.learners.evolution.chromosome import Chromosome, FeatureLists
from gdl_miner.miner.learners.evolution.genome import Genome

_SWAP = 0.5  # probability that the parents swap a gene in uniform crossover


def random_chromosome(genome: Genome, rng: random.Random, spread: float = 1.0) -> Chromosome:
    """Return a chromosome without features; each gene is drawn with probability `spread`, else it has its default."""
    values = []
    for gene in genome.genes:
        drawn = gene.draw(rng)
        values.append(drawn if rng.random() < spread else gene.default)
    return Chromosome(tuple(values))


def cross(one: Chromosome, other: Chromosome, rng: random.Random) -> Chromosome:
    """Return one child by uniform crossover of the genes.

    Each of its feature lists holds the `max_features` heaviest features of the union of the parents' lists.
    """
    first, second = list(one.values), list(other.values)
    with seeded_global_random(rng):
        tools.cxUniform(first, second, _SWAP)
    child = replace(one, values=tuple(first))
    return replace(
        child,
        winning=_merge_all(one.winning, other.winning, child.max_features),
        losing=_merge_all(one.losing, other.losing, child.max_features),
    )


def mutate(chromosome: Chromosome, genome: Genome, rate: float, rng: random.Random) -> Chromosome:
    """Return a chromosome in which every gene is mutated with probability `rate`.

    Feature lists stay as they are, except that they shrink to a smaller `max_features`.
    """
    values = []
    for gene, value in zip(genome.genes, chromosome.values, strict=True):
        values.append(gene.mutate(value, rng) if rng.random() < rate else value)
    return replace(chromosome, values=tuple(values)).trimmed()


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


def select_ranked(count: int, draws: int, rng: random.Random) -> list[int]:
    """Draw `draws` positions of a ranking of `count`; the first is `count` times as likely as the last."""
    ranked = [_Ranked(position, count - position) for position in range(count)]
    with seeded_global_random(rng):
        chosen: list[_Ranked] = tools.selRoulette(ranked, draws)
    return [entry.position for entry in chosen]


class _RankFitness(base.Fitness):  # type: ignore[misc]  # DEAP has no type information
    weights = (1.0,)


class _Ranked:
    """A position of a ranking, with its rank as the fitness that DEAP's roulette reads."""

    def __init__(self, position: int, rank: int) -> None:
        self.position = position
        self.fitness = _RankFitness((rank,))


def _merge_all(one: FeatureLists, other: FeatureLists, limit: int) -> FeatureLists:
    if not one or not other:
        return tuple(merge_features(features, (), limit) for features in one or other)
    return tuple(merge_features(mine, yours, limit) for mine, yours in zip(one, other, strict=True))


__all__ = ["seeded_global_random"]


@contextmanager
def seeded_global_random(rng: random.Random) -> Iterator[None]:
    """Seed the global `random` from `rng` for the block, and restore its state afterwards."""
    outside = random.getstate()
    random.seed(rng.getrandbits(64))
    try:
        yield
    finally:
        random.setstate(outside)
