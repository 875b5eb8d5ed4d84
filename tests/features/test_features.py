"""Each feature class fires in hand-made positions as its definition says."""

import pytest

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
from gdl_miner.agent.features.itemset import MetafactAnyPieceInField, MetafactPieceInArea
from gdl_miner.agent.geometry import Position
from gdl_miner.agent.geometry.geometry import area_size
from tests.geometry.imaginary_games import BIG_SQUARE, CUBE, LINE, NO_BOARD, SQUARE, TRIANGLE, ImaginaryGame


def fires(
    game: ImaginaryGame, feature: Feature, move: str, facts: tuple[str, ...] = (), last: tuple[str, ...] | None = None
) -> bool:
    """Whether a feature fires for a move of role 0 in a state, after a joint move."""
    rows = None if last is None else [game.row(role, name) for role, name in enumerate(last)]
    return feature.fires(Position.of(game.geometry, game.state(facts), rows), game.row(0, move))


# ---- Proximity


def test_proximity_is_the_euclidean_distance_to_the_last_target() -> None:
    last = ("(mark 1 1 b)", "noop")
    assert fires(SQUARE, FeatureRelEuclidProximity(13), "(mark 3 4 b)", last=last)
    assert not fires(SQUARE, FeatureRelEuclidProximity(12), "(mark 3 4 b)", last=last)
    assert fires(SQUARE, FeatureRelEuclidProximity(0), "(mark 1 1 w)", last=last)


def test_proximity_takes_the_nearest_of_several_last_targets() -> None:
    last = ("(mark 0 0 0 red)", "(mark 1 1 1 red)", "(mark -1 -1 -1 red)")
    assert fires(CUBE, FeatureRelEuclidProximity(2), "(mark 0 1 1 red)", last=last) is False
    assert fires(CUBE, FeatureRelEuclidProximity(1), "(mark 0 1 1 red)", last=last)
    assert fires(CUBE, FeatureRelEuclidProximity(3), "(mark 1 1 1 red)", last=(last[0], "noop", last[2]))


def test_proximity_never_fires_before_the_first_move_nor_without_targets() -> None:
    for squared in range(40):
        feature = FeatureRelEuclidProximity(squared)
        assert not fires(SQUARE, feature, "(mark 3 4 b)", last=None)
        assert not fires(SQUARE, feature, "(mark 3 4 b)", last=("noop", "noop"))
        assert not fires(SQUARE, feature, "noop", last=("(mark 1 1 b)", "noop"))


# ---- Border distance


@pytest.mark.parametrize(
    ("move", "lower", "dimension", "distance"),
    [
        ("(mark 1 4 b)", True, 1, 0),
        ("(mark 1 4 b)", False, 1, 3),
        ("(mark 1 4 b)", True, 2, 3),
        ("(mark 1 4 b)", False, 2, 0),
    ],
)
def test_border_distances_are_counted_from_either_border_in_each_dimension(
    move: str, lower: bool, dimension: int, distance: float
) -> None:
    for other in (0.0, 1.0, 2.0, 3.0, 0.5):
        feature = FeatureAbsEuclidBorderDist(other, lower, dimension)
        assert fires(SQUARE, feature, move) == (other == distance)


def test_border_distances_work_in_three_dimensions_from_negative_coordinates() -> None:
    assert fires(CUBE, FeatureAbsEuclidBorderDist(1, True, 3), "(mark -1 1 0 red)")
    assert fires(CUBE, FeatureAbsEuclidBorderDist(2, False, 1), "(mark -1 1 0 red)")
    assert not fires(CUBE, FeatureAbsEuclidBorderDist(0, True, 3), "noop")


# ---- Absolute move, piece in area


def test_an_absolute_move_is_this_move_and_no_other() -> None:
    assert fires(SQUARE, FeatureAbsMove("(mark 1 4 b)"), "(mark 1 4 b)", ("(cell 1 4 b)",))
    assert not fires(SQUARE, FeatureAbsMove("(mark 1 4 b)"), "(mark 1 4 w)")
    assert fires(NO_BOARD, FeatureAbsMove("flip"), "flip")


def test_areas_on_an_eight_by_eight_board_are_two_by_two() -> None:
    geometry = BIG_SQUARE.geometry
    assert geometry.area_size == 2
    assert len(geometry.areas) == 16
    assert [geometry.area_of(geometry.point_index[point]) for point in [(1, 1), (2, 2), (3, 2), (8, 7)]] == [
        (1, 1),
        (1, 1),
        (3, 1),
        (7, 7),
    ]


