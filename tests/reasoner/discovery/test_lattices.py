"""Neighbours that the rules step to: hexagons, joined ends, and places of cells that have names."""

import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.check import check_sheet
from gdl_miner.agent.geometry import find_symmetries_of_moves, geometry_of
from gdl_miner.agent.reasoner.discovery import board_facts, why_no_board
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.corpus import sheet_path
from tests.gdl.test_renaming import scrambled
from tests.reasoner.discovery.lattice_sheets import HEXAGON, hexagon_sheet, named_sheet, torus_sheet

SIX = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
FOUR = ((-1, 0), (0, -1), (0, 1), (1, 0))
EIGHT = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


def machine_of(text: str) -> Machine:
    return load_machine(parse_sheet(text, "lattice"))


@pytest.fixture(scope="module")
def hexagon() -> Machine:
    return machine_of(hexagon_sheet())


@pytest.fixture(scope="module")
def named() -> Machine:
    return machine_of(named_sheet())


def test_rules_that_step_to_six_neighbours_show_hexagons(hexagon: Machine) -> None:
    [board] = hexagon.discovery.boards
    assert (board.kind, board.cells, board.neighbours) == ("grid", 19, SIX)
    assert hexagon.board is not None
    assert hexagon.board.hexagonal == (1, -1)
    assert board.to_json()["neighbours"] == [list(step) for step in SIX]


@pytest.mark.parametrize("seed", [1, 2])
def test_other_names_show_the_same_hexagons(hexagon: Machine, seed: int) -> None:
    [board] = machine_of(scrambled(hexagon_sheet(), seed, integers=True)).discovery.boards
    assert len(board.neighbours) == 6
    assert board.hexagonal in ((1, -1), (1, 1))


@pytest.mark.parametrize(
    ("name", "steps"),
    [("othello.ext", EIGHT), ("connectfour.ext", EIGHT), ("tictactoe.ext", ()), ("amazons.ext", EIGHT)],
)
def test_boards_of_squares_are_none_of_hexagons(name: str, steps: tuple[tuple[int, int], ...]) -> None:
    [board] = load_machine(name).discovery.boards
    assert board.neighbours == steps
    assert board.hexagonal == ()


def test_the_twelve_turns_of_a_hexagon_are_checked_against_the_rules(hexagon: Machine) -> None:
    assert len({each.name for each in find_symmetries_of_moves(hexagon) if each.keeps_roles}) == 12
    lopsided = machine_of(hexagon_sheet().replace("(true (cell 3 3 ?r))", "(true (cell 2 3 ?r))"))
    assert {each.name for each in find_symmetries_of_moves(lopsided) if each.keeps_roles} == {
        "board as it is",
        "board (x+y, -y)",
    }


def test_facts_say_what_neighbours_were_found(hexagon: Machine) -> None:
    facts = board_facts(hexagon.discovery, hexagon.circuit)
    assert "(boardhexagonal 1 -1)" in facts
    sheet = parse_sheet(f"{hexagon_sheet()}\n{facts}", "lattice")
    assert sheet.board == hexagon.board
    assert not [finding for finding in check_sheet(sheet) if finding.severity == "error"]


def test_a_torus_has_periods() -> None:
    machine = machine_of(torus_sheet())
    assert (machine.discovery.kind, machine.discovery.boards[0].neighbours) == ("torus", FOUR)
    geometry = geometry_of(machine)
    assert geometry.periods == (4, 4)
    assert geometry.borders == ()
    sheet = parse_sheet(f"{torus_sheet()}\n{board_facts(machine.discovery, machine.circuit)}", "lattice")
    assert sheet.board == machine.board


def test_named_cells_get_the_places_that_their_neighbours_give_them(named: Machine, hexagon: Machine) -> None:
    [board] = named.discovery.boards
    assert (board.kind, why_no_board(named.discovery)) == ("graph", "")
    assert len(board.neighbours) == 6
    theirs, ours = geometry_of(named), geometry_of(hexagon)
    assert theirs.hexagonal
    assert theirs.n_points == ours.n_points == len(HEXAGON)
    assert sorted(theirs.squared_distance.ravel().tolist()) == sorted(ours.squared_distance.ravel().tolist())
    assert len([each for each in find_symmetries_of_moves(named) if each.keeps_roles]) == 12


def test_every_move_of_named_cells_has_the_image_of_its_cell(named: Machine) -> None:
    geometry = geometry_of(named)
    for symmetry in find_symmetries_of_moves(named):
        marks = [row for row in range(len(geometry.moves)) if geometry.move_target[row] >= 0]
        images = geometry.move_target[symmetry.moves[marks]]
        assert images.tolist() == symmetry.points[geometry.move_target[marks]].tolist()


def test_named_cells_without_directions_have_no_places() -> None:
    text = named_sheet()
    for number in range(3):
        text = text.replace(f"(way{number} ", "(way ")
    machine = machine_of(text)
    assert machine.board is None
    assert "no directions" in why_no_board(machine.discovery)


CORPUS = {
    "hex": ("grid", 6, 81, (1, -1)),
    "chineseCheckers1": ("graph", 4, 25, ()),
    "chineseCheckers4": ("graph", 6, 31, (1, -1)),
    "chineseCheckers6": ("graph", 6, 37, (1, -1)),
    "reversi": ("grid", 8, 64, ()),
    "peg": ("grid", 4, 33, ()),
}


@pytest.mark.peers
@pytest.mark.parametrize("name", sorted(CORPUS))
def test_neighbours_in_sheets_of_others(name: str) -> None:
    if not sheet_path(name).exists():
        pytest.skip("the corpus is not here")
    machine = load_machine(str(sheet_path(name)))
    geometry = geometry_of(machine)
    found = machine.discovery.kind, len(machine.discovery.boards[0].neighbours), geometry.n_points, geometry.hexagonal
    assert found == CORPUS[name]
