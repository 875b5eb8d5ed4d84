import json
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.reasoner.engines import CircuitEngine
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.trace import check_traces, read_traces, text_hash

Record = dict[str, Any]


@pytest.fixture
def engine() -> CircuitEngine:
    return CircuitEngine(load_machine("tictactoe.ext"))


@pytest.fixture
def record(engine: CircuitEngine) -> Record:
    state, steps = engine.initial(), []
    while not engine.terminal(state):
        legal = engine.legal(state)
        moves = [max(moves) for moves in legal]
        facts = list(engine.facts(state))
        hashes = {"legal_count": [len(moves) for moves in legal], "legal": [text_hash(moves) for moves in legal]}
        steps.append({"fluents": len(facts), "state": text_hash(facts), "moves": moves, **hashes})
        state = engine.next(state, moves)
    facts = list(engine.facts(state))
    steps.append({"fluents": len(facts), "state": text_hash(facts)})
    roles, goals = list(engine.roles), engine.goals(state)
    return {"playout": 7, "roles": roles, "steps": steps, "terminal": True, "goals": goals}


def agreement_of(engine: CircuitEngine, record: Record, folder: Path) -> Any:
    path = folder / "trace.jsonl"
    path.write_text(json.dumps(record) + "\n\n")
    return check_traces(engine, read_traces(path))


def test_a_trace_of_our_own_agrees(engine: CircuitEngine, record: Record, tmp_path: Path) -> None:
    assert agreement_of(engine, record, tmp_path) == (1, len(record["steps"]), None)


def _spoil(record: Record, what: str) -> None:
    step = record["steps"][2]
    if what == "state":
        step["state"] = "0" * 16
    elif what == "legal moves":
        step["legal"][0] = "0" * 16
    elif what == "terminal":
        record["terminal"] = False
    elif what == "goals":
        record["goals"] = [1, 2]
    else:
        record["roles"] = ["nobody"]


STEPS = {"state": 2, "legal moves": 2, "terminal": -1, "goals": -1, "roles": 0}


@pytest.mark.parametrize(("what", "step"), STEPS.items())
def test_the_first_difference_says_playout_step_and_what(
    engine: CircuitEngine, record: Record, tmp_path: Path, what: str, step: int
) -> None:
    _spoil(record, what)
    difference = agreement_of(engine, record, tmp_path).difference
    assert difference is not None
    assert difference.what.startswith(what)
    assert difference.step == step % len(record["steps"])
    assert str(difference).startswith(f"playout 7, step {difference.step}: {what}")


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"playout": 1}', '{"playout":1,"roles":["x","o"],"steps":[{}]}'])
def test_a_line_that_is_no_playout_is_named(engine: CircuitEngine, tmp_path: Path, text: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text("\n" + text)
    with pytest.raises(RecordError, match=r"trace.jsonl:2: "):
        check_traces(engine, read_traces(path))


@pytest.mark.parametrize(("content", "said"), [(b"", "no recorded"), (b" \n", "no recorded"), (b"\xff", "UTF-8")])
def test_a_file_that_holds_no_playout_agrees_with_nothing(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)
    with pytest.raises(RecordError, match=f"t.jsonl: .*{said}"):
        list(read_traces(tmp_path / "t.jsonl"))


def test_the_hash_of_a_set_ignores_order_and_repetition() -> None:
    assert text_hash(["b", "a", "b"]) == text_hash(["a", "b"]) == "fcd127ffa1016069"
