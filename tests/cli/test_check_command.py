import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent import __main__ as program
from gdl_miner.agent import cli
from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.reasoner.machine import load_machine

SOUND = """
(role White) (init (heap 1 full)) (<= (legal ?r take) (role ?r)) (<= (next (heap 1 empty)) (does ?_r take))
(<= terminal (true (heap 1 empty))) (goal white 100)
(boardboundaries 1 2) (boardfunctor heap) (boardpattern dim piece) (playfunctor take) (playpattern)
"""


def check(path: Path, text: str, *options: str) -> Result:
    sheet = path / "heap.kif"
    sheet.write_text(text)
    return CliRunner().invoke(cli.app, ["check", str(sheet), *options])


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
def test_an_unreadable_sheet_is_one_line_and_exits_with_2(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "bad.kif"
    sheet.write_text(text)
    monkeypatch.setattr("sys.argv", ["agent", "check", str(sheet)])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"error: {sheet}:1:")
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_gdl_ii_is_refused_by_name_before_it_is_compiled(tmp_path: Path) -> None:
    sheet = tmp_path / "dice.kif"
    sheet.write_text(SOUND.split("(boardb")[0] + "(<= (sees white ?m) (does black ?m))")
    with pytest.raises(RuleError, match=r"'\(sees white \?m\)' is GDL-II; this program plays games"):
        load_machine(str(sheet), cache=False)
