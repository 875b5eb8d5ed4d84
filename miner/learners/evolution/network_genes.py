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
from gdl_miner.agent.values import GoalCosts, RoundSettings, ValueShape, read_shape
from gdl_miner.miner.learners.evolution.genes import ChoiceGene, GeneValue, IntegerGene, RealGene
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.values.settings import ValuesSettings
from gdl_miner.miner.runs.network_shapes import KnownShapes

_SWAP = 0.5  # probability that the parents swap a gene in uniform crossover
_SHRINKS, _SWAPS = 0.15, 0.25  # probabilities that changed shapes are one less, or one other; else one more

_COSTS = str(GoalCosts())

_SEARCH_GENES = ("uct_c", "uct_growth", "experience")
NETWORK_GENES = ("step_size", "trace", "exploration", "opening", "discount", *_SEARCH_GENES)


def network_genome(settings: ValuesSettings) -> Genome:
    """Return the genes of learning and of the search; their defaults are the settings."""
    usual = settings.experience
    return Genome(
        (
            RealGene("step_size", 4.0, 64.0, settings.step_size, logarithmic=True),
            RealGene("trace", 0.3, 0.95, settings.trace),
            RealGene("exploration", 0.01, 0.2, settings.exploration, logarithmic=True),
            IntegerGene("opening", 0, 12, settings.opening),
            RealGene("discount", 0.97, 1.0, 1.0),
            RealGene("uct_c", 5.0, 60.0, settings.uct_c, logarithmic=True),
            ChoiceGene("uct_growth", ("log", "root", "deep"), settings.uct_growth),
            IntegerGene("experience", min(1, usual), max(8, usual), usual),
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
        genes: dict[str, Any] = {name: self[name] for name in _SEARCH_GENES}
        return replace(settings.parameters(), **genes)


class NetworkShapes:
    """The shapes of tuples of which networks are made, those that are mined during the run among them."""

    def __init__(self, known: KnownShapes, most_weights: int) -> None:
        """Begin with the shapes of a game; no network has more than `most_weights`."""
        self._n_weights = dict(known.n_weights)
        self._most_weights = most_weights
        playable = tuple(self._ending(shapes, "playable") for shapes in (known.large, known.auto))
        each_side = tuple(self._ending(shapes, "each side") for shapes in playable)
        costs = [(*known.auto, _COSTS)] if _COSTS in self._n_weights else []
        usual = (known.auto, known.large, *playable, *each_side, *costs, (*known.auto, *known.large))
        fitting = [_ordered(shapes) for shapes in usual if self.fit(shapes)] or [()]
        self.usual = tuple(dict.fromkeys(fitting))  # sets that do well in most games

    def _ending(self, shapes: Sequence[str], kind: str) -> tuple[str, ...]:
        """Return shapes of a kind, such as those whose cells tell who may move to them, as far as the game has such."""
        return tuple(text if (text := f"{shape} {kind}") in self._n_weights else shape for shape in shapes)

    def add(self, shape: str, n_weights: int) -> None:
        """Add a shape; a network with it alone has so many weights."""
        self._n_weights[shape] = n_weights

    def fit(self, shapes: Sequence[str]) -> bool:
        """Whether a network with these shapes is small enough."""
        return sum(self._n_weights[shape] for shape in set(shapes)) <= self._most_weights

    def varied(self, shapes: tuple[str, ...]) -> tuple[str, ...]:
        """Add a shape, leave one out, or both, at random; shapes become more rather than fewer."""
        left = [shape for shape in self._n_weights if shape not in shapes]
        draw = random.random()
        kept = list(shapes)
        if kept and draw < _SHRINKS + _SWAPS:
            kept.remove(random.choice(kept))
        if draw < _SHRINKS:
            return tuple(kept)
        possible = [shape for shape in left if self.fit((*kept, shape))]
        return _ordered((*kept, random.choice(possible))) if possible else shapes


def mate_networks(one: NetworkGenes, other: NetworkGenes, shapes: NetworkShapes) -> tuple[NetworkGenes, NetworkGenes]:
    """Return two children by uniform crossover of the genes of learning and search.

    Both have the shapes of both parents, if there is room, else each those of one of them.
    """
    first, second = list(one.values), list(other.values)
    tools.cxUniform(first, second, _SWAP)
    room = shapes.fit((*one.shapes, *other.shapes))
    one, other = (union(one, other), union(other, one)) if room else (one, other)
    return replace(one, values=tuple(first)), replace(other, values=tuple(second))


def mutate_network(
    genes: NetworkGenes, genome: Genome, shapes: NetworkShapes, rate: float, new_shapes: float
) -> tuple[NetworkGenes]:
    """Return genes with other values with probability `rate` each, and other shapes with probability `new_shapes`."""
    values = tuple(
        gene.mutate(value) if random.random() < rate else value
        for gene, value in zip(genome.genes, genes.values, strict=True)
    )
    varied = shapes.varied(genes.shapes) if random.random() < new_shapes else genes.shapes
    return (replace(genes, shapes=varied, values=values),)


def union(one: NetworkGenes, other: NetworkGenes) -> NetworkGenes:
    """Return the first with all shapes of both."""
    return replace(one, shapes=_ordered((*one.shapes, *other.shapes)))


def grown(genes: NetworkGenes, shape: str) -> NetworkGenes:
    """Return the genes with one more shape."""
    return replace(genes, shapes=_ordered((*genes.shapes, shape)))


def _ordered(shapes: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(shapes)))
