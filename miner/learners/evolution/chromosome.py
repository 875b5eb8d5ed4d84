"""A chromosome: a string of gene values, paired with the feature lists that the individual knows (thesis 4.3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.knowledge.parameters import PARAMETERS, even_class_weights
from gdl_miner.miner.learners.evolution.genes import GeneValue
from gdl_miner.miner.learners.evolution.genome import (
    CLASS_WEIGHT,
    GENOME,
    ITEMSET_CLASS_WEIGHT,
    POLICY,
    WHOLE_GENOME,
    Genome,
)
from gdl_miner.miner.mining.learning import LearnedFeatures, LearningPolicy, empty_lists, learn
from gdl_miner.miner.mining.mine import MinedKnowledge

FeatureLists: TypeAlias = tuple[tuple[WeightedFeature, ...], ...]  # [role], heaviest first


@dataclass(frozen=True)
class Chromosome:
    """Gene values in the order of the genome, and one winning and one losing feature list per role.

    The genes are the first of `WHOLE_GENOME`: those of `GENOME`, and the optional ones up to the last that the run has.
    """

    values: tuple[GeneValue, ...]  # [gene]
    winning: FeatureLists = ()
    losing: FeatureLists = ()

    @classmethod
    def of_player(cls, knowledge: Knowledge, genome: Genome) -> Chromosome:
        """The chromosome in the limits of a genome that comes nearest to a player.

        Knowledge without features says nothing about parameters that have the default of files: most of them act on
        features alone. Such genes, and those of learning, have the default of the genome.
        """
        given = _genes_of(knowledge.parameters)
        if not knowledge.n_features:
            silent = _genes_of(Parameters())
            given = {name: value for name, value in given.items() if value != silent[name]}
        values = (gene.nearest(given[gene.name]) if gene.name in given else gene.default for gene in genome.genes)
        return cls(tuple(values), knowledge.winning, knowledge.losing).trimmed()

    def __getitem__(self, gene: str) -> GeneValue:
        """The value of a gene by its name."""
        return self.values[_POSITION[gene]]

    def __contains__(self, gene: str) -> bool:
        """Whether the chromosome has a gene of this name."""
        return _POSITION.get(gene, len(self.values)) < len(self.values)

    def genes(self) -> dict[str, GeneValue]:
        """All values by name."""
        return dict(zip(WHOLE_GENOME.names[: len(self.values)], self.values, strict=True))

    @property
    def max_features(self) -> int:
        """Greatest length of a feature list."""
        return int(self["max_features"])

    @property
    def features(self) -> int:
        """Number of features in all lists."""
        return sum(map(len, self.winning)) + sum(map(len, self.losing))

    def trimmed(self) -> Chromosome:
        """This chromosome with no list longer than `max_features`; the lightest features go."""
        limit = self.max_features
        return replace(
            self,
            winning=tuple(features[:limit] for features in self.winning),
            losing=tuple(features[:limit] for features in self.losing),
        )

    def parameters(self) -> Parameters:
        """The genes that a knowledge file carries; an optional gene that is absent has the default of the gene."""
        genes = self.genes()
        values: dict[str, Any] = {row.name: genes.get(row.name, row.evolved) for row in PARAMETERS if not row.classes}
        return Parameters(
            **values,
            class_weights=self._by_class(CLASS_WEIGHT),
            itemset_class_weights=self._by_class(ITEMSET_CLASS_WEIGHT),
        )

    def policy(self) -> LearningPolicy:
        """The genes that say how the individual learns."""
        values: dict[str, Any] = {each.name: self[POLICY + each.name] for each in fields(LearningPolicy)}
        return LearningPolicy(**values)

    def learned(self, mined: MinedKnowledge) -> Chromosome:
        """This chromosome with the features that its policy learns from mined ones."""
        own = LearnedFeatures(self.winning, self.losing) if self.winning else empty_lists(len(mined.roles))
        winning, losing = learn(
            own,
            mined,
            self.policy(),
            max_features=self.max_features,
            learning_factor=float(self["learning_factor"]),
        )
        return replace(self, winning=winning, losing=losing)

    def _by_class(self, prefix: str) -> Mapping[str, float]:
        return {name.removeprefix(prefix): float(self[name]) for name in GENOME.names if name.startswith(prefix)}


def _genes_of(parameters: Parameters) -> dict[str, GeneValue]:
    """Return the values of the genes that a knowledge file carries, by gene."""
    prefixes = {"class_weights": CLASS_WEIGHT, "itemset_class_weights": ITEMSET_CLASS_WEIGHT}
    own = set(even_class_weights())
    single = {row.name: getattr(parameters, row.name) for row in PARAMETERS if not row.classes}
    classes = {
        prefix + name: weight
        for row, prefix in prefixes.items()
        for name, weight in getattr(parameters, row).items()
        if name in own
    }
    return single | classes


_POSITION = {name: position for position, name in enumerate(WHOLE_GENOME.names)}
