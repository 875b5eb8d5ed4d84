"""Studies of strength: contests at equal time, and how well rules of selection find a player that stands out."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.knowledge.knowledge_xml import write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from lab.strength.best_so_far import CURVES, measure_best
from lab.strength.selection import RULES, measure_selection
from tests.command_line import lab, succeeded
from tests.knowledge.plain import knowledge_of


def test_a_contest_has_a_row_for_each_depth_and_names_both_budgets(tmp_path: Path) -> None:
    sheet = load_machine("tictactoe.ext").sheet
    write_knowledge(knowledge_of(sheet), tmp_path / "nothing.xml", sheet)
    effort = ("--playouts", 2, "--matches", 6, "--deeper", 4, "--tuning", 2)
    shown = succeeded(lab("equal-time", f"tictactoe.ext={tmp_path / 'nothing.xml'}", *effort, "--json"))
    rows = [json.loads(line) for line in shown.splitlines()]
    assert [(row["playouts"], row["matches"]) for row in rows] == [(2, 6), (20, 4)]
    for row in rows:
        assert row["own_playouts"] == max(1, round(row["playouts"] / row["time_ratio"]))
        assert 0 <= row["low"] <= row["win_percent"] <= row["high"] <= 100


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


@pytest.mark.parametrize("matches", [40, 100])
def test_the_best_of_a_learning_curve_is_found_better_by_the_test_than_by_half_of_the_points(matches: int) -> None:
    rows = list(measure_best([matches], runs=60, steps=12, noise=25.0, seed=1))
    assert [row["curve"] for row in rows] == list(CURVES)
    half, test = (sum(float(row[rule]) for row in rows) for rule in ("half", "test"))
    assert test < 0.9 * half
    assert float(rows[0]["test"]) < 15, "a learner that grows is not left behind"
