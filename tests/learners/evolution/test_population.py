from dataclasses import replace

import pytest

from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.learners.evolution.operators import Fitness
from gdl_miner.miner.learners.evolution.population import Breeding, Individual, first_population, next_population
from gdl_miner.miner.learners.evolution.toolbox import feature_toolbox
from tests.learners.evolution.world import settings_of

BREEDING = Breeding(population=20, crossover=0.75, elitism=0.15, newcomers=0.1, spread=1.0)


TOOLBOX = feature_toolbox(settings_of("thesis"), GENOME)


@pytest.fixture
def ranked() -> tuple[Individual, ...]:
    people = first_population(BREEDING, [GENOME], 3)
    return tuple(replace(each, fitness=Fitness((-place,))) for place, each in enumerate(people))


def bred(ranked: tuple[Individual, ...], seed: int = 3, generation: int = 2) -> tuple[Individual, ...]:
    return next_population(ranked, BREEDING, [GENOME], seed, generation, TOOLBOX)


def test_the_first_population_holds_the_defaults_once_and_no_two_alike(ranked: tuple[Individual, ...]) -> None:
    assert ranked[0].chromosome.values == GENOME.defaults()
    assert len({individual.chromosome.values for individual in ranked}) == 20
    assert {individual.origin for individual in ranked} == {"initial"}


def test_the_start_comes_before_the_defaults_and_in_place_of_a_random_individual(
    ranked: tuple[Individual, ...],
) -> None:
    start = ranked[7].chromosome
    people = first_population(BREEDING, [GENOME], 3, start)
    assert [individual.origin for individual in people] == ["start", *["initial"] * 19]
    assert (people[0].chromosome, people[1].chromosome.values) == (start, GENOME.defaults())
    assert [each.chromosome for each in people[2:]] == [each.chromosome for each in ranked[2:]]


def test_a_generation_is_made_of_the_shares_asked_for(ranked: tuple[Individual, ...]) -> None:
    people = bred(ranked)
    origins = [individual.origin for individual in people]
    assert (origins.count("elite"), origins.count("child"), origins.count("newcomer")) == (3, 15, 2)


def test_elites_go_on_unchanged_under_a_new_name(ranked: tuple[Individual, ...]) -> None:
    people = bred(ranked)
    for number in range(3):
        assert people[number].chromosome == ranked[number].chromosome
        assert people[number].parents == (ranked[number].name,)


def test_names_are_unique_and_say_the_generation(ranked: tuple[Individual, ...]) -> None:
    people = bred(ranked)
    assert len({individual.name for individual in people}) == 20
    assert all(individual.name.startswith("g002-i") for individual in people)


def test_fitter_individuals_have_more_children(ranked: tuple[Individual, ...]) -> None:
    parents = [
        name
        for seed in range(40)
        for individual in bred(ranked, seed)
        if individual.origin == "child"
        for name in individual.parents
    ]
    better = {individual.name for individual in ranked[:10]}
    assert sum(name in better for name in parents) / len(parents) > 0.65


def test_the_same_seed_breeds_the_same_and_another_does_not(ranked: tuple[Individual, ...]) -> None:
    assert bred(ranked) == bred(ranked)
    assert bred(ranked) != bred(ranked, 4)
    assert bred(ranked)[5:] != bred(ranked, generation=3)[5:]
