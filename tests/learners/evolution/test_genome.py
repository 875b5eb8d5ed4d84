import random
from dataclasses import fields, replace

import pytest

from agent.knowledge import FEATURE_CLASSES
from agent.knowledge.parameters import PARAMETERS
from miner.learners.evolution.genome import GENOME, GENOME_WITH_VALUES
from miner.learners.evolution.operators import random_chromosome
from miner.mining.learning import LearningPolicy
from tests.learners.evolution.conftest import chromosome


def test_every_parameter_of_a_knowledge_file_is_a_gene() -> None:
    for each in PARAMETERS:
        if each.optional:
            continue
        if each.name.endswith("class_weights"):
            prefix = each.name.removesuffix("s") + "."
            assert {prefix + kind.element for kind in FEATURE_CLASSES} <= set(GENOME.names)
        else:
            assert each.name in GENOME.names


def test_every_choice_of_a_learning_policy_is_a_gene() -> None:
    assert {f"policy.{each.name}" for each in fields(LearningPolicy)} <= set(GENOME.names)


def test_genes_reach_the_parameters_and_the_policy() -> None:
    made = chromosome(uct_c=33.5, widening=True, **{"class_weight.FeatureAbsMove": 0.25, "policy.kind": "phi"})
    parameters = made.parameters()
    assert parameters.uct_c == 33.5
    assert parameters.widening is True
    assert parameters.class_weights["FeatureAbsMove"] == 0.25
    assert parameters.class_weights["FeatureRelPattern"] == 1.0
    assert made.policy().kind == "phi"


def test_genomes_with_and_without_values_differ_in_defaults_alone() -> None:
    assert GENOME_WITH_VALUES.names == GENOME.names
    for gene, other in zip(GENOME_WITH_VALUES.genes, GENOME.genes, strict=True):
        assert replace(gene, default=other.default) == other
    assert GENOME_WITH_VALUES.defaults() != GENOME.defaults()


def test_genes_are_fixed_at_their_defaults() -> None:
    fixed = GENOME.restrict({"uct_c": [30.0, 50.0]}).fix(["uct_c", "solver"])
    drawn = random_chromosome(fixed, random.Random(1))
    assert (drawn["uct_c"], drawn["solver"]) == (30.0, False)
    assert fixed.names == GENOME.names


def test_an_unknown_gene_is_refused_with_the_names_of_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"uct_k is no gene; .*uct_c"):
        GENOME.restrict({"uct_k": 1.0})


def test_restricting_leaves_the_other_genes_alone() -> None:
    limited = GENOME.restrict({"uct_c": 12.0})
    assert limited.names == GENOME.names
    assert dict(zip(limited.names, limited.defaults(), strict=True))["uct_c"] == 12.0
    assert limited.genes[0] == GENOME.genes[0]
