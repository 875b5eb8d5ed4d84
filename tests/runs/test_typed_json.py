"""Values as typed JSON with arrays beside it."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import GenericAlias
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gdl_miner.miner.runs.typed_json import digest_of, from_json, to_json


@dataclass(frozen=True)
class Shape:
    name: str


@dataclass(frozen=True)
class Circle(Shape):
    radius: float


@dataclass(frozen=True)
class Square(Shape):
    side: float
    turned: bool = False


class Span(NamedTuple):
    first: int
    last: int | None


@dataclass(frozen=True)
class Drawing:
    shapes: tuple[Shape, ...]
    spans: Mapping[str, Span]
    kind: Literal["plan", "map"]
    sizes: tuple[int, float]
    key: bytes
    place: str = field(default="", compare=False)


@dataclass(frozen=True)
class Colour:
    """A class that no type in these tests reaches."""

    name: str

    def __post_init__(self) -> None:
        raise AssertionError("it is never made")


@dataclass(frozen=True)
class Layers:
    heights: NDArray[np.float32]
    more: tuple[NDArray[np.int64], ...]


class Verdict(StrEnum):
    good = "good"


Scalar = TypeVar("Scalar", bound=np.generic)
Cell: TypeAlias = str | int | float | bool | None


def through(value: object, expected: Any) -> Any:
    """Return the value after a journey through JSON text."""
    arrays: list[NDArray[Any]] = []
    text = json.dumps(to_json(value, arrays))
    return from_json(json.loads(text), expected, arrays)


numbers = st.floats(allow_nan=False)
texts = st.text(max_size=6)
shapes = st.one_of(
    st.builds(Shape, texts),
    st.builds(Circle, texts, numbers),
    st.builds(Square, texts, numbers, st.booleans()),
)
drawings = st.builds(
    Drawing,
    st.lists(shapes, max_size=4).map(tuple),
    st.dictionaries(texts, st.builds(Span, st.integers(), st.none() | st.integers()), max_size=3),
    st.sampled_from(["plan", "map"]),
    st.tuples(st.integers(), numbers),
    st.binary(),
)
cells = st.none() | st.booleans() | st.integers() | texts | numbers


@given(drawings)
def test_data_come_back_as_they_were(drawing: Drawing) -> None:
    back = through(drawing, Drawing)
    assert back == drawing
    assert [type(shape) for shape in back.shapes] == [type(shape) for shape in drawing.shapes]
    assert digest_of(back) == digest_of(drawing)


@given(st.dictionaries(texts, cells))
def test_a_union_keeps_each_type(measures: dict[str, Cell]) -> None:
    back = through(measures, Mapping[str, Cell])
    assert list(back) == list(measures)
    assert [(type(value), value) for value in back.values()] == [(type(value), value) for value in measures.values()]


def test_numbers_that_json_does_not_know_come_back() -> None:
    back = through((math.inf, -math.inf, math.nan, -0.0), tuple[float, ...])
    assert back[:2] == (math.inf, -math.inf)
    assert math.isnan(back[2])
    assert math.copysign(1, back[3]) == -1


def test_arrays_and_numbers_of_numpy_come_back() -> None:
    layers = Layers(np.arange(6, dtype=np.float32).reshape(2, 3), (np.array([7]), np.zeros((0, 2), np.int64)))
    arrays: list[NDArray[Any]] = []
    assert to_json(layers, arrays) == {
        "class": "Layers",
        "heights": {"array": 0},
        "more": [{"array": 1}, {"array": 2}],
    }
    back = from_json(to_json(layers, arrays[:0]), Layers, arrays)
    assert back.heights is layers.heights
    assert [each.shape for each in back.more] == [(1,), (0, 2)]
    assert through((np.int32(3), np.float64(0.1), np.bool_(1)), tuple[int, float, bool]) == (3, 0.1, True)


def test_other_values_are_no_data() -> None:
    for value in ({1, 2}, object(), print, 1j, Verdict.good):
        with pytest.raises(TypeError, match=f"a {type(value).__name__} is no data"):
            to_json([value], [])


WITH_CLASS = {"class": "Square", "name": "a", "side": 1.0, "turned": False}


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        (True, int, "'True' is no int"),
        (1.5, int, "'1.5' is no int"),
        ("1", float, "'1' is no float"),
        (0, None, "'0' is no "),
        ("atlas", Literal["plan", "map"], "'atlas' is no "),
        ([1, 2, 3], tuple[int, float], "3 entries where 2 are expected"),
        ([1], tuple[int, float], "1 entries where 2 are expected"),
        ("ab", tuple[str, ...], "'ab' is no tuple"),
        ({"a": 1}, Sequence[int], "is no "),
        ([[1]], Mapping[int, int], "not enough values"),
        ({"bytes": "?"}, bytes, "base64"),
        ({**WITH_CLASS, "class": "Circle"}, Shape, "KeyError: 'radius'"),
        ({**WITH_CLASS, "class": "Colour"}, Shape, "'Colour' is no Shape"),
        ({**WITH_CLASS, "class": "Shape"}, Square, "'Shape' is no Square"),
        ({**WITH_CLASS, "side": "b"}, Shape, "'b' is no float"),
        ({"name": "a"}, Shape, "KeyError: 'class'"),
        ({"class": "Span", "first": 1, "last": "b"}, Span, "'b' is no int; 'b' is no NoneType"),
        ([7], Shape, r"'\[7\]' is no Shape"),
        ({"array": 3}, NDArray[np.float32], "IndexError"),
        ({"array": 0}, NDArray[np.float32], "an array of int64 is none of float32"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(found: object, expected: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        from_json(found, expected, [np.array([1])])


def test_an_alias_of_types_is_read_as_what_it_stands_for() -> None:
    class Weights:
        """An alias as statements `type` make it: `type Weights[T] = ndarray[shape, dtype[T]]`."""

        __value__ = np.ndarray[tuple[Any, ...], np.dtype[Scalar]]

    alias = GenericAlias(Weights, (np.float32,))
    array = np.array([1, 2], np.float32)
    assert from_json({"array": 0}, alias, [array]) is array
    assert from_json([{"array": 0}], GenericAlias(tuple, (alias, ...)), [array])[0] is array
    with pytest.raises(ValueError, match="an array of int64 is none of float32"):
        from_json({"array": 0}, alias, [np.array([1])])


def test_a_digest_tells_data_apart_and_nothing_else() -> None:
    drawing = Drawing((Circle("a", 1.0),), {"b": Span(1, None)}, "map", (1, 2.0), b"c")
    read = Drawing((Circle("a", 1.0),), {"b": Span(1, None)}, "map", (1, 2.0), b"c", place="file.xml:7")
    assert digest_of(drawing) == digest_of(read)
    assert through(read, Drawing).place == ""
    assert digest_of((1, 2)) == digest_of([1, 2])
    different = [1, 1.0, "1", True, None, (1,), b"1", Circle("1", 1.0), Square("1", 1.0), np.array([1])]
    different += [np.array([1], np.int32), np.array([[1]]), np.array([2]), {"1": 1}]
    assert len({digest_of(value) for value in different}) == len(different)


def test_a_class_of_a_package_that_is_loaded_later_is_found() -> None:
    circle = Circle("c", 1.0)
    assert from_json(to_json(circle, []), Shape, []) == circle

    @dataclass(frozen=True)
    class Oval(Shape):
        width: float

    Oval.__qualname__ = "Oval"
    assert from_json(to_json(Oval("o", 2.0), []), Shape, []) == Oval("o", 2.0)
