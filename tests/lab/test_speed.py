import json

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from lab.speed.puzzles import measure_puzzle
from tests.command_line import lab, succeeded
from tests.search.test_puzzles import TILES


def rows(*arguments: str) -> list[dict[str, object]]:
    shown = succeeded(lab(*arguments, "--seconds", 0.05, "--json"))
    return [json.loads(line) for line in shown.splitlines()]


def test_playouts_stand_beside_the_figures_of_other_systems():
    (row,) = rows("playouts", "--game", "amazons.ext")
    assert row["rbg"] == 27_600
    assert row["times_rbg"] == row["playouts_per_cpu_s"] / 27_600


def test_environments_are_timed_beside_the_lanes():
    small, large = rows("environments", "--game", "tictactoe.ext", "--size", "64", "--size", "512", "--rounds", "2")
    assert (small["size"], large["size"]) == (64, 512)
    assert large["many"] == large["many_steps_per_s"] / large["lanes_states_per_s"]
    assert large["many"] > 2 * large["loop"] > 0


def test_the_stages_of_search_make_up_its_time():
    (row,) = rows("search", "--game", "tictactoe.ext", "--playouts", "20", "--lanes", "64", "--rounds", "2")
    stages = [row[stage] for stage in ("load", "evaluate", "goals", "read", "list", "tree", "choose", "advance")]
    assert abs(sum(stages) - 1) < 1e-9
    assert min(stages) > 0


def test_values_of_states_are_timed_with_small_and_large_networks():
    small, large = rows("values", "--game", "breakthrough.ext")
    assert (small["shapes"], large["shapes"]) == ("auto", "large")
    assert small["weights"] < large["weights"]
    assert small["tuples"] > large["tuples"]
    assert 0 < large["value_us"] < small["value_us"] < 200


def test_a_corpus_is_measured_game_by_game_and_summed_up(tmp_path):
    sheets = tmp_path / "corpus" / "games"
    sheets.mkdir(parents=True)
    for game in ("tictactoe.ext", "breakthrough.ext"):
        (sheets / f"{game}.kif").write_text(bundled()[game].read_text())
    measured = rows("corpus", "--shared", str(tmp_path))
    assert {row["game"] for row in measured} == {"tictactoe.ext", "breakthrough.ext"}
    products = [row["literals"] * row["states_per_cpu_s"] for row in measured]
    assert products == sorted(products, reverse=True)
    assert products == [row["literals_per_cpu_s"] for row in measured]
    assert "quartiles" in succeeded(lab("corpus", "--shared", tmp_path, "--seconds", 0.05))


def test_a_corpus_that_is_not_there_is_a_mistake_of_the_user(tmp_path):
    with pytest.raises(ConfigError, match="--shared"):
        rows("corpus", "--shared", str(tmp_path))


def test_games_beyond_the_budget_are_left_out(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rows("playouts", "-g", "tictactoe.ext")  # this caches its circuit
    (kept,) = rows("playouts", "-g", "amazons.ext", "-g", "tictactoe.ext", "--budget-memory", "1")
    assert kept["game"] == "tictactoe.ext"
    with pytest.raises(ConfigError, match="no game is left"):
        rows("playouts", "-g", "amazons.ext", "--budget-memory", "1")


def test_a_game_of_one_role_is_played_with_both_searches() -> None:
    row = measure_puzzle(load_machine(parse_sheet(TILES)), 0.3, 0.05, threads=1, with_uct=True, seed=1)
    assert row["largest_goal"] == 100
    assert row["puzzle"] == row["line_after_start"]
    assert isinstance(row["uct"], int)
    assert isinstance(row["puzzle"], int)
    assert row["puzzle"] >= row["uct"]


def test_other_games_are_left_out_of_the_puzzles() -> None:
    assert succeeded(lab("puzzles", "--game", "tictactoe.ext", "--json")) == ""
