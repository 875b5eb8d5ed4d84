import json
from pathlib import Path

import pytest
from typer.testing import Result

from tests.cli.conftest import Refusal
from tests.command_line import agent

SOUND = """
(role White) (init (heap 1 full)) (<= (legal ?r take) (role ?r)) (<= (next (heap 1 empty)) (does ?_r take))
(<= terminal (true (heap 1 empty))) (goal white 100)
(boardboundaries 1 2) (boardfunctor heap) (boardpattern dim piece) (playfunctor take) (playpattern)
"""


def check(path: Path, text: str, *options: str) -> Result:
    sheet = path / "heap.kif"
    sheet.write_text(text)
    return agent("check", sheet, *options)


def test_a_sound_sheet_exits_with_0_and_is_described(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND.split("(boardb")[0])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "heap: 3 rules, 3 facts, 6 relations, 1 function; roles White",
        "board: none described",
        "mGDL: conforming",
        "verdict: sound",
    ]


def test_errors_exit_with_1_and_stand_at_their_place(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND)
    assert result.exit_code == 1
    assert f"error: {tmp_path}/heap.kif:4:87: 'playpattern' has 0 'dim' on a 1-dimensional board; mark" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("verdict: not playable: 1 error")


def test_json_tells_the_same_as_the_text(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert not found["sound"]
    assert found["roles"] == ["White"]
    assert [(item["severity"], item["line"]) for item in found["findings"]] == [("error", 4)]
    assert found["mgdl"] == {"conforming": True, "places": []}
    assert found["counts"]["rules"] == 3


@pytest.mark.parametrize("text", ["(role", "(role \x00)", ")"])
def test_an_unreadable_sheet_is_one_line_and_exits_with_2(tmp_path: Path, text: str, refusal: Refusal) -> None:
    sheet = tmp_path / "bad.kif"
    sheet.write_text(text)
    error = refusal("agent", "check", sheet)
    assert error.startswith(f"error: {sheet}:1:")
    assert error.count("\n") == 1
