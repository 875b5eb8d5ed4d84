"""Features and itemsets are described in words."""

from dataclasses import replace

import pytest

from gdl_miner.agent.features import (
    Fact,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureAbsPieceInArea,
    FeatureItemsetOnly,
    FeatureOrigin,
    FeatureRelDimKNearest,
    FeatureRelEuclidKNearest,
    FeatureRelEuclidProximity,
    FeatureRelPattern,
    Itemset,
    WeightedFeature,
    feature_in_words,
)
from gdl_miner.agent.features.itemset import MetafactAnyPieceInField, MetafactPieceInArea
from gdl_miner.agent.knowledge import symmetries_in_words
from gdl_miner.agent.values import contents_in_words

RAY = (*["any"] * 10, "x", "empty", "empty", *["any"] * 12)
CUBE = (*["any"] * 21, "off", *["any"] * 5)
SIDES = ("off", "off", "off", "empty", "x", "any", "o", "empty", "empty")


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        (FeatureAbsMove("(mark 1 2 x)"), "the move (MARK 1 2 X)"),
        (FeatureRelEuclidProximity(2), "1.414 away from the last move"),
        (FeatureRelEuclidProximity(0), "where the last move went"),
        (FeatureAbsEuclidBorderDist(0.0, True, 2), "at the lower border in dimension 2"),
        (FeatureAbsEuclidBorderDist(3.0, False, 1), "3 from the upper border in dimension 1"),
        (FeatureAbsPieceInArea(2, (1.0, 3.0), "x"), "X into the area of size 2 at (1, 3)"),
        (FeatureAbsPieceInArea(2, (1.0, 3.0), None), "into the area of size 2 at (1, 3)"),
        (FeatureRelEuclidKNearest(("x", "o")), "nearest around it: O, X"),
        (FeatureRelDimKNearest(1, ("x", "o")), "nearest along dimension 1: X, O"),
        (FeatureItemsetOnly(), "any move"),
        (FeatureRelPattern(1, SIDES), "around it [# # # / . X ? / O . .]"),
        (FeatureRelPattern(2, RAY), "empty on its field and at (0, −1) from it; X at (0, −2) from it"),
        (FeatureRelPattern(1, CUBE), "off the board at (+1, 0, −1) from it"),
    ],
)
def test_every_class_is_said_in_words(feature, words):
    assert feature_in_words(feature, None, str.upper) == words


def test_what_a_feature_was_learned_for_follows_in_brackets():
    entry = WeightedFeature(FeatureAbsMove("(mark 1 2 x)"), 1.0, Itemset((Fact("(cell 1 1 x)"),)))
    said = "the move (MARK 1 2 X), while (CELL 1 1 X)"
    assert entry.words(str.upper) == said
    known = replace(entry, origin=FeatureOrigin("defensive", 2))
    assert known.words(str.upper) == f"{said} (defensive, level 2)"


def test_itemsets_follow_their_feature():
    itemset = Itemset((Fact("(control x)"), MetafactAnyPieceInField((1, 2)), MetafactPieceInArea(2, (1.0, 1.0), "o")))
    assert feature_in_words(FeatureItemsetOnly(), itemset, str.upper) == (
        "any move, while (CONTROL X) and some piece is on (1, 2) and O is in the area of size 2 at (1, 1)"
    )


@pytest.mark.parametrize(
    ("cells", "contents", "words"),
    [
        (((3,),), ("x",), "X at 3"),
        (((1, 1), (1, 2)), ("x", "."), "X at 1 1 and nothing at 1 2"),
        (((1, 1), (1, 2), (1, 3)), ("x", "o", "."), "X at 1 1; O at 1 2 and nothing at 1 3"),
        (((1, 1), (1, 2), (1, 3), (1, 4)), ("x", ".", "x", "x"), "X at 1 1, 1 3, 1 4 and nothing at 1 2"),
    ],
)
def test_contents_of_cells_are_said_in_words(
    cells: tuple[tuple[int, ...], ...], contents: tuple[str, ...], words: str
) -> None:
    assert contents_in_words(cells, contents, str.upper) == words


def test_symmetries_are_told_in_one_sentence() -> None:
    exchanged = ", roles exchanged, o for x"
    kept = ["board (-x, y)", "board (y, x) everywhere"]
    names = [*kept, f"board as it is{exchanged}", *(name + exchanged for name in kept)]
    assert symmetries_in_words(names) == (
        "Every feature stands for its 5 images, too: with the board turned to (-x, y), (y, x) everywhere; "
        "with roles exchanged, o for x."
    )
    assert symmetries_in_words(["board as it is, roles as b c a"]) == (
        "Every feature stands for its image, too: with roles as b c a."
    )
    assert symmetries_in_words([]) == ""
