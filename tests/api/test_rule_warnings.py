"""What `agent check` warns of in a rule sheet is told by the library and by the commands that learn."""

import json
import warnings
from pathlib import Path

import pytest

import gdl_miner
from gdl_miner.agent.games import bundled
from gdl_miner.agent.reasoner.checking import sheet_warnings
from gdl_miner.agent.reasoner.machine import load_machine
from tests.command_line import agent, miner, succeeded
from tests.conftest import TINY

# A role that is none, and goals that are always the same.
ODD = """(role a) (role b) (init (turn a)) (number 1) (number 2)
(<= (legal ?r (choose ?n)) (true (turn ?r)) (number ?n)) (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn b)) (does a (choose 1))) (<= (next over) (does a (choose 2))) (<= (next over) (does b (choose ?n)))
(<= (next lost) (does c noop))
(<= terminal (true over)) (<= (goal ?r 50) (role ?r))
"""


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.kif"
    path.write_text(ODD)
    return path


def checked(path: Path) -> list[str]:
    """Return the warnings of `agent check` as lines."""
    found = json.loads(succeeded(agent("check", path, "--json")))["findings"]
    return [
        f"{path}:{each['line']}:{each['column']}: {each['what']}; {each['advice']}"
        for each in found
        if each["severity"] == "warning"
    ]


def told(call: object, *arguments: object, **options: object) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(*arguments, **options)  # type: ignore[operator]
    return found


def test_loading_warns_of_what_the_check_warns_of_and_may_leave_it_out(odd: Path) -> None:
    found = told(gdl_miner.load, odd)
    same = "all {} random matches ended with the same goals"
    expected = [line.replace(same.format(100), same.format(50)) for line in checked(odd)]
    assert len(expected) == 2
    assert [str(each.message) for each in found] == expected
    assert {each.category for each in found} == {gdl_miner.RuleWarning}
    assert {each.filename for each in found} == {__file__}
    assert [str(each.message) for each in told(gdl_miner.load, odd)] == expected  # again, from what was found before
    assert [str(each.message) for each in told(gdl_miner.loads, ODD, str(odd))] == expected
    assert not told(gdl_miner.load, odd, check=False)
    assert not told(gdl_miner.loads, ODD, check=False)


def test_a_name_in_place_of_a_game_warns_where_it_is_given(odd: Path) -> None:
    found = told(gdl_miner.score, odd, "random", "random", matches=2)
    assert len(found) == 2


@pytest.mark.parametrize("game", bundled())
def test_bundled_games_that_are_not_looked_at_have_nothing_to_warn_of(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load_machine(game)
    assert sheet_warnings(machine, 0.0) == []
    monkeypatch.setattr("gdl_miner.agent.reasoner.checking.bundled", dict)
    assert sheet_warnings(machine, 20.0) == []


def test_what_shows_only_in_matches_needs_time(odd: Path) -> None:
    machine = load_machine(odd)
    assert len(sheet_warnings(machine, 20.0)) == 2
    assert sheet_warnings(machine, 0.0) == []


def test_a_command_that_learns_tells_the_warnings_before_it_begins(odd: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    options = ["--game", odd, "--config", tmp_path / "tiny.toml", "--executor", "serial", "--out", tmp_path / "run"]
    result = miner("evolve", *options)
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()
    [first] = [number for number, line in enumerate(lines) if "'c' is no role" in line]
    assert "warning: " in lines[first]
    assert f"{odd}:4:" in lines[first]
    assert first < next(number for number, line in enumerate(lines) if f"run {tmp_path / 'run'}" in line)
    assert "is no role" not in result.stdout
