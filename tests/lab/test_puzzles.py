"""`scripts/lab puzzles` plays single players by the clock and leaves other games out."""

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from lab.speed.puzzles import PuzzleClocks, measure_puzzles
from tests.search.test_puzzles import TILES


def test_each_game_of_one_role_is_played_with_both_searches() -> None:
    games = [("tiles", load_machine(parse_sheet(TILES))), ("tictactoe.ext", load_machine("tictactoe.ext"))]
    rows = list(measure_puzzles(games, clocks=PuzzleClocks(0.3, 0.05), threads=1, with_uct=True, seed=1))
    assert [row["game"] for row in rows] == ["tiles"]
    assert rows[0]["largest_goal"] == 100
    assert rows[0]["puzzle"] == rows[0]["line_after_start"]
    assert isinstance(rows[0]["uct"], int)
    assert isinstance(rows[0]["puzzle"], int)
    assert rows[0]["puzzle"] >= rows[0]["uct"]
