"""Games without a circuit in every command. Any game can be tested so, because the engine may be chosen."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.trace import text_hash
from tests.command_line import agent
from tests.reasoner.test_limits import ENDLESS


def test_perft_counts_alike_on_all_engines() -> None:
    def levels(kind: str) -> object:
        return json.loads(agent("perft", "-g", "cubicup.ext", "-d", "2", "--engine", kind, "--json").stdout)["levels"]

    assert levels("interpreter") == levels("circuit")


def test_too_many_joint_moves_are_told(tmp_path: Path) -> None:
    roles = [f"r{number}" for number in range(9)]
    sheet = tmp_path / "many.kif"
    sheet.write_text(
        " ".join(f"(role {role}) (m {role})" for role in roles)
        + "(init s) (<= (legal ?r ?m) (role ?r) (m ?m)) (<= terminal (not (true s))) (<= (goal ?r 50) (role ?r))"
    )
    found = agent("perft", "--game", sheet, "--depth", "1")
    assert "a state has 387,420,489 joint moves, and at most 10,000,000 are tried" in str(found.exception)


def test_play_plays_a_match_and_says_by_what() -> None:
    result = json.loads(
        agent(
            "play", "-g", "tictactoe.ext", "--engine", "interpreter", "--playouts", "4", "--o", "random", "--json"
        ).stdout
    )
    assert result["engine"] == "interpreter"
    assert result["reproducible"]
    assert sum(result["goals"]) == 100
    assert result["playouts"][0] >= 4


def test_bench_measures_playouts_and_searches() -> None:
    command = ("bench", "-g", "tictactoe.ext", "--engine", "interpreter", "--seconds", "0.4", "--json")
    walked = json.loads(agent(*command).stdout)
    assert walked["states_per_s"] > 1
    assert 5 <= walked["mean_length"] <= 9
    searched = json.loads(agent(*command, "--search", "--playouts", "3").stdout)
    assert searched["playouts_per_s"] > 1
    assert searched["engine"] == walked["engine"] == "interpreter"


@pytest.mark.parametrize("engine", ["interpreter", "circuit", "auto"])
def test_a_trace_is_held_against_the_engine_asked_for(engine: str, tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    state = machine.initial()
    legal = [[machine.circuit.moves[row] for row in rows] for rows in machine.legal(state)]
    joint = [moves[0] for moves in legal]
    first = {"fluents": len(machine.facts(state)), "state": text_hash(machine.facts(state))}
    first |= {"legal_count": list(map(len, legal)), "legal": list(map(text_hash, legal)), "moves": joint}
    facts = machine.facts(machine.next(state, [machine.row(role, move) for role, move in enumerate(joint)]))
    steps = [first, {"fluents": len(facts), "state": text_hash(facts)}]
    playout = {"playout": 0, "roles": ["x", "o"], "steps": steps, "terminal": False, "goals": None}
    trace = tmp_path / "trace.jsonl"
    trace.write_text(json.dumps(playout))
    good = agent("trace", "-g", "tictactoe.ext", "--check", str(trace), "--engine", engine)
    assert (good.exit_code, "agrees on 1 playouts, 2 states" in good.stdout) == (0, True)
    trace.write_text(json.dumps(playout | {"terminal": True}))
    assert agent("trace", "-g", "tictactoe.ext", "--check", str(trace), "--engine", engine).exit_code == 1


def test_knowledge_and_records_are_refused_without_a_circuit(tmp_path: Path) -> None:
    (tmp_path / "k.xml").write_text("<knowledge/>")
    slow = ("play", "-g", "tictactoe.ext", "--engine", "interpreter", "--playouts", "1")
    assert "this player needs a circuit" in str(agent(*slow, "--x", str(tmp_path / "k.xml")).exception)
    assert "records need a circuit" in str(agent(*slow, "--record", str(tmp_path / "m.xml")).exception)


def test_an_engine_that_cannot_play_a_game_says_so(tmp_path: Path) -> None:
    sheet = tmp_path / "endless.kif"
    sheet.write_text(ENDLESS)
    result = agent("play", "-g", str(sheet), "--engine", "circuit")
    assert "endless.kif:1:35: the rule for '(number (s ?x))' builds ever larger terms of ?x" in str(result.exception)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["perft", "-d", "1", "--engine", "circuit"], "does not fit the budget of 1 MiB"),
        (["table"], "the table needs a circuit"),
        (["replay", "nosuch.xml"], "give it more, or simplify the rules"),
    ],
)
def test_memory_that_does_not_suffice_is_told(
    command: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = agent(*command, "--game", "amazons.ext", "--budget-memory", "1")
    assert isinstance(result.exception, BudgetError)
    assert message in str(result.exception)


def test_a_game_that_is_too_large_for_the_memory_is_interpreted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    described = json.loads(agent("info", "amazons.ext", "--budget-memory", "1", "--json").stdout)
    assert described["engine"] == "interpreter"
    assert "budget of 1 MiB" in described["why"]
