"""The board found in a bundled sheet without its board facts is the one that the facts describe."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.reasoner.discovery import Discovery, FoundBoard
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.gdl.test_renaming import scrambled

EXTENTS = {
    "amazons.ext": (10, 10),
    "breakthrough.ext": (8, 8),
    "checkers.ext": (8, 8),
    "connectfour.ext": (8, 6),
    "connectfour7.ext": (7, 6),
    "cubicup.ext": (6, 6, 6),
    "fanorona.ext": (9, 5),
    "gomoku.ext": (15, 15),
    "hex11.ext": (11, 11),
    "hex5.ext": (5, 5),
    "knightthrough.ext": (8, 8),
    "othello.ext": (8, 8),
    "teeko.ext": (5, 5),
    "tictactoe.ext": (3, 3),
    "tictactoe5.ext": (5, 5),
    "yavalath.ext": (9, 9),
}
SOURCES = {
    "amazons.ext": (0, 1),
    "breakthrough.ext": (0, 1),
    "checkers.ext": (6, 7),
    "fanorona.ext": (0, 1),
    "knightthrough.ext": (0, 1),
    "teeko.ext": (0, 1),
}


def stripped(name: str) -> str:
    """Return the text of a bundled sheet without its board facts."""
    text = Path(read_sheet(name).source).read_text("utf-8")
    return re.sub(rf"\(({'|'.join(EXTENSION)})\s[^)]*\)", "", text)


def sheet_of(text: str, name: str) -> RuleSheet:
    sheet = parse_sheet(text, name)
    assert sheet.board is None
    return sheet


@pytest.fixture(scope="module", params=bundled())
def machine(request: pytest.FixtureRequest) -> Machine:
    name = str(request.param)
    return load_machine(sheet_of(stripped(name), name))


def test_the_board_found_is_the_board_declared(machine: Machine) -> None:
    name = machine.sheet.name
    assert machine.board == read_sheet(name).board
    assert machine.discovery.kind == "grid"
    [main] = machine.discovery.boards
    assert main.extents == EXTENTS[name]
    assert main.exclusive


def test_fields_pieces_and_targets_are_those_of_the_declared_board(machine: Machine) -> None:
    found, declared = geometry_of(machine), geometry_of(load_machine(machine.sheet.name))
    assert found.points.tolist() == declared.points.tolist()
    assert found.pieces == declared.pieces
    assert found.moves == declared.moves
    assert found.move_target.tolist() == declared.move_target.tolist()
    assert found.move_piece.tolist() == declared.move_piece.tolist()


def test_pieces_leave_the_source_of_a_move(machine: Machine) -> None:
    [main] = machine.discovery.boards
    [move] = main.moves
    assert move.source == SOURCES.get(machine.sheet.name, ())


def test_a_declaration_wins() -> None:
    text = stripped("tictactoe.ext") + (
        "(boarddimnum 1) (boardboundaries 1 3) (boardfunctor cell) (boardpattern dim skip piece)"
        "(playfunctor mark) (playpattern dim skip piece)"
    )
    machine = load_machine(parse_sheet(text, "tictactoe.ext"))
    assert machine.board == machine.sheet.board
    assert machine.board is not None
    assert machine.board.dimensions == 1
    assert machine.discovery.boards[0].extents == (3, 3)


def shape(board: FoundBoard) -> FoundBoard:
    """Return what does not depend on names: coordinates and places of arguments, and numbers of values and pieces."""
    blank = tuple("" for _ in board.pieces)
    moves = tuple(replace(move, functor="") for move in board.moves)
    names = tuple(tuple("" for _ in own) for own in board.names)
    return replace(board, relation="", relations=("",) * len(board.relations), names=names, pieces=blank, moves=moves)


def shapes(found: Discovery) -> list[FoundBoard]:
    return [shape(board) for board in found.boards]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_names_and_another_order_of_rules_change_nothing(machine: Machine, seed: int) -> None:
    """Integers keep their names: in a sheet that names every line, they alone are in order."""
    name = machine.sheet.name
    rules = rule_texts(scrambled(stripped(name), seed, integers=False))
    random.Random(seed).shuffle(rules)
    roles = [rule for rule in rules if rule.startswith("(role")]
    other = load_machine(parse_sheet("\n".join(roles + [rule for rule in rules if rule not in roles]), name))
    assert shapes(other.discovery) == shapes(machine.discovery)


STEPPING = ("amazons.ext", "breakthrough.ext", "checkers.ext", "connectfour.ext", "cubicup.ext", "othello.ext")


@pytest.mark.parametrize("name", STEPPING)
def test_other_names_of_integers_change_nothing_where_the_rules_step_along_them(name: str) -> None:
    ours = load_machine(sheet_of(stripped(name), name))
    theirs = load_machine(parse_sheet(scrambled(stripped(name), 7, integers=True), name))
    assert shapes(theirs.discovery) == shapes(ours.discovery)


def rule_texts(text: str) -> list[str]:
    """Split a text into its top-level expressions."""
    found, depth, begin = [], 0, 0
    for place, character in enumerate(text):
        if character == "(":
            begin = place if depth == 0 else begin
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                found.append(text[begin : place + 1])
    return found


@pytest.mark.parametrize("name", STEPPING)
def test_another_order_of_arguments_moves_the_coordinates_with_them(name: str) -> None:
    ours = load_machine(sheet_of(stripped(name), name))
    [board] = ours.discovery.boards
    text = turned_around(stripped(name), {board.relation, *(move.functor for move in board.moves)})
    theirs = load_machine(parse_sheet(text, name))
    [turned] = theirs.discovery.boards
    assert turned.extents == board.extents[::-1]
    assert turned.coordinates == tuple(sorted(board.arity - 1 - place for place in board.coordinates))
    assert turned.content == tuple(board.arity - 1 - place for place in board.content)
    assert turned.pieces == board.pieces
    for mine, own in zip(turned.moves, board.moves, strict=True):
        last = own.arity - 1
        assert mine.source == tuple(last - place for place in own.source[::-1])
        assert mine.target == tuple(last - place for place in own.target[::-1] if place is not None)
        assert mine.piece == (None if own.piece is None else last - own.piece)


def turned_around(text: str, functors: set[str]) -> str:
    """Return a sheet in which the terms of these names have their arguments in the opposite order."""
    plain = "\n".join(line.split(";")[0] for line in text.splitlines())

    def turn(match: re.Match[str]) -> str:
        return f"({match[1]} {' '.join(match[2].split()[::-1])})"

    return re.sub(rf"\(({'|'.join(map(re.escape, functors))})((?:\s+[^\s()]+)+)\s*\)", turn, plain)
