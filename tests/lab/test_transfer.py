"""The table of starts in expert iteration, and the smaller boards that some of them need."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet, read_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from lab.theses.board_sizes import smaller
from tests.command_line import lab, succeeded
from tests.lab.test_theses import files_in


def sheet_text(name: str) -> str:
    return bundled()[name].read_text("utf-8")


def test_hex_on_a_smaller_board_is_the_bundled_small_one() -> None:
    assert parse_sheet(smaller(sheet_text("hex11.ext"), 5), "hex").digest == read_sheet("hex5.ext").digest


def machine_on(name: str, size: int) -> Machine:
    return load_machine(parse_sheet(smaller(sheet_text(name), size), f"{name}-{size}"), cache=False)


def test_breakthrough_on_a_smaller_board_keeps_its_rows_at_both_ends() -> None:
    machine = machine_on("breakthrough.ext", 6)
    placed = [fact for fact in machine.facts(machine.initial()) if fact.startswith("(cell")]
    rows = {"white": (1, 2), "black": (5, 6)}
    assert sorted(placed) == sorted(f"(cell {x} {y} {who})" for who in rows for x in range(1, 7) for y in rows[who])
    assert len(machine.legal(machine.initial())[0]) == 16
    won = machine.state_of(["(cell 3 6 white)", "(cell 1 5 black)", "(control black)"])
    assert machine.terminal(won)
    assert machine.goals(won) == (100, 0)


def test_gomoku_on_a_smaller_board_has_as_many_moves_as_points() -> None:
    machine = machine_on("gomoku.ext", 11)
    assert len(machine.legal(machine.initial())[0]) == 121


@pytest.mark.parametrize("size", [1, 8, 9])
def test_a_board_that_is_not_smaller_is_refused(size: int) -> None:
    with pytest.raises(ConfigError, match=f"a board of size {size}: the sheet has no larger board; give a smaller"):
        smaller(sheet_text("breakthrough.ext"), size)


def transfer(out: Path, *options: str) -> list[dict[str, object]]:
    small = ("--games", 2, "--games-at-once", 2, "--learning-playouts", 5, "--playouts", 5, "--matches", 2)
    shown = succeeded(lab("transfer", *small, "--out", out, "--executor", "serial", "--json", *options))
    return [json.loads(line) for line in shown.splitlines()]


def test_runs_from_a_source_are_measured_beside_those_from_nothing_and_kept(tmp_path: Path) -> None:
    rows = transfer(tmp_path, "-g", "breakthrough.ext", "--source-games", "3")
    assert [(row["start"], row["games"]) for row in rows] == [
        ("nothing", 1), ("nothing", 2), ("source", 0), ("source", 1), ("source", 2),
    ]  # fmt: skip
    for row in rows:
        assert (row["game"], row["source"], row["matches"]) == ("breakthrough.ext", "breakthrough6", 2)
        assert row["slowdown"] > 1
        assert all(0 <= row[name] <= 100 for name in ("uct", "uct_work", "puct", "puct_work", "last"))
    games = {
        name: json.loads((tmp_path / name / "config.json").read_text())["config"]["expert"]["measured_after"]
        for name in (
            "breakthrough6-correlation",
            "breakthrough.ext-correlation",
            "breakthrough.ext-correlation-started",
        )
    }
    assert list(games.values()) == [[1, 3], [1, 2], [1, 2]]
    kept = files_in(tmp_path, "*.xml")
    assert transfer(tmp_path, "-g", "breakthrough.ext", "--source-games", "3") == rows
    assert files_in(tmp_path, "*.xml") == kept


def test_a_game_without_a_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"othello\.ext has no source to start from; give one of breakthrough\.ext"):
        transfer(tmp_path, "-g", "othello.ext")
