import pytest
from lxml import etree

from gdl_miner.agent.features import (
    Fact,
    Feature,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureAbsPieceInArea,
    FeatureItemsetOnly,
    FeatureRelDimKNearest,
    FeatureRelEuclidKNearest,
    FeatureRelEuclidProximity,
    FeatureRelPattern,
    Itemset,
)
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import load_machine
from tests.geometry.imaginary_games import HEXAGON


@pytest.fixture(scope="module")
def board() -> Geometry:
    return geometry_of(load_machine("tictactoe.ext"))


@pytest.fixture(scope="module")
def cube() -> Geometry:
    return geometry_of(load_machine("cubicup.ext"))


def kinds(picture: str) -> dict[str, int]:
    """Count the fields of each kind and the pieces of a picture, which must be well-formed."""
    root = etree.fromstring(picture)
    found: dict[str, int] = {}
    for element in root.iter("rect", "polygon", "g"):
        kind = str(element.get("class"))
        found[kind] = found.get(kind, 0) + 1
    return found


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (FeatureAbsMove("(mark 2 3 x)"), {"cell": 8, "goal": 1}),
        (FeatureAbsEuclidBorderDist(0.0, True, 1), {"cell": 6, "lit": 3}),
        (FeatureAbsEuclidBorderDist(1.0, False, 2), {"cell": 6, "lit": 3}),
        (FeatureRelEuclidProximity(2), {"cell": 5, "lit": 4, "piece": 1}),
        (FeatureAbsPieceInArea(1, (1.0, 1.0), "x"), {"cell": 8, "lit": 1, "piece": 1}),
        (FeatureRelEuclidKNearest(("o", "x")), {"goal": 1, "cell": 2, "piece": 2}),
        (FeatureRelDimKNearest(1, ("x",)), {"goal": 1, "cell": 1, "piece": 1}),
    ],
)
def test_a_feature_is_drawn_by_what_it_speaks_of(board: Geometry, feature: Feature, expected: dict[str, int]) -> None:
    assert kinds(feature.draw(None, board)) == expected


def test_a_pattern_is_drawn_with_its_pieces_borders_and_wildcards(board: Geometry) -> None:
    entries = ("off", "off", "off", "x", "empty", "o", "any", "any", "empty")
    assert kinds(FeatureRelPattern(1, entries).draw(None, board)) == {
        "off": 3,
        "any": 2,
        "goal": 1,
        "cell": 3,
        "piece": 2,
    }


def test_a_pattern_on_hexagons_shows_seven_fields() -> None:
    entries = ("any", "x", "off", "empty", "o", "any", "any", "empty", "any")
    drawn = FeatureRelPattern(1, entries).draw(None, HEXAGON.geometry)
    assert drawn.count("<polygon") == 7
    assert kinds(drawn) == {"off": 1, "any": 2, "goal": 1, "cell": 3, "piece": 2}


def test_the_facts_of_an_itemset_are_drawn_on_the_board(board: Geometry) -> None:
    itemset = Itemset((Fact("(cell 1 1 x)"), Fact("(cell 3 3 o)")))
    assert kinds(FeatureItemsetOnly().draw(itemset, board)) == {"cell": 9, "piece": 2}


def test_what_has_no_place_on_the_board_is_not_drawn(board: Geometry) -> None:
    assert FeatureItemsetOnly().draw(None, board) == ""


def test_a_board_of_three_dimensions_is_drawn_in_layers(cube: Geometry) -> None:
    drawn = kinds(FeatureAbsEuclidBorderDist(0.0, True, 1).draw(None, cube))
    assert drawn["lit"] + drawn.get("cell", 0) == len(cube.points)
    assert 0 < drawn["lit"] < len(cube.points)
