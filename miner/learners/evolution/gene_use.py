"""The use of genes in evolutions: how many individuals have changed each gene, and how it goes with strength."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from gdl_miner.miner.learners.evolution.genes import GeneValue
from gdl_miner.miner.learners.evolution.genome import CLASS_WEIGHT, GENOME, GENOME_WITH_VALUES, ITEMSET_CLASS_WEIGHT
from gdl_miner.miner.learners.evolution.network_genes import NETWORK_GENES
from gdl_miner.miner.learners.evolution.population import individual_name

_FIRST_NETWORK = individual_name(1, 1)
_FEWEST = 3  # individuals that a correlation needs


@dataclass(frozen=True)
class GeneUse:
    """One gene in the individuals of several evolutions."""

    name: str
    default: GeneValue  # of individuals without values
    individuals: int
    acting: int  # of them, those in which the gene can act: those with features of the class whose weight it is
    changed: int  # of them, those with another value than the default
    champions_changed: int  # of the first individuals of the last generations
    correlation: float | None  # Spearman's, of the gene with Elo within generations; None where it is not defined
    p_value: float | None  # of that correlation, as if all individuals were independent


def gene_use(runs: Sequence[pd.DataFrame]) -> tuple[GeneUse, ...]:
    """Return the use of each gene in all finished generations: those of networks, then those of the genome, in order.

    Individuals that one seed draws are the same in every game, so runs of several seeds tell more.

    Args:
        runs: the individuals of each evolution, `RunHistory.players`.
    """
    table = pd.concat([each.assign(run=number) for number, each in enumerate(runs)], ignore_index=True)
    of_networks = table["shapes"].notna() if "shapes" in table else pd.Series(data=False, index=table.index)
    found: list[GeneUse] = []
    networks = table[of_networks]
    for name in NETWORK_GENES if len(networks) else ():
        first = networks[networks["name"] == _FIRST_NETWORK][name]  # it has the defaults of its run
        found.append(_use(networks, f"network.{name}", name, first.tolist()))
    others = table[~of_networks]
    for gene, with_values in zip(GENOME.genes, GENOME_WITH_VALUES.genes, strict=True) if len(others) else ():
        found.append(_use(others, gene.name, gene.name, [gene.default, with_values.default]))
    return tuple(found)


def _use(table: pd.DataFrame, name: str, column: str, defaults: Sequence[GeneValue]) -> GeneUse:
    last = table.groupby("run")["step"].transform("max")
    champions = (table["step"] == last) & (table["rank"] == 1)
    place = [table["run"], table["step"]]
    strength = table["elo"] - table["elo"].groupby(place).transform("mean")
    values = table[column]
    changed = ~values.isin(defaults)
    correlation, p_value = (
        (None, None) if isinstance(defaults[0], str) else _correlation(values.astype(float), place, strength)
    )
    return GeneUse(
        name,
        defaults[0],
        len(table),
        int(_acting(table, name).sum()),
        int(changed.sum()),
        int((changed & champions).sum()),
        correlation,
        p_value,
    )


def _acting(table: pd.DataFrame, gene: str) -> pd.Series:
    """Return [individual] whether it has features whose class the gene gives a weight; other genes act in all."""
    for prefix in (ITEMSET_CLASS_WEIGHT, CLASS_WEIGHT):
        if gene.startswith(prefix):
            name = gene.removeprefix(prefix)  # no column where no individual has such features
            return table[name] > 0 if name in table else pd.Series(data=False, index=table.index)
    return pd.Series(data=True, index=table.index)


def _correlation(number: pd.Series, place: list[pd.Series], strength: pd.Series) -> tuple[float | None, float | None]:
    """Return the rank correlation of a gene with strength, both within generations; None where one never varies."""
    inside = (number - number.groupby(place).transform("mean")).round(9)  # a mean of equal numbers may be another
    if len(inside) < _FEWEST or inside.nunique() < 2 or strength.nunique() < 2:
        return None, None
    from scipy.stats import spearmanr  # imported on first use, because it takes long

    result = spearmanr(inside, strength)
    return float(result.statistic), float(result.pvalue)
