"""Patterns that say whose pieces they see: own and enemy ones of the role that moves."""

import pytest

from gdl_miner.agent.features import FeatureRelPattern, feature_in_words
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.gdl import Board, parse_sheet
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.geometry.geometry import NOBODY
from gdl_miner.agent.reasoner.machine import load_machine
from tests.geometry.imaginary_games import SQUARE, cube, game

PLAIN: Display = str

OWNERS = {
    "amazons.ext": {"white": "white", "black": "black", "arrow": None},
    "breakthrough.ext": {"white": "white", "black": "black"},
    "checkers.ext": {"wp": "white", "wk": "white", "bp": "black", "bk": "black"},
    "othello.ext": {"black": "black", "white": "white"},
    "tictactoe.ext": {"x": "x", "o": "o"},
}


def ray(*entries: str) -> FeatureRelPattern:
    """Return a pattern of a field, and of those to its right and to its upper right."""
    places = {4: entries[0], 7: entries[1], 8: entries[2]}
    return FeatureRelPattern(1, tuple(places.get(place, "any") for place in range(9)))


def test_a_pattern_sees_the_same_position_from_both_sides() -> None:
    geometry = SQUARE.geometry
    assert geometry.owners == (0, 1)
    position = Position.of(geometry, SQUARE.state(["(cell 3 2 b)", "(cell 3 3 w)"]))
    red, black = SQUARE.row(0, "(mark 2 2 b)"), SQUARE.row(1, "(mark 2 2 b)")
    pattern = ray("empty", "own", "enemy")
    assert pattern.fires(position, red)
    assert not pattern.fires(position, black)
    assert ray("empty", "enemy", "own").fires(position, black)
    assert ray("empty", "b", "w").fires(position, red)
    assert ray("empty", "b", "w").fires(position, black)


def test_pieces_of_nobody_keep_their_names_beside_own_and_enemy() -> None:
    stones = cube(name="stones", low=1, high=4, dimensions=2, pieces=("b", "s", "w"), roles=("red", "black"))
    geometry = stones.geometry
    assert geometry.owners == (0, 1, NOBODY)  # imaginary roles own the first pieces
    position = Position.of(geometry, stones.state(["(cell 3 2 b)", "(cell 3 3 w)"]))
    pattern = ray("empty", "enemy", "w")
    assert pattern.misfit(geometry, 1) is None
    assert pattern.fires(position, stones.row(1, "(mark 2 2 b)"))
    assert not pattern.fires(position, stones.row(0, "(mark 2 2 b)"))


def test_misfits_of_own_and_enemy_say_what_to_do() -> None:
    assert ray("empty", "own", "enemy").misfit(SQUARE.geometry, 0) is None
    assert "write own or enemy there" in (ray("b", "own", "any").misfit(SQUARE.geometry, 0) or "")
    unowned = load_machine(parse_sheet(UNOWNED, "unowned"))
    assert "no piece of the board belongs" in (ray("own", "any", "any").misfit(geometry_of(unowned), 0) or "")


UNOWNED = """
(role one) (init (cell 1 1 x)) (init (cell 1 2 x)) (init (cell 2 1 x)) (init (cell 2 2 x))
(legal one wait) (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p))) (<= terminal (true (cell 3 3 x))) (goal one 0)
(<= (legal one (put 3 3)) (true (cell 1 1 y))) (<= (next (cell 3 3 x)) (does one (put 3 3)))
(boarddimnum 2) (boardboundaries 1 3) (boardfunctor cell) (boardpattern dim dim piece)
(playfunctor put) (playpattern dim dim)
"""


def test_a_game_with_a_piece_called_own_keeps_its_meaning() -> None:
    board = Board(2, 1.0, 2.0, "cell", ("dim", "dim", "piece"), "mark", ("dim", "dim", "piece"))
    fluents = [f"(cell {x} {y} {piece})" for x in (1, 2) for y in (1, 2) for piece in ("own", "x")]
    named = game("named", board, fluents, {"red": ["(mark 1 1 x)"], "black": ["noop"]})
    geometry = named.geometry
    assert geometry.owners == (NOBODY, NOBODY)
    pattern = FeatureRelPattern(1, ("any",) * 4 + ("own",) + ("any",) * 4)
    assert not pattern.is_relative(geometry)
    assert pattern.fires(Position.of(geometry, named.state(["(cell 1 1 own)"])), 0)


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_moves_show_whose_pieces_are(name: str) -> None:
    machine = load_machine(name)
    geometry = geometry_of(machine)
    found = {
        piece: None if owner == NOBODY else machine.roles[owner]
        for piece, owner in zip(geometry.pieces, geometry.owners, strict=True)
    }
    assert found == OWNERS[name]


def test_words_say_whose_pieces_are() -> None:
    pattern = FeatureRelPattern(1, ("any",) * 4 + ("own",) + ("any",) * 3 + ("enemy",))
    assert feature_in_words(pattern, None, PLAIN) == "an own piece on its field; an enemy piece at (+1, +1) from it"
