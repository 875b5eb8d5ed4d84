import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.extension import board_extension

GAME = """(role white) (init (cell 1 1 b)) (init (control white)) (init (cell 8 8 b))
(<= (legal ?r (move ?a ?b ?x ?y)) (role ?r) (true (cell ?a ?b ?p)) (true (cell ?x ?y ?p)))
"""
EXTENSION = """(boarddimnum 2)
(boardboundaries 1 8)
(boardfunctor cell)
(boardpattern dim dim piece)
(playfunctor move)
(playpattern skip skip dim dim)
"""


def messages(text: str) -> list[str]:
    return [f"{finding.severity}: {finding}" for finding in board_extension(parse_sheet(text, "s"))]


def test_a_sound_extension_and_a_sheet_without_one_have_no_findings() -> None:
    assert messages(EXTENSION + GAME) == []
    assert messages(GAME) == []
    assert messages(EXTENSION + "(boardhexagonal 1 -1) (boardperiods 8 0)" + GAME) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(boardboundaries 1 8)", "", "error: s:1:1: the board extension lacks 'boardboundaries'; add it, such as"),
        ("(playpattern skip skip dim dim)", "", "error: s:1:1: the board extension lacks 'playpattern'; add it"),
        ("(boarddimnum 2)", "(boarddimnum 2 2)", "error: s:1:1: 'boarddimnum' has 2 arguments; give it 1"),
        ("(boarddimnum 2)", "(boarddimnum two)", "error: s:1:1: 'two' is no number of dimensions"),
        ("(boarddimnum 2)", "(boarddimnum 3)", "error: s:4:1: 'boardpattern' has 2 'dim' on a 3-dimensional board"),
        (
            "1 8",
            "8 1",
            "error: s:2:1: '(boardboundaries 8 1)' is no range; give two decimal numbers, the smaller first",
        ),
        (
            "1 8",
            "8 8",
            "error: s:2:1: '(boardboundaries 8 8)' leaves one coordinate; give the smallest and the largest",
        ),
        ("1 8", "1.2 1.4", "error: s:2:1: '(boardboundaries 1.2 1.4)' leaves no integer coordinate; give the smallest"),
        ("1 8", "1 317", "warning: s:2:1: '(boardboundaries 1 317)' describes a board of more than 10000 cells"),
        ("1 8", f"1 {'9' * 400}", f"error: s:2:1: '(boardboundaries 1 {'9' * 400})' is no range"),
        ("1 8", "a h", "error: s:2:1: '(boardboundaries a h)' is no range"),
        (
            "1 8",
            "1 7.5",
            "warning: s:7:57: '(cell 8 8 b)' is on no field of the board; coordinates are integers from 1",
        ),
        ("dim dim piece", "dim dim colour", "error: s:4:1: 'colour' in 'boardpattern' has no meaning; use piece, dim"),
        ("dim dim piece", "dim dim", "error: s:4:1: 'boardpattern' describes 2 arguments, but 'cell' has 3"),
        ("skip skip dim dim", "piece piece dim dim", "error: s:6:1: 'playpattern' has 2 'piece'; mark one"),
        ("skip skip dim dim", "dim dim dim dim", "error: s:6:1: 'playpattern' has 4 'dim' on a 2-dimensional board"),
        (
            "boardfunctor cell",
            "boardfunctor sell",
            "error: s:3:1: no fluent is named 'sell'; use one of: cell, control",
        ),
        ("playfunctor move", "playfunctor put", "error: s:5:1: no move is named 'put'; use one of: move"),
        ("(playfunctor move)", "(playfunctor move) (playfunctor m)", "error: s:5:20: a second 'playfunctor' differs"),
        (
            "(playfunctor move)",
            "(playfunctor ?m)",
            "error: s:5:1: '(playfunctor ?m)' of the board extension is no ground",
        ),
        (
            "(role white)",
            "(<= p (boardfunctor ?x))",
            "error: s:7:7: '(boardfunctor ?x)' of the board extension is a con",
        ),
        ("(boarddimnum 2)", "(boardhexagonal 1 2)", "error: s:1:1: '(boardhexagonal 1 2)' is no diagonal step; write"),
        ("(boarddimnum 2)", "(boardhexagonal 1)", "error: s:1:1: 'boardhexagonal' has 1 argument; give it 2, such as"),
        (
            "(boarddimnum 2)\n(boardboundaries 1 8)\n(boardfunctor cell)\n(boardpattern dim dim piece)",
            "(boardhexagonal 1 -1)\n(boardboundaries 1 8)\n(boardfunctor cell)\n(boardpattern dim skip piece)",
            "error: s:1:1: 'boardhexagonal' on a 1-dimensional board; remove it, or use two",
        ),
        (
            "(boarddimnum 2)",
            "(boardperiods 7 0)",
            "error: s:1:1: '(boardperiods 7 0)' does not say where the board r",
        ),
        (
            "(boarddimnum 2)",
            "(boardperiods 8)",
            "error: s:1:1: '(boardperiods 8)' does not say where the board r",
        ),
    ],
)
def test_a_flaw_of_the_extension_is_found_at_its_place(old: str, new: str, message: str) -> None:
    assert any(found.startswith(message) for found in messages((EXTENSION + GAME).replace(old, new)))
