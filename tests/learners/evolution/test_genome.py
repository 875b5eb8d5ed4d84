from dataclasses import fields

import pytest

from agent.knowledge import FEATURE_CLASSES, Parameters
from miner.learners.evolution.genome import GENOME
from miner.mining.learning import LearningPolicy
from tests.learners.evolution.conftest import chromosome


def test_every_parameter_of_a_knowledge_file_is_a_gene() -> None:
    for each in fields(Parameters):
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


def test_an_unknown_gene_is_refused_with_the_names_of_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"uct_k is no gene; .*uct_c"):
        GENOME.restrict({"uct_k": 1.0})


def test_restricting_leaves_the_other_genes_alone() -> None:
    limited = GENOME.restrict({"uct_c": 12.0})
    assert limited.names == GENOME.names
    assert dict(zip(limited.names, limited.defaults(), strict=True))["uct_c"] == 12.0
    assert limited.genes[0] == GENOME.genes[0]
