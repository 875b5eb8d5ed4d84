"""The bundled rule sheets as texts, before any reasoner runs them: roles, boards, checks and layout."""

import re

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.gdl.check import check_sheet, conformance, lint_sheet
from tests.games.plain.games import PLAIN_GAMES


def test_sixteen_games_are_bundled_and_sorted_by_name() -> None:
    assert list(bundled()) == sorted(PLAIN_GAMES)
    assert len(PLAIN_GAMES) == 16


@pytest.mark.parametrize("game", PLAIN_GAMES)
def test_each_sheet_reads_with_its_roles_and_a_board(game: str) -> None:
    sheet = read_sheet(game)
    assert (sheet.name, sheet.roles) == (game, PLAIN_GAMES[game].roles)
    assert sheet.board is not None, "tests/reasoner/discovery/test_bundled_boards.py finds the same board in the rules"


@pytest.mark.parametrize("game", PLAIN_GAMES)
def test_each_sheet_passes_the_check_without_a_finding_or_hint_and_is_mgdl(game: str) -> None:
    sheet = read_sheet(game)
    assert check_sheet(sheet) + lint_sheet(sheet) == []
    assert conformance(sheet).conforming


@pytest.mark.parametrize("game", PLAIN_GAMES)
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
