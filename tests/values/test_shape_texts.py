"""The texts of shapes, as configurations and files have them."""

import pytest

from gdl_miner.agent.values import Cells, Lines, TupleShape, Walks, read_shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("line 4 playable", Lines(4, playable=True)),
        ("walks 70x8 anywhere playable", Walks(70, 8, shared=True, playable=True)),
        ("cells 0.0 1.1 playable", Cells((((0, 0), (1, 1)),), playable=True)),
        ("line 4 each side", Lines(4, each_side=True)),
        ("walks 70x8 anywhere playable each side", Walks(70, 8, shared=True, playable=True, each_side=True)),
        ("cells 0.0 1.1 each side", Cells((((0, 0), (1, 1)),), each_side=True)),
    ],
)
def test_a_shape_may_be_playable_and_of_each_side(text: str, shape: TupleShape) -> None:
    assert read_shape(text) == shape
    assert str(shape) == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("facts 2 playable", "playable"),
        ("line 2 playable anywhere", "playable"),
        ("playable", "playable"),
        ("goalsplayable", "playable"),
        ("facts 2 each side", "each side"),
        ("costs each side", "each side"),
        ("line 2 each side playable", "each side"),
        ("each side", "each side"),
    ],
)
def test_other_texts_are_refused(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"'{what}' at the end"):
        read_shape(text)
