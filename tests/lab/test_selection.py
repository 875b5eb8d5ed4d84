"""In simulated tournaments, every rule keeps to its number of matches and finds a player that stands out."""

import pytest

from lab.strength.selection import RULES, measure_selection


@pytest.fixture(scope="module")
def rows():
    return {row["rule"]: row for row in measure_selection([32], runs=40, players=8, spread=150.0, seed=1)}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_keeps_to_its_matches(rows, rule):
    assert rows[rule]["used"] == pytest.approx(32, rel=0.1)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_does_far_better_than_chance(rows, rule):
    assert rows[rule]["best"] > 3 * 100 / 8
    assert rows[rule]["elite"] > 80 + 75


def test_what_is_lost_by_the_choice_shrinks_with_more_matches():
    few, many = (
        [row["regret"] for row in measure_selection([matches], runs=40, players=8, spread=150.0, seed=1)]
        for matches in (8, 128)
    )
    assert sum(many) < 0.7 * sum(few)
