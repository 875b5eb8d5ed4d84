"""Patterns that share tables add what each of them adds, whatever is on the fields."""

import itertools
import random

import numpy as np
import pytest

from gdl_miner.agent.features import FeatureRelPattern, WeightedFeature
from gdl_miner.agent.features.plan import ContentsSums, fits, merge_sums
from gdl_miner.agent.knowledge import Parameters, compile_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from tests.knowledge.plain import knowledge_of

FIELDS = 9


def random_groups(rng: random.Random, contents: int, count: int) -> dict[tuple[int, ...], dict[tuple[int, ...], int]]:
    groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    while len(groups) < count:
        fields = tuple(sorted(rng.sample(range(FIELDS), rng.randint(0, 4))))
        wanted = {tuple(rng.randrange(contents) for _ in fields): rng.randint(-50, 50) for _ in range(5)}
        groups[fields] = wanted
    return groups


@pytest.mark.parametrize(("contents", "count"), [(2, 3), (4, 12), (4, 40), (6, 25)])
def test_merged_tables_add_what_the_patterns_add_and_stay_small(contents: int, count: int) -> None:
    rng = random.Random(contents * count)
    groups = random_groups(rng, contents, count)
    given = [ContentsSums.of(fields, wanted, contents) for fields, wanted in groups.items()]
    merged = merge_sums(given, contents)
    assert len(merged) < count
    assert all(fits(len(each.fields), contents) or each.fields in groups for each in merged)
    for _ in range(300):
        board = [rng.randrange(contents) for _ in range(FIELDS)]
        expected = sum(
            adds
            for fields, patterns in groups.items()
            for wanted, adds in patterns.items()
            if all(board[field] == code for field, code in zip(fields, wanted, strict=True))
        )
        assert sum(int(each.sums[tuple(board[field] for field in each.fields)]) for each in merged) == expected
    shuffled = rng.sample(given, len(given))
    again = merge_sums(shuffled, contents)
    assert [each.fields for each in again] == [each.fields for each in merged]
    assert all(np.array_equal(one.sums, other.sums) for one, other in zip(again, merged, strict=True))


def test_a_group_larger_than_the_limit_stays_alone() -> None:
    large = ContentsSums.of(tuple(range(6)), {(1,) * 6: 3}, 4)
    small = ContentsSums.of((0,), {(1,): 2}, 4)
    assert not fits(6, 4)
    assert [each.fields for each in merge_sums([small, large], 4)] == [(0, 1, 2, 3, 4, 5), (0,)]


def test_patterns_of_one_more_field_need_fewer_tables_than_there_are_fields() -> None:
    machine = load_machine("breakthrough.ext")
    around = [place for place in range(9) if place != 4]
    entries = [("piece:white", "empty", "off")[number % 3] for number in range(8)]
    patterns = [
        FeatureRelPattern(1, tuple("empty" if at == 4 else entry if at == place else "any" for at in range(9)))
        for place, entry in zip(around, entries, strict=True)
    ]
    winning = [[WeightedFeature(each, 1.0 + number) for number, each in enumerate(patterns)]]
    plan = compile_knowledge(knowledge_of(machine, winning), machine).plans[1]
    assert len(plan.patterns) == 2
    assert not len(plan.hit_condition)
    first = knowledge_of(machine, winning, (), Parameters(first_feature=True))
    assert len(compile_knowledge(first, machine).plans[1].patterns) == 8, "ranks do not add up"


def test_the_sums_of_all_contents_are_those_of_the_definition() -> None:
    sums = ContentsSums.of((1, 3), {(0, 2): 5, (1, 1): -2}, 3)
    assert {place: int(sums.sums[place]) for place in itertools.product(range(3), repeat=2) if sums.sums[place]} == {
        (0, 2): 5,
        (1, 1): -2,
    }
    assert sums.over((1, 2, 3)).shape == (3, 1, 3)
