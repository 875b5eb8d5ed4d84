"""`agent replay`: recorded matches, checked against the rules."""

import json
import re
from pathlib import Path

import pytest

from gdl_miner.agent.errors import RecordError
from tests.command_line import agent


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "match.xml"
    played = agent("play", "--game", "tictactoe.ext", "--playouts", "30", "--seed", "3", "--record", str(path))
    assert played.exit_code == 0
    return path


def test_a_replay_shows_moves_positions_and_the_result(record: Path) -> None:
    shown = agent("replay", "--game", "tictactoe.ext", str(record)).stdout
    assert shown.startswith("match ")
    assert "  3 · · ·\n  2 · · ·\n  1 · · ·\n    1 2 3\n   1  x (mark " in shown
    assert shown.count("    1 2 3\n") == len(re.findall(r"^ +\d+  [xo] \(mark", shown, re.MULTILINE)) + 1 > 5
    assert shown.splitlines()[-1].startswith("result: x ")
    assert "1 2 3" not in agent("replay", "--game", "tictactoe.ext", str(record), "--no-board").stdout


def test_json_has_every_step(record: Path) -> None:
    match = json.loads(agent("replay", "--game", "tictactoe.ext", str(record), "--json").stdout)
    assert match["steps"][-1]["moves"] is None
    assert all(len(step["moves"]) == 2 for step in match["steps"][:-1])
    assert len(match["goals"]) == 2


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (r"<Score>\d+<", "<Score>37<", "but the rules give"),
        (r"<MoveFact>\(mark . . x\)<", "<MoveFact>noop<", "x cannot play noop"),
        (r"<Fact>\(control x\)<", "<Fact>(control o)<", "not the state the rules lead to"),
        (r"</Matches>", "", "replayed.xml"),
    ],
)
def test_a_record_that_the_rules_contradict_is_refused(
    old: str, new: str, problem: str, record: Path, tmp_path: Path
) -> None:
    text = record.read_text()
    (tmp_path / "replayed.xml").write_text(re.sub(old, new, text, count=1))
    result = agent("replay", "--game", "tictactoe.ext", str(tmp_path / "replayed.xml"))
    assert isinstance(result.exception, RecordError)
    assert problem in str(result.exception)


def test_a_match_that_is_not_in_the_record_is_named(record: Path) -> None:
    assert "no match nix; it has" in str(
        agent("replay", "--game", "tictactoe.ext", str(record), "--match", "nix").exception
    )


def test_a_record_of_another_game_or_of_none_is_refused(record: Path, tmp_path: Path) -> None:
    assert agent("replay", "--game", "connectfour.ext", str(record)).exit_code != 0
    assert "nowhere.xml" in str(agent("replay", "--game", "tictactoe.ext", str(tmp_path / "nowhere.xml")).exception)