@pytest.mark.parametrize(
    ("length", "size"), [(1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (8, 2), (10, 2), (16, 3), (19, 3)]
)
def test_area_sizes_follow_the_formula_and_never_fall_below_one(length: int, size: int) -> None:
    assert area_size(1.0, float(length)) == size


def test_piece_in_area_needs_the_piece_of_the_move_and_the_area_of_its_target() -> None:
    area = FeatureAbsPieceInArea(2, (3, 5), "w")
    for move in ["(mark 3 5 w)", "(mark 4 6 w)", "(mark 3 6 w)"]:
        assert fires(BIG_SQUARE, area, move)
    for move in ["(mark 3 5 b)", "(mark 5 5 w)", "(mark 3 7 w)", "(mark 2 5 w)", "noop"]:
        assert not fires(BIG_SQUARE, area, move)


def test_a_move_without_a_piece_lies_in_an_area_without_a_piece() -> None:
    assert fires(TRIANGLE, FeatureAbsPieceInArea(1, (2, 3), None), "(go 1 1 2 3)")
    assert not fires(TRIANGLE, FeatureAbsPieceInArea(1, (2, 3), "p"), "(go 1 1 2 3)")
    assert not fires(SQUARE, FeatureAbsPieceInArea(1, (2, 3), None), "(mark 2 3 b)")


# ---- K nearest


def test_k_nearest_is_the_multiset_of_the_nearest_pieces_without_the_target_itself() -> None:
    facts = ("(cell 1 1 w)", "(cell 1 2 b)", "(cell 2 2 w)", "(cell 4 4 b)")
    assert fires(SQUARE, FeatureRelEuclidKNearest(("b",)), "(mark 1 1 b)", facts)
    assert fires(SQUARE, FeatureRelEuclidKNearest(("w", "b")), "(mark 1 1 b)", facts)
    assert fires(SQUARE, FeatureRelEuclidKNearest(("b", "b", "w")), "(mark 1 1 b)", facts)
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("w",)), "(mark 1 1 b)", facts)


def test_ties_in_nearness_go_to_the_smallest_coordinates() -> None:
    around = {"(cell 2 1 w)": "above", "(cell 1 2 b)": "left"}
    assert fires(SQUARE, FeatureRelEuclidKNearest(("b",)), "(mark 2 2 b)", tuple(around))
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("w",)), "(mark 2 2 b)", tuple(around))
    assert fires(
        CUBE, FeatureRelEuclidKNearest(("blue",)), "(mark 0 0 0 red)", ("(cell 0 0 1 red)", "(cell 0 0 -1 blue)")
    )


def test_k_nearest_never_fires_with_fewer_than_k_pieces() -> None:
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("b",)), "(mark 2 2 b)")
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("b",)), "(mark 2 2 b)", ("(cell 2 2 b)",))
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("b", "b")), "(mark 2 2 b)", ("(cell 1 2 b)",))
    assert not fires(SQUARE, FeatureRelEuclidKNearest(("b",)), "noop", ("(cell 1 2 b)",))


# ---- K nearest in one dimension


def test_line_nearest_is_the_list_in_order_of_distance_along_one_dimension() -> None:
    facts = ("(cell 1 3 b)", "(cell 4 3 w)", "(cell 2 4 b)", "(cell 3 1 w)")
    assert fires(SQUARE, FeatureRelDimKNearest(1, ("b", "w")), "(mark 2 3 b)", facts)
    assert not fires(SQUARE, FeatureRelDimKNearest(1, ("w", "b")), "(mark 2 3 b)", facts)
    assert fires(SQUARE, FeatureRelDimKNearest(2, ("b",)), "(mark 2 3 b)", facts)
    assert not fires(SQUARE, FeatureRelDimKNearest(2, ("b", "w")), "(mark 2 3 b)", facts)


def test_ties_on_a_line_go_to_the_smaller_coordinate_and_the_target_is_left_out() -> None:
    facts = ("(cell 2 x)", "(cell 4 off)", "(cell 3 any)")
    assert fires(LINE, FeatureRelDimKNearest(1, ("x", "off")), "(mark 3 any)", facts)
    assert not fires(LINE, FeatureRelDimKNearest(1, ("off", "x")), "(mark 3 any)", facts)


def test_line_nearest_works_in_three_dimensions() -> None:
    facts = ("(cell 0 0 1 red)", "(cell 0 1 0 blue)", "(cell 1 0 0 white)", "(cell 1 1 0 red)")
    for dimension, piece in [(1, "white"), (2, "blue"), (3, "red")]:
        assert fires(CUBE, FeatureRelDimKNearest(dimension, (piece,)), "(mark 0 0 0 red)", facts)


# ---- Itemset only


def test_itemset_only_fires_for_every_move() -> None:
    assert fires(SQUARE, FeatureItemsetOnly(), "noop")
    assert fires(NO_BOARD, FeatureItemsetOnly(), "wait")


# ---- Pattern


