"""Symmetries of games are those that their rules have."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent import games
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.geometry import find_symmetries, find_symmetries_of_moves, geometry_of
from gdl_miner.agent.geometry.symmetry import candidate_symmetries, symmetries_named
from gdl_miner.agent.reasoner.machine import load_machine
from tests.search.positions import machine_of

SQUARE = ["(x, -y)", "(-x, y)", "(-x, -y)", "(y, x)", "(y, -x)", "(-y, x)", "(-y, -x)"]
CUBE = ["(x, z, y)", "(y, x, z)", "(y, z, x)", "(z, x, y)", "(z, y, x)"]
HEXAGON = [
    *("(-x, -y)", "(y, x)", "(-y, -x)", "(x+y, -y)", "(x+y, -x)", "(x, -x-y)"),
    *("(y, -x-y)", "(-y, x+y)", "(-x, x+y)", "(-x-y, x)", "(-x-y, y)"),
]
KEPT = "board as it is"


def with_exchange(maps: list[str], exchange: str, everywhere: str = "") -> set[str]:
    kept = {KEPT, *(f"board {each}{everywhere}" for each in maps)}
    return kept | {f"{each}, roles exchanged, {exchange}" for each in kept}


OF_GAMES = {
    "tictactoe.ext": with_exchange(SQUARE, "o for x"),
    "othello.ext": with_exchange(SQUARE, "black for white"),
    "connectfour.ext": with_exchange(["(-x, y)"], "red for white"),
    "amazons.ext": with_exchange(SQUARE, "black for white", " everywhere"),
    "cubicup.ext": with_exchange(CUBE, "red for yellow"),
    "breakthrough.ext": {
        KEPT,
        "board (-x, y)",
        "board (x, -y), roles exchanged, black for white",
        "board (-x, -y), roles exchanged, black for white",
    },
    "knightthrough.ext": {
        KEPT,
        "board (-x, y)",
        "board (x, -y), roles exchanged, black for white",
        "board (-x, -y), roles exchanged, black for white",
    },
    "teeko.ext": with_exchange(SQUARE, "black for red"),
    "fanorona.ext": with_exchange(["(x, -y)", "(-x, y)", "(-x, -y)"], "black for white", " everywhere"),
    "gomoku.ext": with_exchange(SQUARE, "black for white"),
    "yavalath.ext": with_exchange(HEXAGON, "black for white"),
    "hex5.ext": {
        KEPT,
        "board (-x, -y)",
        "board (y, x), roles exchanged, blue for red",
        "board (-y, -x), roles exchanged, blue for red",
    },
    "checkers.ext": {KEPT, "board (-x, -y), roles exchanged, bk for wk, bp for wp"},
}


@pytest.mark.parametrize("game", OF_GAMES)
def test_the_symmetries_of_bundled_games_are_known(game: str) -> None:
    found = find_symmetries(load_machine(game))
    assert {each.name for each in found} == OF_GAMES[game]
    assert found[0].is_identity
    assert len({each.fluents.tobytes() for each in found}) == len(found)


@pytest.mark.parametrize("game", OF_GAMES)
def test_symmetries_are_found_again_by_their_names(game: str) -> None:
    machine = load_machine(game)
    found = find_symmetries(machine)
    again = symmetries_named(machine, {each.name for each in found})
    assert [each.name for each in again] == [each.name for each in found]
    for one, other in zip(found, again, strict=True):
        assert one.fluents.tolist() == other.fluents.tolist()
        assert one.points.tolist() == other.points.tolist()
        assert one.roles == other.roles


@pytest.mark.parametrize("game", OF_GAMES)
def test_two_symmetries_after_each_other_are_a_third(game: str) -> None:
    found = find_symmetries(load_machine(game))
    known = {each.fluents.tobytes() for each in found}
    assert all(one.fluents[other.fluents].tobytes() in known for one in found for other in found)


def test_a_symmetry_maps_facts_and_roles_to_their_images() -> None:
    machine = machine_of("breakthrough.ext")
    [upside_down] = symmetries_named(machine, {"board (x, -y), roles exchanged, black for white"})
    number = {name: place for place, name in enumerate(machine.fluents)}
    assert upside_down.fluents[number["(cell 3 1 white)"]] == number["(cell 3 8 black)"]
    assert upside_down.fluents[number["(control black)"]] == number["(control white)"]
    assert upside_down.roles == (1, 0)
    assert not upside_down.keeps_roles
    assert sorted(upside_down.fluents.tolist()) == list(range(len(number)))


def changed(game: str, change: Callable[[str], str]) -> set[str]:
    text = (Path(games.__file__).parent / f"{game}.kif").read_text()
    assert change(text) != text
    return {each.name for each in find_symmetries(load_machine(parse_sheet(change(text), game)))}


def test_rules_that_tell_left_from_right_have_no_mirror() -> None:
    found = changed("breakthrough.ext", lambda text: text.replace("(<= (beside ?x ?z) (succ ?z ?x))", ""))
    assert found == {KEPT, "board (x, -y), roles exchanged, black for white"}


def test_rules_that_tell_the_roles_apart_do_not_exchange_them() -> None:
    found = changed("breakthrough.ext", lambda text: text.replace("(home black 8)", "").replace("(home black 7)", ""))
    assert "board (-x, y)" in found


def test_a_line_that_does_not_win_leaves_the_symmetries_that_keep_it() -> None:
    def without_a_diagonal(text: str) -> str:
        begin = text.index("(<= (line ?player)                      ; a diagonal, up and down")
        return text[:begin] + text[text.index("(<= (line ?player)", begin + 1) :]

    found = changed("tictactoe.ext", without_a_diagonal)
    kept = {KEPT, "board (-x, -y)", "board (y, x)", "board (-y, -x)"}
    assert found == kept | {f"{each}, roles exchanged, o for x" for each in kept}


def test_a_move_for_one_role_alone_keeps_the_roles() -> None:
    rule = "(<= (legal x (mark ?x ?y x)) (true (control x)) (true (cell ?x ?y o)) (true (cell 2 2 o)))"
    found = changed("tictactoe.ext", lambda text: text + rule)
    assert found == {KEPT, *(f"board {each}" for each in SQUARE)}


@pytest.mark.parametrize(("game", "fields"), [("three", 8), ("pebbles", 9)])
def test_fields_in_a_row_are_a_board_that_the_rules_show(game: str, fields: int) -> None:
    found = find_symmetries(machine_of(game))
    row = list(range(fields))
    assert found[0].is_identity
    assert {tuple(each.points.tolist()) for each in found} == {tuple(row), tuple(row[::-1])}


@pytest.mark.parametrize("game", ["pennies", "picks"])
def test_games_without_a_board_keep_their_facts(game: str) -> None:
    found = find_symmetries(machine_of(game))
    assert found[0].is_identity
    assert all(np.array_equal(each.points, []) for each in found)


def test_ways_to_exchange_three_roles_have_names_of_their_own() -> None:
    machine = machine_of("three")
    found = find_symmetries(machine)
    names = {each.name for each in found}
    boards = (KEPT, "board (-x)")
    turned = ("", ", roles as b c a, pieces as b c a", ", roles as c a b, pieces as c a b")
    assert names == {f"{board}{roles}" for board in boards for roles in turned}
    assert len(found) == 6


def all_at_once(players: Sequence[str], numbers: int) -> str:
    """Return the rules of a game in which all players name a number at once, and those who name the first one win."""
    return "\n".join(
        [
            *(f"(role {player}) (<= (legal {player} ?number) (number ?number) (true begin))" for player in players),
            *(f"(number n{number})" for number in range(numbers)),
            "(init begin)",
            "(<= (next (named ?player ?number)) (does ?player ?number))",
            "(<= terminal (not (true begin)))",
            "(<= (goal ?player 100) (role ?player) (true (named ?player n0)))",
            "(<= (goal ?player 0) (role ?player) (not (true (named ?player n0))))",
        ]
    )


def test_all_orders_of_players_who_are_alike_are_found_among_a_million_million_joint_moves() -> None:
    machine = load_machine(parse_sheet(all_at_once(["a", "b", "c", "d"], 1000), "numbers"))
    assert {each.roles for each in find_symmetries_of_moves(machine)} == set(itertools.permutations(range(4)))


def test_pieces_with_the_names_of_roles_go_with_the_roles() -> None:
    machine = load_machine("othello.ext")
    assert {"black", "white"} <= {*machine.roles} & {*geometry_of(machine).pieces}
    for each in candidate_symmetries(machine):
        assert each.keeps_roles == (each.piece("black") == "black")
