import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.miner.learners.evolution.genes import BooleanGene, ChoiceGene, Gene, IntegerGene, RealGene
from gdl_miner.miner.learners.evolution.operators import seeded_global_random

GENES: list[Gene] = [
    RealGene("real", -1.0, 3.0, 0.0),
    RealGene("ratio", 0.01, 10.0, 1.0, logarithmic=True),
    IntegerGene("whole", 2, 9, 5),
    BooleanGene("switch", True),
    ChoiceGene("way", ("a", "b", "c"), "b"),
]


@pytest.mark.parametrize("gene", GENES, ids=lambda gene: gene.name)
@given(seed=st.integers(0, 2**32))
def test_drawn_and_mutated_values_fit_the_gene_and_survive_text(gene: Gene, seed: int) -> None:
    with seeded_global_random(seed):
        values = [gene.draw()]
        for _ in range(5):
            values.append(gene.mutate(values[-1]))
    for value in values:
        again = gene.check(json.loads(json.dumps(gene.check(value))))
        assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize("gene", [*GENES[2:]], ids=lambda gene: gene.name)
def test_a_mutation_changes_switches_choices_and_most_whole_numbers(gene: Gene) -> None:
    with seeded_global_random(1):
        changed = sum(gene.mutate(gene.default) != gene.default for _ in range(50))
    assert changed >= 45


def test_real_mutations_are_small_steps_most_of_the_time() -> None:
    gene = RealGene("real", 0.0, 100.0, 50.0)
    with seeded_global_random(5):
        steps = [abs(gene.mutate(50.0) - 50.0) for _ in range(500)]
    assert sorted(steps)[len(steps) // 2] < 15
    assert max(steps) > 20


def test_a_logarithmic_gene_draws_as_many_values_below_its_middle_ratio_as_above() -> None:
    gene = RealGene("ratio", 0.01, 100.0, 1.0, logarithmic=True)
    with seeded_global_random(5):
        below = sum(gene.draw() < 1.0 for _ in range(1000))
    assert 420 < below < 580


@pytest.mark.parametrize(
    ("gene", "value"),
    [
        (GENES[0], 3.1),
        (GENES[0], True),
        (GENES[0], "1"),
        (GENES[2], 1),
        (GENES[2], 3.0),
        (GENES[3], 1),
        (GENES[4], "d"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(gene: Gene, value: object) -> None:
    with pytest.raises(ValueError, match=gene.name):
        gene.check(value)


def test_a_gene_can_be_fixed_or_narrowed() -> None:
    assert RealGene("r", 0.0, 10.0, 5.0).limit(7.0).mutate(7.0) == 7.0
    assert 2 <= IntegerGene("i", 0, 10, 9).limit([2, 4]).draw() <= 4
    assert BooleanGene("b", True).limit(False).draw() is False
    assert ChoiceGene("c", ("x", "y"), "x").limit(["y"]).draw() == "y"


@pytest.mark.parametrize("limit", [[3, 1], [1, 2, 3], 11, "x"])
def test_an_impossible_limit_is_refused(limit: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        IntegerGene("i", 0, 10, 9).limit(limit)


@pytest.mark.parametrize(
    ("gene", "value", "nearest"),
    [
        (GENES[0], 0.3, 0.3),
        (GENES[0], 7, 3.0),
        (GENES[2], 1, 2),
        (GENES[2], 9, 9),
        (GENES[3], False, False),
        (BooleanGene("switch", True, fixed=True), False, True),
        (GENES[4], "c", "c"),
        (GENES[4], "d", "b"),
    ],
)
def test_the_nearest_value_fits_the_gene(gene: Gene, value: float | str, nearest: float | str) -> None:
    assert gene.check(gene.nearest(value)) == nearest


def test_a_fixed_switch_is_free_again_where_both_positions_are_named() -> None:
    fixed = BooleanGene("widening", False).limit(False)
    assert {fixed.draw() for _ in range(20)} == {False}
    for both in ([False, True], [True, False]):
        with seeded_global_random(1):
            assert {fixed.limit(both).draw() for _ in range(20)} == {False, True}
    for wrong in ([True], [True, False, True], "no", 1):
        with pytest.raises(ValueError, match="widening must be"):
            BooleanGene("widening", False).limit(wrong)
