"""The bundled rule sheets as texts, before any reasoner runs them: roles, boards, checks and layout."""

import re

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import Board, read_sheet
from gdl_miner.agent.gdl.check import check_sheet, conformance, lint_sheet

BOARDS = {
    "amazons.ext": Board(2, 1, 10, "cell", ("dim", "dim", "piece"), "play", ("skip", "skip", "dim", "dim", "piece")),
    "breakthrough.ext": Board(
        2, 1, 8, "cell", ("dim", "dim", "piece"), "move", ("skip", "skip", "dim", "dim", "piece")
    ),
    "checkers.ext": Board(
        2, 1, 8, "cell", ("dim", "dim", "piece"), "mark", ("skip", "piece", *["skip"] * 6, "dim", "dim")
    ),
    "connectfour.ext": Board(2, 1, 8, "cell", ("dim", "dim", "piece"), "play", ("dim", "dim", "piece")),
    "connectfour7.ext": Board(2, 1, 7, "cell", ("dim", "dim", "piece"), "play", ("dim", "dim", "piece")),
    "cubicup.ext": Board(3, 1, 6, "cube", ("dim", "dim", "dim", "piece"), "put", ("dim", "dim", "dim", "piece")),
    "fanorona.ext": Board(
        2, 1, 9, "cell", ("dim", "dim", "piece"), "move", ("skip", "skip", "dim", "dim", "piece", "skip")
    ),
    "gomoku.ext": Board(2, 1, 15, "cell", ("dim", "dim", "piece"), "place", ("dim", "dim", "piece")),
    "hex11.ext": Board(2, 1, 11, "cell", ("dim", "dim", "piece"), "place", ("dim", "dim", "piece"), hexagonal=(1, -1)),
    "hex5.ext": Board(2, 1, 5, "cell", ("dim", "dim", "piece"), "place", ("dim", "dim", "piece"), hexagonal=(1, -1)),
    "knightthrough.ext": Board(
        2, 1, 8, "cell", ("dim", "dim", "piece"), "move", ("skip", "skip", "dim", "dim", "piece")
    ),
    "othello.ext": Board(2, 1, 8, "cell", ("dim", "dim", "piece"), "place", ("dim", "dim", "piece")),
    "teeko.ext": Board(2, 1, 5, "cell", ("dim", "dim", "piece"), "move", ("skip", "skip", "dim", "dim", "piece")),
    "tictactoe.ext": Board(2, 1, 3, "cell", ("dim", "dim", "piece"), "mark", ("dim", "dim", "piece")),
    "tictactoe5.ext": Board(2, 1, 5, "cell", ("dim", "dim", "piece"), "mark", ("dim", "dim", "piece")),
    "yavalath.ext": Board(
        2, 1, 9, "cell", ("dim", "dim", "piece"), "place", ("dim", "dim", "piece"), hexagonal=(1, -1)
    ),
}

ROLES = {
    "amazons.ext": ("white", "black"),
    "breakthrough.ext": ("white", "black"),
    "checkers.ext": ("white", "black"),
    "connectfour.ext": ("white", "red"),
    "connectfour7.ext": ("white", "red"),
    "cubicup.ext": ("yellow", "red"),
    "fanorona.ext": ("white", "black"),
    "gomoku.ext": ("black", "white"),
    "hex11.ext": ("red", "blue"),
    "hex5.ext": ("red", "blue"),
    "knightthrough.ext": ("white", "black"),
    "othello.ext": ("black", "white"),
    "teeko.ext": ("black", "red"),
    "tictactoe.ext": ("x", "o"),
    "tictactoe5.ext": ("x", "o"),
    "yavalath.ext": ("white", "black"),
}


def test_sixteen_games_are_bundled_and_sorted_by_name() -> None:
    assert list(bundled()) == sorted(BOARDS)


@pytest.mark.parametrize("game", BOARDS)
def test_each_sheet_reads_with_its_roles_and_board(game: str) -> None:
    sheet = read_sheet(game)
    assert sheet.name == game
    assert sheet.roles == ROLES[game]
    assert sheet.board == BOARDS[game]


@pytest.mark.parametrize("game", BOARDS)
def test_each_sheet_passes_the_check_without_a_finding_or_hint_and_is_mgdl(game: str) -> None:
    sheet = read_sheet(game)
    assert check_sheet(sheet) + lint_sheet(sheet) == []
    assert conformance(sheet).conforming


@pytest.mark.parametrize("game", BOARDS)
def test_each_sheet_opens_with_a_description_and_stays_within_the_page(game: str) -> None:
    text = bundled()[game].read_text(encoding="utf-8")
    comments = re.match(r"(?:;.*\n)+", text)
    assert comments is not None
    title, blank, *description = comments.group().splitlines()
    assert len(title) > len("; ")
    assert blank == ";"
    assert len(description) >= 2
    assert max(map(len, text.splitlines())) <= 120
    assert "\t" not in text
