"""Populations of networks on islands, and the breeding of a generation from the one before.

Each island breeds its own networks. After some generations the best of each island is also ranked on the next one, so
that what does well spreads slowly (Tanese 1989). Islands differ in what they begin with: the first has the networks
that do well in most games, and all have variants of these.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from deap import base

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.evolution.config import NetworkSettings
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.evolution.network_genes import NetworkGenes, NetworkShapes, grown, union
from gdl_miner.miner.learners.evolution.operators import Fitness, seeded_global_random
from gdl_miner.miner.learners.evolution.population import individual_name
from gdl_miner.miner.runs.networks import NetworkPlayer

_Bred: TypeAlias = tuple[NetworkGenes, str, tuple["TrainedIndividual", ...]]  # genes, origin, parents

_FEWEST_KEPT = 2  # networks of an island that go on before the last generation
_MOST_TRIES = 20  # at a child that nobody else is


@dataclass(frozen=True)
class NetworkIndividual:
    """A network before it is trained."""

    name: str
    island: int  # from 0
    genes: NetworkGenes
    origin: str
    parents: tuple[TrainedIndividual, ...] = ()


@dataclass(frozen=True, eq=False)
class TrainedIndividual:
    """A network after its training."""

    player: NetworkPlayer
    island: int
    genes: NetworkGenes
    origin: str
    parents: tuple[str, ...]  # their names
    games: int  # training games of the individual, and of its first parents before
    rms_error: float
    fitness: Fitness = field(default_factory=Fitness)  # Elo over the first network of the run

    @property
    def name(self) -> str:
        """The name, which stands for this network alone."""
        return self.player.name

    @property
    def weights(self) -> int:
        """The number of weights."""
        return len(self.player.network.learned.weights)


@dataclass(frozen=True)
class NetworkBreeding:
    """The breeding of networks."""

    settings: NetworkSettings
    seed: int  # of the run
    genome: Genome
    shapes: NetworkShapes
    toolbox: base.Toolbox  # selects parents and makes their children

    def first(self) -> list[NetworkIndividual]:
        """Return the first generation: networks that do well in most games on the first island, and variants on all."""
        usual = [NetworkGenes(each, self.genome.names, self.genome.defaults()) for each in self.shapes.usual]
        people: list[NetworkIndividual] = []
        for island in range(self.settings.islands):
            for number in range(self._room(1)):
                genes = usual[number % len(usual)]
                if island > 0 or number >= len(usual):
                    with seeded_global_random(derive_seed(self.seed, "first network", len(people) + 1)):
                        (genes,) = self.toolbox.mutate(genes)
                people.append(NetworkIndividual(individual_name(1, len(people) + 1), island, genes, "initial"))
        return people

    def following(self, generation: int, ranked: Sequence[TrainedIndividual], mined: str) -> list[NetworkIndividual]:
        """Return the next generation.

        Args:
            generation: its number, from 2. In the last one the best of all islands train on, and there are no children.
            ranked: the networks of the generation before, best first.
            mined: a shape that was mined from the best; empty: there is none.
        """
        settings = self.settings
        if generation == settings.generations:
            kept = ranked[: settings.size_of(generation)]
            return _named(generation, 1, 0, [(each.genes, "elite", (each,)) for each in kept])
        people: list[NetworkIndividual] = []
        for island in range(settings.islands):
            exchanges = (generation - 1) % settings.exchange == 0
            neighbour = (island - 1) % settings.islands if exchanges else island
            guest = next(each for each in ranked if each.island == neighbour)
            here = [each for each in ranked if each.island == island or each is guest]
            bred = self._bred(generation, len(people) + 1, here, mined)
            people += _named(generation, len(people) + 1, island, bred)
        return people

    def _room(self, generation: int) -> int:
        """Return the number of networks of an island in a generation before the last."""
        return self.settings.size_of(generation) // self.settings.islands

    def _bred(self, generation: int, first: int, ranked: Sequence[TrainedIndividual], mined: str) -> list[_Bred]:
        """Return the networks of an island, of which the first has this number: some train on, and have children.

        Large networks learn more slowly and may learn more in the end. So the best of each order of magnitude goes on
        first, as far as there is room, and the largest of them has a child with the best of all. Another child is the
        best with the tuples that were mined.
        """
        room, fit = self._room(generation), self.shapes.fit
        sizes = _best_of_each_size(ranked)
        kept = [*sizes, *(each for each in ranked if each not in sizes)][: max(_FEWEST_KEPT, -(-room // 2))]
        best, largest = kept[0], max(kept, key=lambda each: each.weights)
        bred: list[_Bred] = [(each.genes, "elite", (each,)) for each in kept]
        if largest is not best and fit((*best.genes.shapes, *largest.genes.shapes)):
            bred.append((union(best.genes, largest.genes), "child", (best, largest)))
        if mined and fit((*best.genes.shapes, mined)):
            bred.append((grown(best.genes, mined), "mined", (best,)))
        while len(bred) < room:
            with seeded_global_random(derive_seed(self.seed, "network child", generation, first + len(bred))):
                genes, parents = self._child(kept, [genes for genes, _, _ in bred])
            bred.append((genes, "child", parents))
        return bred[:room]

    def _child(
        self, kept: Sequence[TrainedIndividual], taken: Sequence[NetworkGenes]
    ) -> tuple[NetworkGenes, tuple[TrainedIndividual, ...]]:
        """Return a child and its parents; it differs from all that are taken where it can."""
        one, other = self.toolbox.select(kept, 2)
        if one is not other and random.random() < self.settings.crossover:
            child = self.toolbox.mate(one.genes, other.genes)[0]
            if child not in taken:
                return child, (one, other)
        (child,) = self.toolbox.mutate(one.genes)
        for _ in range(_MOST_TRIES):  # with few shapes or no mutation there may be no other child
            if child not in taken:
                break
            (child,) = self.toolbox.mutate(child)
        return child, (one,)


def _named(generation: int, first: int, island: int, bred: Sequence[_Bred]) -> list[NetworkIndividual]:
    """Return individuals, of which the first has this number."""
    return [
        NetworkIndividual(individual_name(generation, number), island, genes, origin, parents)
        for number, (genes, origin, parents) in enumerate(bred, first)
    ]


def _best_of_each_size(ranked: Sequence[TrainedIndividual]) -> list[TrainedIndividual]:
    """Return the best network of each order of magnitude of weights, the best first."""
    best: dict[int, TrainedIndividual] = {}
    for each in ranked:
        best.setdefault(len(str(each.weights)), each)
    return list(best.values())
