from dataclasses import fields, replace

import pytest

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameters import PARAMETERS
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.genome import GENOME, GENOME_WITH_VALUES, WHOLE_GENOME
from gdl_miner.miner.mining.learning import LearningPolicy
from tests.learners.evolution.world import chromosome, drawn_with, settings_of


def test_every_parameter_of_a_knowledge_file_is_a_gene() -> None:
    for each in PARAMETERS:
        if each.name.endswith("class_weights"):
            prefix = each.name.removesuffix("s") + "."
            assert {prefix + kind.element for kind in FEATURE_CLASSES} <= set(GENOME.names)
        else:
            assert each.name in WHOLE_GENOME.names
            assert (each.name in GENOME.names) != each.optional


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
    drawn = drawn_with(fixed, 1)
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


def test_an_optional_gene_is_added_at_the_end_where_limits_name_it_and_changes_no_draw_before_it() -> None:
    choices = {"decisive_moves": ["decisive", "auto"]}
    with_it, without = (GENOME.restrict({"uct_c": [20.0, 60.0], **limit}) for limit in (choices, {}))
    assert with_it.names == (*without.names, "decisive_moves") == WHOLE_GENOME.names[: len(with_it.names)]
    drawn, same = (drawn_with(genome, 4) for genome in (with_it, without))
    assert drawn.values[:-1] == same.values
    assert drawn["decisive_moves"] in ("decisive", "auto")
    assert "decisive_moves" in drawn
    assert "decisive_moves" not in same
    assert list(drawn.genes()) == list(with_it.names)
    assert list(same.genes()) == list(GENOME.names)


def test_optional_genes_before_one_that_limits_name_are_added_at_their_defaults() -> None:
    genome = GENOME.restrict({"uct_growth": ["log", "deep"]})
    later = ("mixed_share", "opponent_knowledge", "trusted_playouts", "valued_playouts")
    assert WHOLE_GENOME.names == (*genome.names, *later) == (*GENOME.names, "decisive_moves", "uct_growth", *later)
    drawn = [drawn_with(genome, seed) for seed in range(20)]
    assert {each["uct_growth"] for each in drawn} == {"log", "deep"}
    assert {each["decisive_moves"] for each in drawn} == {"off"}
    assert {each.parameters().uct_growth for each in drawn} == {"log", "deep"}


def test_individuals_explore_more_in_deep_searches_unless_a_gene_says_otherwise() -> None:
    assert Parameters().uct_growth == "log"
    assert Chromosome(GENOME.defaults()).parameters().uct_growth == "deep"
    logarithmic = GENOME.restrict({"uct_growth": "log"})
    assert Chromosome(logarithmic.defaults()).parameters().uct_growth == "log"


def test_genomes_without_the_use_of_values_have_it_fixed_at_nothing() -> None:
    using, unusing = settings_of("default").genomes("any")
    drawn = [drawn_with(genome, 5) for genome in (using, unusing)]
    assert drawn[0]["value_weight"] != 0
    assert (drawn[1]["value_weight"], drawn[1]["experience"]) == (0.0, 0)
    [without] = settings_of("default").genomes("none")
    found = drawn_with(without, 5)
    assert (found["value_weight"], found["experience"]) == (1.0, 1)
