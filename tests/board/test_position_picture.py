import itertools
import math
import re
from collections.abc import Mapping

import pytest
from lxml import etree

from gdl_miner.agent.board import BoardPicture, picture_of
from gdl_miner.agent.board.layout import CELL, Layout
from gdl_miner.agent.board.piece import draw_piece, symbol_of
from gdl_miner.agent.reasoner.machine import load_machine

NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}


def square_board(pieces: Mapping[tuple[int, ...], str], side: int = 3) -> BoardPicture:
    points = tuple((x, y) for x in range(1, side + 1) for y in range(1, side + 1))
    return BoardPicture(points, pieces, {}, marked={(2, 2)})


def places(svg: str) -> dict[str, tuple[float, float]]:
    """Return the upper left corner of each field by its point."""
    found = {}
    for field in etree.fromstring(svg).iterfind(".//g[@data-point]"):
        cell = field.find("rect")
        assert cell is not None
        found[field.get("data-point")] = (float(cell.get("x")), float(cell.get("y")))
    return found


def test_the_first_dimension_goes_right_and_the_second_up_in_text_and_picture() -> None:
    picture = square_board({(1, 1): "x", (3, 2): "o"})
    assert picture.text() == "3 · · ·\n2 · · o\n1 x · ·\n  1 2 3"
    corner = places(picture.svg())
    assert corner["3 2"][0] > corner["1 1"][0]
    assert corner["3 2"][1] < corner["1 1"][1]


def test_a_turned_board_is_seen_from_the_far_side() -> None:
    picture = square_board({})
    straight, turned = places(picture.svg()), places(picture.svg(turned=True))
    assert turned["1 1"] == straight["3 3"]
    assert turned["3 1"] == straight["1 3"]


def test_fields_of_the_last_move_are_marked() -> None:
    assert re.findall(r'class="field last" data-point="([^"]*)"', square_board({}).svg()) == ["2 2"]


def test_pieces_have_the_letters_that_tell_them_apart() -> None:
    assert square_board({(1, 1): "wp", (2, 1): "wk", (3, 1): "b"}).text().splitlines()[2:] == [
        "1 wp wk  b",
        "   1  2  3",
    ]


def test_a_board_of_one_dimension_is_a_row_and_of_three_is_layers() -> None:
    assert BoardPicture(((1,), (2,), (3,)), {(2,): "x"}, {}).text() == "· x ·\n1 2 3"
    cube = BoardPicture(tuple((x, y, z) for x in (1, 2) for y in (1, 2) for z in (1, 2)), {(1, 1, 2): "x"}, {})
    assert cube.text() == "1        2\n2 · ·    2 · ·\n1 · ·    1 x ·\n  1 2      1 2"
    corner = places(cube.svg())
    assert len(set(corner.values())) == 8
    assert corner["1 1 2"][0] > corner["2 1 1"][0]


def test_many_layers_are_drawn_in_several_lines() -> None:
    cubicup = load_machine("cubicup.ext")
    board = cubicup.sheet.board
    assert board is not None
    picture = picture_of(board, cubicup.fluents, [], str)
    corner = places(picture.svg())
    assert len(corner) == len(set(corner.values())) == len(picture.points)
    assert min(corner[f"1 1 {z}"][1] for z in (4, 5, 6)) > max(corner[f"1 1 {z}"][1] for z in (1, 2, 3))


def test_squares_between_fields_of_one_colour_are_drawn() -> None:
    assert square_board({}).svg().count("unused") == 0
    dark = BoardPicture(tuple((x, y) for x in range(1, 9) for y in range(1, 9) if (x + y) % 2 == 0), {}, {})
    assert dark.svg().count('"unused"') == 32


