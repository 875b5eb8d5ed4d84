"""The genes of a value network: the shapes of its tuples, how it learns, and the search that uses it.

Parents and children share what they have learned (Lamarck): a child begins with the mean of its parents' weights, so a
changed gene costs nothing but the training of what is new.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deap import tools

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import RoundSettings, ValueShape, read_shape
from gdl_miner.miner.learners.evolution.genes import ChoiceGene, GeneValue, IntegerGene, RealGene
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.evolution.operators import seeded_global_random, select_ranked
from gdl_miner.miner.learners.values.settings import ValuesSettings
from gdl_miner.miner.runs.network_shapes import KnownShapes

_SWAP = 0.5  # probability that the parents swap a gene in uniform crossover
_SHRINKS, _SWAPS = 0.15, 0.25  # probabilities that changed shapes are one less, or one other; else one more
_MOST_TRIES = 20

NETWORK_GENES = ("step_size", "trace", "exploration", "opening", "discount", "uct_c", "uct_growth")


def network_genome(settings: ValuesSettings) -> Genome:
    """Return the genes of learning and of the search; their defaults are the settings."""
    return Genome(
        (
            RealGene("step_size", 4.0, 64.0, settings.step_size, logarithmic=True),
            RealGene("trace", 0.3, 0.95, settings.trace),
            RealGene("exploration", 0.01, 0.2, settings.exploration, logarithmic=True),
            IntegerGene("opening", 0, 12, settings.opening),
            RealGene("discount", 0.97, 1.0, 1.0),
            RealGene("uct_c", 5.0, 60.0, settings.uct_c, logarithmic=True),
            ChoiceGene("uct_growth", ("log", "root", "deep"), settings.uct_growth),
        )
    )


@dataclass(frozen=True)
class NetworkGenes:
    """The chromosome of a network."""

    shapes: tuple[str, ...]  # texts of shapes of tuples, sorted
    names: tuple[str, ...]  # of the genes below
    values: tuple[GeneValue, ...]

    def __getitem__(self, name: str) -> GeneValue:
        """The value of a gene."""
        return self.values[self.names.index(name)]

    def by_name(self) -> dict[str, GeneValue]:
        """All genes as a table shows them."""
        return {"shapes": ", ".join(self.shapes), **dict(zip(self.names, self.values, strict=True))}

    def shape(self, settings: ValuesSettings) -> ValueShape:
        """The network, with stages and symmetries of the settings."""
        return ValueShape(tuple(map(read_shape, self.shapes)), tuple(settings.stages), settings.symmetries)

    def training(self, settings: ValuesSettings, seed: int) -> RoundSettings:
        """The training games, without a limit."""
        return RoundSettings(
            games=1,
            seed=seed,
            exploration=float(self["exploration"]),
            opening=int(self["opening"]),
            move_limit=settings.move_limit,
            step=float(self["step_size"]),
            trace=float(self["trace"]),
            discount=float(self["discount"]),
        )

    def parameters(self, settings: ValuesSettings) -> Parameters:
        """The parameters of the search."""
        genes: dict[str, Any] = {name: self[name] for name in ("uct_c", "uct_growth")}
        return replace(settings.parameters(), **genes)


@dataclass(frozen=True)
class NetworkBreeding:
    """How networks vary."""

    genome: Genome
    known: KnownShapes
    most_weights: int
    crossover: float  # probability that a child has two parents
    mutation: float  # probability that a gene of learning or search changes
    new_shapes: float  # probability that the shapes of a child of one parent change

    def first(self, size: int, seed: int) -> tuple[NetworkGenes, ...]:
        """Return the genes of a first population: shapes that do well in most games, all of them, and variants."""
        auto, large = self.known.auto, self.known.large
        sets = [_ordered(shapes) for shapes in (auto, large, (*auto, *large)) if self._fits(shapes)] or [()]
        usual = [NetworkGenes(shapes, self.genome.names, self.genome.defaults()) for shapes in dict.fromkeys(sets)]
        draws = (random.Random(derive_seed(seed, "first network", number)) for number in range(size))
        varied = [self._vary(usual[number % len(usual)], rng) for number, rng in enumerate(draws)]
        return (*usual, *varied)[:size]

    def child(self, ranked: Sequence[NetworkGenes], rng: random.Random) -> tuple[NetworkGenes, tuple[int, ...]]:
        """Return a child, and the places of its parents in the ranking; it differs from all of them where it can."""
        one, other = select_ranked(len(ranked), 2, rng)
        if one != other and rng.random() < self.crossover:
            child = self._cross(ranked[one], ranked[other], rng)
            if child not in ranked:
                return child, (one, other)
        child = self._vary(ranked[one], rng)
        for _ in range(_MOST_TRIES):  # with few shapes or no mutation there may be no other child
            if child not in ranked:
                break
            child = self._vary(child, rng)
        return child, (one,)

    def grown(self, genes: NetworkGenes, shape: str) -> NetworkGenes | None:
        """Return the genes with one more shape; None where there is no room for it."""
        shapes = _ordered((*genes.shapes, shape))
        return replace(genes, shapes=shapes) if self._fits(shapes) else None

    def fit_together(self, one: NetworkGenes, other: NetworkGenes) -> bool:
        """Whether a network with all shapes of both is small enough."""
        return self._fits((*one.shapes, *other.shapes))

    def union(self, one: NetworkGenes, other: NetworkGenes) -> NetworkGenes:
        """Return the first with all shapes of both."""
        return replace(one, shapes=_ordered((*one.shapes, *other.shapes)))

    def _cross(self, one: NetworkGenes, other: NetworkGenes, rng: random.Random) -> NetworkGenes:
        """Return a child with the shapes of both, if there is room, else of the first, and genes of either."""
        first, second = list(one.values), list(other.values)
        with seeded_global_random(rng):
            tools.cxUniform(first, second, _SWAP)
        shapes = self.union(one, other).shapes if self.fit_together(one, other) else one.shapes
        return replace(one, shapes=shapes, values=tuple(first))

    def _vary(self, genes: NetworkGenes, rng: random.Random) -> NetworkGenes:
        """Return the genes with other shapes, other values or both."""
        values = tuple(
            gene.mutate(value, rng) if rng.random() < self.mutation else value
            for gene, value in zip(self.genome.genes, genes.values, strict=True)
        )
        shapes = self._other_shapes(genes.shapes, rng) if rng.random() < self.new_shapes else genes.shapes
        return replace(genes, shapes=shapes, values=values)

    def _other_shapes(self, shapes: tuple[str, ...], rng: random.Random) -> tuple[str, ...]:
        """Add a shape, leave one out, or both; networks grow more often than they shrink."""
        left = [shape for shape in self.known.n_weights if shape not in shapes]
        draw = rng.random()
        kept = list(shapes)
        if kept and draw < _SHRINKS + _SWAPS:
            kept.remove(rng.choice(kept))
        if draw < _SHRINKS:
            return tuple(kept)
        possible = [shape for shape in left if self._fits((*kept, shape))]
        return _ordered((*kept, rng.choice(possible))) if possible else shapes

    def _fits(self, shapes: Sequence[str]) -> bool:
        return sum(self.known.n_weights[shape] for shape in set(shapes)) <= self.most_weights


def _ordered(shapes: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(shapes)))
