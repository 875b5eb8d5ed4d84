import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.learners.evolution.operators import (
    Fitness,
    cross,
    merge_features,
    mutate,
    random_chromosome,
    seeded_global_random,
    select_by_rank,
)
from tests.learners.evolution.world import chromosome, drawn_with, feature, weighted


def child_of(one: Chromosome, other: Chromosome, seed: int) -> Chromosome:
    with seeded_global_random(seed):
        return cross(one, other)[0]


@dataclass(frozen=True)
class Player:
    name: str
    fitness: Fitness


def test_random_chromosomes_differ_and_a_spread_of_zero_gives_the_defaults() -> None:
    assert drawn_with(GENOME, 1).values != drawn_with(GENOME, 2).values
    assert random_chromosome(GENOME, spread=0.0).values == GENOME.defaults()


@given(st.integers(0, 2**32))
def test_every_gene_of_a_child_comes_from_one_of_its_parents(seed: int) -> None:
    one, other = drawn_with(GENOME, seed), drawn_with(GENOME, seed + 1)
    with seeded_global_random(seed):
        children = cross(one, other)
    for value, twin, mine, yours in zip(*(each.values for each in (*children, one, other)), strict=True):
        assert (value, twin) in ((mine, yours), (yours, mine))


def test_a_crossover_mixes_both_parents_about_evenly() -> None:
    one, other = drawn_with(GENOME, 1), drawn_with(GENOME, 2)
    shares = []
    for seed in range(30):
        child = child_of(one, other, seed)
        apart = [(v, a) for v, a, b in zip(child.values, one.values, other.values, strict=True) if a != b]
        shares.append(sum(v == a for v, a in apart) / len(apart))
    assert 0.4 < sum(shares) / len(shares) < 0.6


def test_a_child_knows_the_best_of_the_union_of_its_parents_features() -> None:
    one = chromosome(weighted(a=0.9, b=0.2, c=0.1), max_features=10)
    other = chromosome(weighted(b=0.5, d=0.4), max_features=10)
    child = child_of(one, other, 0)
    assert child.winning == (weighted(a=0.9, b=0.5, d=0.4, c=0.1), ())


def test_no_list_grows_beyond_the_childs_own_limit() -> None:
    merged = merge_features(weighted(a=0.9, b=0.2), weighted(c=0.5, d=0.4), 3)
    assert [entry.feature for entry in merged] == [feature("a"), feature("c"), feature("d")]


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), max_size=6), st.integers(0, 8))
def test_merging_does_not_depend_on_the_order_of_the_parents(weights: dict[str, float], limit: int) -> None:
    one, other = weighted(**weights), weighted(a=0.3, c=0.7)
    assert merge_features(one, other, limit) == merge_features(other, one, limit)


def test_mutation_changes_about_the_share_of_genes_it_is_told() -> None:
    origin = drawn_with(GENOME, 3)
    changed = 0
    with seeded_global_random(4):
        for _ in range(100):
            (mutant,) = mutate(origin, GENOME, 0.1)
            changed += sum(a != b for a, b in zip(mutant.values, origin.values, strict=True))
    assert 0.07 < changed / (100 * len(GENOME.genes)) < 0.12


def test_a_mutation_that_lowers_the_limit_shortens_the_lists() -> None:
    genome = GENOME.restrict({"max_features": [10, 12]})
    long = chromosome(weighted(**{chr(97 + number): 1 - number / 30 for number in range(25)}), max_features=30)
    (mutant,) = mutate(long, genome, 1.0)
    assert len(mutant.winning[0]) == mutant.max_features <= 12


def test_ranked_selection_draws_in_proportion_to_rank() -> None:
    players = [Player(name, Fitness((elo,))) for name, elo in (("b", 20), ("d", -30), ("a", 21), ("c", -5))]
    with seeded_global_random(8):
        drawn = [each.name for each in select_by_rank(players, 20_000)]
    shares = [drawn.count(name) / len(drawn) for name in "abcd"]
    assert shares == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.02)


def test_breeding_leaves_pythons_global_generator_as_it_was() -> None:
    random.seed(5)
    before = random.getstate()
    child_of(chromosome(weighted(a=1.0)), chromosome(), 1)
    assert random.getstate() == before


def test_the_same_seed_gives_the_same_child_whatever_the_global_one_holds() -> None:
    one, other = drawn_with(GENOME, 1), drawn_with(GENOME, 2)
    random.seed(1)
    first = child_of(one, other, 9)
    random.seed(2)
    assert child_of(one, other, 9) == first
