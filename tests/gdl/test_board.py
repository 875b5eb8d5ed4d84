import pytest

from gdl_miner.agent.gdl import Board, parse_sheet

EXTENSION = """
(boarddimnum 2) (boardboundaries 1 8.5) (boardfunctor Cell) (boardpattern dim dim piece)
(playfunctor move) (playpattern skip skip dim dim piece)
"""


def board(text: str = EXTENSION) -> Board:
    found = parse_sheet(text).board
    assert found is not None
    return found


def test_the_extension_describes_the_board() -> None:
    assert board() == Board(
        2, 1.0, 8.5, "cell", ("dim", "dim", "piece"), "move", ("skip", "skip", "dim", "dim", "piece")
    )


def test_boardrelation_is_another_word_for_boardfunctor_and_the_dimension_may_be_left_out() -> None:
    assert board(EXTENSION.replace("boardfunctor", "boardrelation").replace("(boarddimnum 2)", "")) == board()


@pytest.mark.parametrize(
    ("fluent", "field"),
    [
        ("(cell 1 8 b)", ((1, 8), "b")),
        ("(cell 1 8 (pawn white))", ((1, 8), "(pawn white)")),
        ("(cell 0 8 b)", None),
        ("(cell 9 8 b)", None),
        ("(cell a 8 b)", None),
        ("(cell 1 8)", None),
        ("(cells 1 8 b)", None),
        ("(control white)", None),
        ("cell", None),
    ],
)
def test_a_board_fluent_has_a_point_and_a_piece(fluent: str, field: object) -> None:
    assert board().field(fluent) == field


@pytest.mark.parametrize(
    ("move", "target"),
    [
        ("(move 1 1 2 3 rook)", ((2, 3), "rook")),
        ("(move 1 1 2 9 rook)", (None, "rook")),
        ("(move 1 1)", (None, None)),
        ("noop", (None, None)),
    ],
)
def test_a_move_has_a_target_and_a_piece_where_it_names_them(move: str, target: object) -> None:
    assert board().target(move) == target


def test_a_pattern_without_piece_gives_none() -> None:
    plain = board(EXTENSION.replace("dim dim piece", "dim dim skip"))
    assert plain.field("(cell 1 2 x)") == ((1, 2), None)
    assert plain.target("(move 0 0 1 2 x)") == ((1, 2), None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(boardboundaries 1 8.5)", ""),
        ("1 8.5", "8 1"),
        ("1 8.5", "a h"),
        ("boarddimnum 2", "boarddimnum 3"),
        ("(boardpattern dim dim piece)", "(boardpattern dim dim colour)"),
        ("(boardpattern dim dim piece)", "(boardpattern piece dim dim piece)"),
        ("(playpattern skip", "(playpattern dim"),
        ("(playfunctor move)", "(playfunctor move) (playfunctor put)"),
        ("(playfunctor move)", "(playfunctor ?x)"),
    ],
)
def test_an_unsound_extension_is_no_board(old: str, new: str) -> None:
    assert parse_sheet(EXTENSION.replace(old, new)).board is None


def test_a_sheet_without_the_extension_has_no_board() -> None:
    assert parse_sheet("(role x)").board is None


@pytest.mark.parametrize(
    ("pattern", "move", "path"),
    [
        ("skip skip dim dim piece", "(move 1 2 1 3 white)", ((1, 2), (1, 3))),
        ("skip skip dim dim piece", "(move dummy dummy 1 3 white)", ((1, 3),)),
        ("skip skip dim dim piece", "(move 1 9 1 3 white)", ((1, 3),)),
        ("skip skip dim dim piece", "(move 1 2 a 3 white)", ()),
        ("dim dim", "(move 1 3)", ((1, 3),)),
        ("skip piece skip skip dim dim", "(move 4 wp 5 6 7 8)", ((5, 6), (7, 8))),
        ("skip skip skip skip skip dim dim", "(move 4 1 1 3 3 5 5)", ((1, 1), (3, 3), (5, 5))),
        ("dim dim skip skip", "(move 1 3 5 5)", ((5, 5), (1, 3))),
        ("dim dim", "noop", ()),
    ],
)
def test_the_path_of_a_move_is_the_fields_it_names(pattern: str, move: str, path: tuple[tuple[int, int], ...]) -> None:
    text = EXTENSION.replace("(playpattern skip skip dim dim piece)", f"(playpattern {pattern})")
    assert board(text).path(move) == path
