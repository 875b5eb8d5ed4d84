"""The use of genes, in a table of individuals in which it is known."""

import numpy as np
import pandas as pd
import pytest

from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.gene_use import GeneUse, gene_use
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.learners.evolution.network_genes import NETWORK_GENES, network_genome
from gdl_miner.miner.runs.settings import read_settings


def run(seed: int, generations: int = 3, population: int = 8) -> pd.DataFrame:
    """Return the individuals of a run in which a large `uct_c` makes strong."""
    rng, rows = np.random.default_rng(seed), []
    for generation in range(1, generations + 1):
        people = []
        for _ in range(population):
            row = dict(zip(GENOME.names, GENOME.defaults(), strict=True))
            row |= {"uct_c": float(rng.integers(20, 60)), "solver": bool(rng.random() < 0.5)}
            row |= {"FeatureAbsMove": 1.0 if rng.random() < 0.5 else None, "FeatureRelPattern": 3}
            row |= {"elo": 1000.0 * generation + row["uct_c"]}
            people.append(row)
        people.sort(key=lambda row: -row["elo"])
        rows += [{**row, "step": generation, "rank": rank} for rank, row in enumerate(people, 1)]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def found() -> dict[str, GeneUse]:
    return {each.name: each for each in gene_use([run(1), run(2)])}


def test_every_gene_is_told_in_its_order(found: dict[str, GeneUse]) -> None:
    assert tuple(found) == GENOME.names
    assert {each.individuals for each in found.values()} == {48}


def test_the_gene_that_makes_strong_goes_with_strength_within_generations(found: dict[str, GeneUse]) -> None:
    use = found["uct_c"]
    assert use.correlation == pytest.approx(1.0)
    assert use.p_value is not None
    assert use.p_value < 1e-9
    assert use.changed > 40
    assert use.champions_changed == 2, "the best of the last generation of each run"
    solver = found["solver"]
    assert solver.correlation is not None
    assert abs(solver.correlation) < 0.4


def test_a_gene_that_never_moves_has_no_correlation(found: dict[str, GeneUse]) -> None:
    for name in ("bias", "scoring"):
        assert (found[name].changed, found[name].champions_changed, found[name].correlation) == (0, 0, None)


def test_the_weight_of_a_class_acts_where_there_are_features_of_it(found: dict[str, GeneUse]) -> None:
    moves = sum(int(each["FeatureAbsMove"].sum()) for each in (run(1), run(2)))
    assert 0 < moves < 48
    acting = {name: each.acting for name, each in found.items()}
    assert acting["class_weight.FeatureAbsMove"] == acting["itemset_class_weight.FeatureAbsMove"] == moves
    assert acting["class_weight.FeatureItemsetOnly"] == 0
    assert acting["class_weight.FeatureRelPattern"] == acting["uct_c"] == 48


def test_genes_of_networks_are_told_beside_the_others() -> None:
    people = pd.DataFrame(
        {
            "step": 1, "rank": [1, 2, 3, 4], "name": [f"g001-i00{number}" for number in (3, 1, 2, 4)],
            "elo": [90.0, 0.0, -10.0, -30.0], "shapes": "goals",
            **dict.fromkeys(NETWORK_GENES, 0.5), "step_size": [30.0, 16.0, 14.0, 12.0], "uct_growth": "deep",
        }
    )  # fmt: skip
    alone = {each.name: each for each in gene_use([people])}
    assert tuple(alone) == tuple(f"network.{name}" for name in NETWORK_GENES)
    use = alone["network.step_size"]
    assert (use.default, use.individuals, use.changed, use.champions_changed) == (16.0, 4, 3, 1)
    assert use.correlation == pytest.approx(1.0)
    assert alone["network.uct_growth"].changed == 0
    both = gene_use([people, run(1)])
    assert {each.name for each in both} == {*alone, *GENOME.names}
    assert {each.individuals for each in both} == {4, 24}


def test_the_names_of_genes_of_networks_are_those_of_their_genome() -> None:
    assert network_genome(read_settings(EvolutionConfig, "quick").values).names == NETWORK_GENES
