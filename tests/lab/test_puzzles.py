"""`scripts/lab puzzles` plays single players by the clock and leaves other games out."""

from typer.testing import CliRunner

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from lab.speed.puzzles import measure_puzzle
from lab.studies import app
from tests.search.test_puzzles import TILES


def test_a_game_of_one_role_is_played_with_both_searches() -> None:
    row = measure_puzzle(load_machine(parse_sheet(TILES)), 0.3, 0.05, threads=1, with_uct=True, seed=1)
    assert row["largest_goal"] == 100
    assert row["puzzle"] == row["line_after_start"]
    assert isinstance(row["uct"], int)
    assert isinstance(row["puzzle"], int)
    assert row["puzzle"] >= row["uct"]


def test_other_games_are_left_out() -> None:
    result = CliRunner().invoke(app, ["puzzles", "--game", "tictactoe.ext", "--json"], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (0, "")
