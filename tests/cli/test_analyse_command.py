"""`agent analyse`: positions on the standard input, an answer to each."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent.cli import app
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.line_of_play import position_of
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import StateJudge

FILE = Path(__file__).parents[2] / "docs" / "champions" / "breakthrough.ext-1" / "best.xml"
GAME = ("--game", "tictactoe.ext")


def asked(*arguments: str, lines: str) -> Result:
    return CliRunner().invoke(app, ["analyse", *arguments], input=lines)


def answers(*arguments: str, lines: str) -> list[dict[str, Any]]:
    result = asked(*arguments, "--json", lines=lines)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_line_has_the_same_answer_whatever_came_before_it() -> None:
    lines = [
        '{"id": 1}',
        '{"id": 2, "moves": "(mark 2 2 x) (mark 1 1 o)"}',
        '{"id": 1}',
        '{"id": 2, "moves": "(mark 2 2 x) (mark 1 1 o)"}',
    ]
    found = answers(*GAME, "--playouts", "300", lines="\n".join(lines))
    for each in found:
        del each["seconds"]
    assert found[0] == found[2]
    assert found[1] == found[3]
    assert [each["id"] for each in found] == [1, 2, 1, 2]
    assert all(each["playouts"] == 300 and each["role"] == "x" for each in found[:2])
    assert sum(move["visits"] for move in found[0]["moves"]) == 300


def test_a_win_in_one_is_proven_for_facts_as_text_list_and_plain_line() -> None:
    facts = ["(cell 1 1 x)", "(cell 1 2 x)", "(cell 2 1 o)", "(cell 2 2 o)", "(control x)"]
    lines = [json.dumps({"facts": facts}), json.dumps({"facts": " ".join(facts)}), " ".join(facts), ""]
    found = answers(*GAME, lines="\n".join(lines))
    assert len(found) == 3
    assert all(each["moves"][0]["move"] == "(mark 1 3 x)" or each["moves"][0]["verdict"] == 1 for each in found)
    assert found[0]["line"][0][0] == found[0]["moves"][0]["move"]


def test_facts_that_hold_in_every_state_may_be_left_out() -> None:
    rules = bundled()["tictactoe.ext"].read_text() + "(init (wall 1)) (<= (next (wall 1)) (true (wall 1)))"
    machine = load_machine(parse_sheet(rules, "walled"))
    assert position_of(machine, "(control x)").tolist() == machine.initial().tolist()


def test_the_end_of_a_match_has_goals_alone() -> None:
    moves = "(mark 1 1 x) (mark 2 1 o) (mark 1 2 x) (mark 2 2 o) (mark 1 3 x)"
    [found] = answers(*GAME, lines=json.dumps({"moves": moves}))
    assert found == {"id": None, "final": True, "ended": True, "goals": [100, 0]}


def test_values_tell_worth_and_reasons_of_moves() -> None:
    machine = load_machine("breakthrough.ext")
    values = read_knowledge(FILE, machine.sheet).values
    assert values is not None
    judge, state = StateJudge(values, machine), machine.initial()
    [found] = answers("--game", "breakthrough.ext", "--knowledge", str(FILE), lines='{"playouts": 40, "reasons": 3}')
    best = found["moves"][0]
    row = machine.row(0, best["move"])
    after = machine.next(state, [row, int(machine.legal(state)[1][0])])
    assert best["worth"] == pytest.approx(judge.values(after[None])[0][0], abs=0.01)
    assert found["worth"] == pytest.approx(judge.values(state[None])[0][0], abs=0.01)
    known = judge.changes(state, after, 0)[:3]
    assert [each["words"] for each in found["reasons"]] == [each.words for each in known]
    assert [each["weight"] for each in found["reasons"]] == pytest.approx([each.weight for each in known], abs=1e-3)


def test_a_line_at_fault_is_answered_and_the_next_one_is_read() -> None:
    lines = [
        '{"id": "a", "nosuch": 1}',
        "{",
        '{"id": 3, "facts": "(nosuch)"}',
        '{"id": 4, "moves": "(mark 9 9)"}',
        '{"id": 5, "role": "z"}',
        "{}",
    ]
    result = asked(*GAME, "--playouts", "5", "--json", lines="\n".join(lines))
    assert result.exit_code == 1
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["id"] for each in found] == ["a", None, 3, 4, 5, None]
    assert "a line may hold id, facts, moves" in found[0]["error"]
    assert "Invalid JSON" in found[1]["error"]
    assert "nosuch is no fluent of tictactoe.ext" in found[2]["error"]
    assert "not legal" in found[3]["error"]
    assert "name one of x, o" in found[4]["error"]
    assert "error" not in found[5]


def test_a_position_that_lacks_a_fact_is_no_position() -> None:
    result = asked(*GAME, "--json", lines="(cell 1 1 x)")
    assert "has no legal move there" in json.loads(result.stdout)["error"]


def test_a_search_is_told_as_it_goes_on() -> None:
    found = answers(*GAME, "--seconds", "0.5", "--every", "0.1", "--option", "solver=false", lines="{}")
    assert len(found) > 1
    assert [each["final"] for each in found] == [False] * (len(found) - 1) + [True]
    assert [each["playouts"] for each in found] == sorted(each["playouts"] for each in found)


def test_people_read_a_sentence() -> None:
    result = asked(*GAME, "--playouts", "50", lines="{}\n(nosuch)")
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()
    assert first.startswith("x: (mark ")
    assert "50 playouts; expects ((mark" in first
    assert second.startswith("error: the position: nosuch")