@pytest.mark.parametrize(
    ("piece", "drawn", "written"),
    [
        ("white", "disc white", ""),
        ("wp", "disc white", ""),
        ("bn", "disc black", "N"),
        ("black_queen", "disc black", "Q"),
        ("x", "cross", ""),
        ("o", "ring", ""),
        ("arrow", "block", ""),
        ("gem", "disc ", "ge"),
        ("(pawn white)", "disc white", "P"),
    ],
)
def test_a_piece_looks_as_its_name_says(piece: str, drawn: str, written: str) -> None:
    assert f'{drawn}"' in draw_piece(piece, 0, 0)
    assert symbol_of(piece) == written


def test_names_are_escaped() -> None:
    picture = BoardPicture(((1, 1),), {(1, 1): "<b>&"}, {"<b>&": '<script>"'}).svg()
    etree.fromstring(picture)
    assert "<script>" not in picture


def test_a_picture_that_stands_alone_brings_its_style() -> None:
    root = etree.fromstring(square_board({(1, 1): "white"}).svg(standalone=True))
    style = root.find("svg:style", NAMESPACE)
    assert style is not None
    assert "prefers-color-scheme: dark" in str(style.text)


def test_rows_of_hexagons_stand_half_a_field_beside_each_other() -> None:
    points = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    right = BoardPicture(tuple(points), {(1, 1): "x"}, {"x": "x"}, hexagonal=(1, -1))
    assert right.text().splitlines() == ["3   · · ·", "2  · · ·", "1 x · ·", "  1 2 3"]
    left = BoardPicture(tuple(points), {(1, 1): "x"}, {"x": "x"}, hexagonal=(1, 1))
    assert left.text().splitlines() == ["3 · · ·", "2  · · ·", "1   x · ·", "    1 2 3"]


@pytest.mark.parametrize("hexagonal", [(1, -1), (1, 1)])
@pytest.mark.parametrize("turned", [False, True])
def test_neighbours_on_hexagons_are_drawn_one_field_apart(hexagonal: tuple[int, int], turned: bool) -> None:
    points = [(x, y) for x in range(1, 5) for y in range(1, 5)]
    layout = Layout(points, hexagonal=hexagonal, turned=turned)
    places = {point: layout.place(point) for point in points}
    assert min(x for x, _ in places.values()) == 0
    assert max(x for x, _ in places.values()) + 1.5 == layout.width  # half a field for numbers at the right
    steps = [(1, 0), (0, 1), hexagonal]
    for point, other in itertools.permutations(points, 2):
        step = (other[0] - point[0], other[1] - point[1])
        distance = math.dist(places[point], places[other])
        assert (distance == pytest.approx(1)) == (step in steps or (-step[0], -step[1]) in steps)


@pytest.mark.parametrize("hexagonal", [(1, -1), (1, 1)])
@pytest.mark.parametrize("turned", [False, True])
def test_numbers_on_hexagons_stand_apart_and_inside_the_picture(hexagonal: tuple[int, int], turned: bool) -> None:
    lean = hexagonal[0] * hexagonal[1]
    points = [(x, y) for x in range(1, 10) for y in range(1, 10) if abs(x - 5 - lean * (y - 5)) <= 4]
    drawn = Layout(points, hexagonal=hexagonal, turned=turned).svg(lambda *_: "", pixels=24)
    left, top, width, height = map(float, re.findall(r'viewBox="([^"]*)"', drawn)[0].split())
    numbers = [(float(x), float(y)) for x, y in re.findall(r'<text class="number" x="([^"]*)" y="([^"]*)"', drawn)]
    assert len(numbers) == 18
    assert all(left + 4 <= x <= left + width - 4 and top + 4 <= y <= top + height - 4 for x, y in numbers)
    assert min(math.dist(one, other) for one, other in itertools.combinations(numbers, 2)) > CELL / 2


def test_fields_of_a_board_of_hexagons_have_six_corners() -> None:
    drawn = BoardPicture(((1, 1), (1, 2)), {}, {}, hexagonal=(1, -1)).svg()
    corners = re.findall(r'<polygon class="cell" points="([^"]*)"', drawn)
    assert [len(each.split()) for each in corners] == [6, 6]
    assert "<rect" not in drawn
