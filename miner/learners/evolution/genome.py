"""The genes of a chromosome: every evolvable knowledge parameter (thesis 5.1.5) and the policy of learning.

The genes of parameters follow from the table of parameters. Their order is fixed; a run may narrow a gene's range or
fix its value. The optional genes come last. A run whose configuration names none of them does without them, so that it
is the same run as before they were added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.agent.knowledge.parameter_row import ParameterRow
from gdl_miner.agent.knowledge.parameters import PARAMETERS
from gdl_miner.miner.learners.evolution.genes import BooleanGene, ChoiceGene, Gene, GeneValue, IntegerGene, RealGene
from gdl_miner.miner.mining.learning import SCORING, LearningPolicy

CLASS_WEIGHT = "class_weight."
ITEMSET_CLASS_WEIGHT = "itemset_class_weight."
POLICY = "policy."
VALUE_GENES = ("value_weight", "experience")  # genes that have no effect without values of states


@dataclass(frozen=True)
class Genome:
    """The genes in order."""

    genes: tuple[Gene, ...]
    optional: tuple[Gene, ...] = ()  # genes that follow if limits name one of them

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

        Limits that name an optional gene add it and the optional genes before it; those that they do not name are fixed
        at their defaults. Raises ValueError on an unknown gene or an impossible limit.
        """
        whole = (*self.genes, *self.optional)
        names = [gene.name for gene in whole]
        unknown = sorted(set(limits) - set(names))
        if unknown:
            raise ValueError(f"{unknown[0]} is no gene; the genes are {', '.join(names)}")
        genes = [gene.limit(limits[gene.name]) if gene.name in limits else gene for gene in self.genes]
        added, absent = self.optional_up_to(limits)
        return Genome((*genes, *(gene.limit(limits.get(gene.name, gene.default)) for gene in added)), absent)

    def optional_up_to(self, names: Collection[str]) -> tuple[tuple[Gene, ...], tuple[Gene, ...]]:
        """Return the optional genes up to the last one that is named, and the others."""
        places = [place for place, gene in enumerate(self.optional, 1) if gene.name in names]
        end = max(places, default=0)
        return self.optional[:end], self.optional[end:]

    def allows(self, values: Mapping[str, object]) -> bool:
        """Whether some genes can have these values."""
        try:
            self.restrict(values)
        except ValueError:
            return False
        return True

    def fix(self, names: Sequence[str]) -> Genome:
        """This genome with some genes fixed at their defaults."""
        fixed = (gene.limit(gene.default) if gene.name in names else gene for gene in self.genes)
        return Genome(tuple(fixed), self.optional)


def _genome(*, with_values: bool) -> Genome:
    """Return the genome of individuals with or without values of states; they differ in defaults."""
    return Genome(
        (
            *(gene for row in PARAMETERS if not row.optional for gene in _genes_of(row, with_values=with_values)),
            ChoiceGene(POLICY + "kind", tuple(SCORING), _POLICY.kind),
            RealGene(POLICY + "phi_threshold", 0.0, 0.2, _POLICY.phi_threshold),
            RealGene(POLICY + "max_q", 0.001, 0.2, _POLICY.max_q, logarithmic=True),
            RealGene(POLICY + "shrink", 0.0, 8.0, _POLICY.shrink),
            BooleanGene(POLICY + "itemsets", _POLICY.itemsets),
        ),
        tuple(gene for row in PARAMETERS if row.optional for gene in _genes_of(row, with_values=with_values)),
    )


def _genes_of(row: ParameterRow, *, with_values: bool) -> Iterator[Gene]:
    """Yield the gene of a parameter, or one gene for each feature class."""
    low, high, default = row.gene.low, row.gene.high, row.evolved_with_values if with_values else row.evolved
    names = [_CLASS_PREFIXES[row.name] + each for each in row.classes] or [row.name]
    for name in names:
        if row.kind is bool:
            yield BooleanGene(name, bool(default))
        elif row.kind is int:
            yield IntegerGene(name, int(low), int(high), int(default))
        elif row.kind is float:
            yield RealGene(name, float(low), float(high), float(default), row.gene.logarithmic)
        else:
            yield ChoiceGene(name, row.choices, str(default))


_CLASS_PREFIXES = {"class_weights": CLASS_WEIGHT, "itemset_class_weights": ITEMSET_CLASS_WEIGHT}
_POLICY = LearningPolicy()

GENOME = _genome(with_values=False)
GENOME_WITH_VALUES = _genome(with_values=True)
WHOLE_GENOME = Genome((*GENOME.genes, *GENOME.optional))
