"""Pieces of two owners never look alike."""

import itertools
import random

import pytest

from gdl_miner.agent.board import draw_piece, looks_of, picture_of
from gdl_miner.agent.board.looks import NOBODY, drawn_names
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine

# Two roles put stones of their own on four fields; the names tell no colour, and begin alike.
STONES = """
(role first) (role second) (init (control first)) (init (cell 1 1 free)) (init (cell 1 2 free)) (init (cell 2 1 free))
(init (cell 2 2 free)) (piece first pebble1) (piece second pebble2) (other first second) (other second first)
(<= (legal ?r (put ?x ?y ?p)) (true (control ?r)) (piece ?r ?p) (true (cell ?x ?y free)))
(<= (legal ?r noop) (true (control ?q)) (other ?q ?r))
(<= (next (cell ?x ?y ?p)) (does ?r (put ?x ?y ?p)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (put ?u ?v ?q)) (distinct ?x ?u))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (put ?u ?v ?q)) (distinct ?y ?v))
(<= (next (control ?q)) (true (control ?r)) (other ?r ?q))
(<= open (true (cell ?x ?y free))) (<= terminal (not open)) (goal first 50) (goal second 50)
(boarddimnum 2) (boardboundaries 1 2) (boardfunctor cell) (boardpattern dim dim piece)
(playfunctor put) (playpattern dim dim piece)
"""

NAMES = (
    "pebble1",
    "pebble2",
    "king",
    "king-2",
    "x",
    "o",
    "white",
    "white-x",
    "black-x",
    "wk",
    "bk",
    "wall",
    "wall-2",
    "gold",
    "golden",
    "p",
    "m",
)


def look(piece: str, drawn: dict[str, str]) -> str:
    return draw_piece(drawn.get(piece, piece), 0.0, 0.0, "piece")


@pytest.mark.parametrize("seed", range(60))
def test_no_two_owners_have_pieces_that_look_alike(seed: int) -> None:
    dice = random.Random(seed)
    roles = tuple(dice.sample(["white", "black", "first", "second", "red"], dice.choice([2, 2, 3])))
    pieces = tuple(sorted(dice.sample(NAMES, dice.randrange(2, 9))))
    owners = tuple(dice.choice([NOBODY, *range(len(roles))]) for _ in pieces)
    drawn = dict(drawn_names(pieces, owners, roles))
    for (one, owner), (other, another) in itertools.combinations(zip(pieces, owners, strict=True), 2):
        if owner != another and NOBODY not in (owner, another):
            assert look(one, drawn) != look(other, drawn), (one, other, drawn)


def test_a_piece_without_a_colour_has_that_of_its_owner_known_from_play() -> None:
    machine = load_machine(parse_sheet(STONES, "stones"))
    looks = looks_of(machine)
    assert dict(looks) == {"pebble1": "white pebble1", "pebble2": "black pebble2"}
    assert machine.board is not None
    facts = ["(cell 1 1 pebble1)", "(cell 1 2 pebble2)"]
    plain, told = (picture_of(machine.board, machine.fluents, facts, str, looks=each).svg() for each in ({}, looks))
    assert 'class="disc white"' not in plain
    assert told.count('class="disc white"') == told.count('class="disc black"') == 1
    assert "pebble1 1 1" in told


@pytest.mark.parametrize("name", sorted(bundled()))
def test_pieces_of_bundled_games_are_drawn_by_their_names(name: str) -> None:
    assert not looks_of(load_machine(name))