def test_a_pattern_runs_lexicographically_over_the_offsets_with_the_centre() -> None:
    facts = ("(cell 1 1 b)", "(cell 1 2 w)", "(cell 2 3 w)", "(cell 3 3 b)")
    pattern = FeatureRelPattern(1, ("b", "w", "empty", "empty", "empty", "w", "empty", "empty", "b"))
    assert fires(SQUARE, pattern, "(mark 2 2 b)", facts)
    assert not fires(SQUARE, pattern, "(mark 2 2 b)", (*facts, "(cell 2 2 b)"))
    assert not fires(SQUARE, pattern, "(mark 2 3 b)", facts)


def test_a_pattern_sees_the_border_and_wildcards_see_everything() -> None:
    corner = FeatureRelPattern(1, ("off", "off", "off", "off", "any", "any", "off", "any", "any"))
    assert fires(SQUARE, corner, "(mark 1 1 b)")
    assert fires(SQUARE, corner, "(mark 1 1 b)", ("(cell 1 1 w)", "(cell 2 2 b)"))
    assert not fires(SQUARE, corner, "(mark 1 2 b)")
    assert fires(SQUARE, FeatureRelPattern(1, ("any",) * 9), "(mark 4 4 b)")
    assert not fires(SQUARE, FeatureRelPattern(1, ("any",) * 9), "noop")


def test_points_of_the_hypercube_without_a_field_are_off_the_board() -> None:
    inside = FeatureRelPattern(1, ("any", "any", "any", "any", "any", "off", "any", "off", "off"))
    assert fires(TRIANGLE, inside, "(go 1 1 2 3)")
    assert not fires(TRIANGLE, inside, "(go 1 1 1 1)")


def test_a_pattern_in_three_dimensions_has_27_entries() -> None:
    entries = ["any"] * 27
    entries[9 * (0 + 1) + 3 * (0 + 1) + (1 + 1)] = "red"
    entries[9 * (1 + 1) + 3 * (0 + 1) + (-1 + 1)] = "off"
    assert fires(CUBE, FeatureRelPattern(1, tuple(entries)), "(mark 1 0 0 red)", ("(cell 1 0 1 red)",))
    assert not fires(CUBE, FeatureRelPattern(1, tuple(entries)), "(mark 0 0 0 red)", ("(cell 0 0 1 red)",))


def test_pieces_called_like_pattern_words_are_told_apart() -> None:
    facts = ("(cell 2 any)", "(cell 4 empty)")
    assert fires(LINE, FeatureRelPattern(1, ("piece:any", "empty", "piece:empty")), "(mark 3 x)", facts)
    assert not fires(LINE, FeatureRelPattern(1, ("piece:any", "empty", "empty")), "(mark 3 x)", facts)
    assert FeatureRelPattern(1, ("piece:x", "any", "any")) == FeatureRelPattern(1, ("x", "any", "any"))


# ---- Occupants, itemsets and metafacts


def test_of_several_pieces_on_a_field_the_smallest_is_its_occupant() -> None:
    both = ("(at 1 q 1 1)", "(at 2 p 1 1)")
    assert fires(TRIANGLE, FeatureRelEuclidKNearest(("p",)), "(go 1 1 1 2)", both)
    assert not fires(TRIANGLE, FeatureRelEuclidKNearest(("q",)), "(go 1 1 1 2)", both)


def test_any_piece_in_field_holds_for_whichever_piece() -> None:
    metafact = MetafactAnyPieceInField((2, 3))
    for facts, expected in [
        ((), False),
        (("(cell 2 3 b)",), True),
        (("(cell 2 3 w)",), True),
        (("(cell 3 2 b)",), False),
    ]:
        assert metafact.holds(Position.of(SQUARE.geometry, SQUARE.state(facts))) == expected


def test_piece_in_area_holds_for_the_piece_on_any_field_of_the_area() -> None:
    metafact = MetafactPieceInArea(2, (3, 5), "w")
    for facts, expected in [
        (("(cell 4 6 w)",), True),
        (("(cell 4 6 b)",), False),
        (("(cell 5 5 w)",), False),
        (("(cell 4 6 b)", "(cell 3 5 w)"), True),
    ]:
        assert metafact.holds(Position.of(BIG_SQUARE.geometry, BIG_SQUARE.state(facts))) == expected


def test_an_itemset_holds_where_all_its_items_hold() -> None:
    itemset = Itemset((Fact("(control red)"), MetafactAnyPieceInField((1, 1))))
    for facts, expected in [
        (("(control red)",), False),
        (("(cell 1 1 b)",), False),
        (("(control red)", "(cell 1 1 b)"), True),
    ]:
        assert itemset.holds(Position.of(SQUARE.geometry, SQUARE.state(facts))) == expected


def test_an_empty_itemset_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one item"):
        Itemset(())
