"""The genes of a chromosome: every evolvable knowledge parameter (thesis 5.1.5) and the policy of learning.

The order of the genes is fixed; a run may narrow a gene's range or fix its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.knowledge import FEATURE_CLASSES
from miner.learners.evolution.genes import BooleanGene, ChoiceGene, Gene, GeneValue, IntegerGene, RealGene

__all__ = ["CLASS_WEIGHT", "GENOME", "ITEMSET_CLASS_WEIGHT", "POLICY", "Genome"]

CLASS_WEIGHT = "class_weight."
ITEMSET_CLASS_WEIGHT = "itemset_class_weight."
POLICY = "policy."


@dataclass(frozen=True)
class Genome:
    """The genes in order."""

    genes: tuple[Gene, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the genes, in order."""
        return tuple(gene.name for gene in self.genes)

    def defaults(self) -> tuple[GeneValue, ...]:
        """The default value of every gene."""
        return tuple(gene.default for gene in self.genes)

    def check(self, values: Sequence[object]) -> tuple[GeneValue, ...]:
        """The values as the genes store them. Raises ValueError where one does not fit its gene."""
        if len(values) != len(self.genes):
            raise ValueError(f"expected {len(self.genes)} gene values, got {len(values)}")
        return tuple(gene.check(value) for gene, value in zip(self.genes, values, strict=True))

    def restrict(self, limits: Mapping[str, object]) -> Genome:
        """This genome with some genes fixed (`name: value`) or narrowed (`name: [low, high]` or a list of choices).

        Raises ValueError on an unknown gene or an impossible limit.
        """
        unknown = sorted(set(limits) - set(self.names))
        if unknown:
            raise ValueError(f"{unknown[0]} is no gene; the genes are {', '.join(self.names)}")
        return Genome(tuple(gene.limit(limits[gene.name]) if gene.name in limits else gene for gene in self.genes))


GENOME = Genome(
    (
        IntegerGene("max_features", 10, 500, 400),
        *(RealGene(CLASS_WEIGHT + each.element, 0.0, 2.0, 1.0) for each in FEATURE_CLASSES),
        *(RealGene(ITEMSET_CLASS_WEIGHT + each.element, 0.0, 2.0, 1.0) for each in FEATURE_CLASSES),
        RealGene("learning_factor", 0.0, 1.0, 0.7),
        RealGene("winning_weight", 0.0, 2.0, 1.0),
        RealGene("losing_weight", 0.0, 2.0, 1.0),
        RealGene("impact", 0.05, 20.0, 2.5, logarithmic=True),
        RealGene("base_value", 0.01, 10.0, 1.0, logarithmic=True),
        RealGene("uct_c", 5.0, 100.0, 28.0, logarithmic=True),
        RealGene("expansions", 0.5, 2.0, 1.0),
        ChoiceGene("exploration", ("ucb", "puct"), "puct"),
        RealGene("puct_c", 10.0, 1000.0, 100.0, logarithmic=True),
        RealGene("bias", 0.0, 200.0, 60.0),
        RealGene("fade", 0.0, 2.0, 0.5),
        RealGene("mast_temperature", 0.0, 40.0, 0.0),
        RealGene("nst_greed", 0.0, 1.0, 0.0),
        RealGene("grave_equivalence", 0.0, 1000.0, 0.0),
        IntegerGene("grave_visits", 0, 200, 50),
        BooleanGene("solver", False),
        ChoiceGene("scoring", ("additive", "exponential"), "exponential"),
        BooleanGene("widening", False),
        IntegerGene("widening_visits", 10, 400, 40),
        IntegerGene("widening_moves", 2, 20, 5),
        RealGene("widening_growth", 1.1, 4.0, 2.0, logarithmic=True),
        IntegerGene("scoring_visits", 0, 20, 0),
        IntegerGene("playout_moves", 1, 100, 4),
        BooleanGene("first_feature", False),
        BooleanGene("features_in_playouts", False),
        BooleanGene("features_in_selection", True),
        BooleanGene("itemsets_in_playouts", True),
        BooleanGene("itemsets_in_selection", True),
        ChoiceGene(POLICY + "kind", ("phi", "softmax"), "softmax"),
        RealGene(POLICY + "phi_threshold", 0.0, 0.2, 0.0),
        RealGene(POLICY + "max_q", 0.001, 0.2, 0.05, logarithmic=True),
        RealGene(POLICY + "shrink", 0.0, 8.0, 1.0),
        BooleanGene(POLICY + "itemsets", True),
    )
)
