import numpy as np
import pytest
from lxml import etree

from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import decimals_for, draw_single_piece, draw_tuple, draw_weight_scale, draw_weights


@pytest.fixture(scope="module")
def board() -> Geometry:
    return geometry_of(load_machine("tictactoe.ext"))


def classes(picture: str, tag: str) -> list[str]:
    return [str(element.get("class")) for element in etree.fromstring(picture).iter(tag)]


def test_every_field_has_a_colour_for_the_sign_and_its_number(board: Geometry) -> None:
    weights = np.array([1.5, -0.75, 0.0, np.nan, 0.001, 0.2, -1.5, 0.3, -0.4])
    picture = draw_weights(weights, board, 1.5, "weights of x")
    root = etree.fromstring(picture)
    assert root.get("aria-label") == "weights of x"
    numbers = [text.text for text in root.iter("text") if "weight" in str(text.get("class"))]
    assert numbers == ["+1.50", "−0.75", "0", "0", "+0.20", "−1.50", "+0.30", "−0.40"]
    assert classes(picture, "rect").count("any") == 1  # the field without a number
    colours = [
        (rect.get("class"), float(str(rect.get("fill-opacity"))))
        for rect in root.iter("rect")
        if rect.get("fill-opacity")
    ]
    assert colours[:3] == [("sought", 0.75), ("avoided", 0.375), ("sought", 0.0)]
    deep = [text.text for text in root.iter("text") if "deep" in str(text.get("class"))]
    assert deep == ["+1.50", "−1.50"]


def test_a_field_tells_its_place_and_exact_weight(board: Geometry) -> None:
    picture = draw_weights(np.full(9, -0.12345), board, 1.0, "")
    assert "<title>1 2: −0.1235</title>" in picture or "<title>1 2: −0.1234</title>" in picture


def test_a_weight_beyond_the_scale_has_the_strongest_colour(board: Geometry) -> None:
    assert draw_weights(np.full(9, 5.0), board, 2.0, "").count('fill-opacity="0.75"') == 9


def test_a_board_of_three_dimensions_has_a_number_on_every_field() -> None:
    cube = geometry_of(load_machine("cubicup.ext"))
    picture = draw_weights(np.ones(cube.n_points), cube, 1.0, "")
    assert picture.count("+1.00</text>") == cube.n_points
    assert "layer 1" in picture


@pytest.mark.parametrize(
    ("largest", "places"),
    [(250.0, 0), (99.9, 1), (10.0, 1), (9.99, 2), (0.53, 2), (0.1, 2), (0.09, 3), (0.0099, 4), (0.0, 4)],
)
def test_numbers_have_as_many_places_as_their_size_needs(largest: float, places: int) -> None:
    assert decimals_for(largest) == places


def test_the_scale_runs_from_minus_to_plus_and_names_the_unit() -> None:
    root = etree.fromstring(draw_weight_scale(0.44))
    assert [text.text for text in root.iter("text")] == ["−0.44", "0", "+0.44", "log-odds"]
    kinds = [rect.get("class") for rect in root.iter("rect") if rect.get("fill-opacity")]
    assert kinds == ["avoided"] * 6 + ["sought"] * 7


def test_a_tuple_is_a_little_board_with_its_cells_lit(board: Geometry) -> None:
    picture = draw_tuple(((1, 1), (1, 2), (1, 3)), ("x", ".", "o"), board)
    assert sorted(classes(picture, "rect")) == ["cell"] * 6 + ["lit"] * 3
    assert classes(picture, "g") == ["piece", "piece"]


def test_a_single_piece_is_a_picture_of_its_own(board: Geometry) -> None:
    assert classes(draw_single_piece("white", board), "g") == ["piece"]
