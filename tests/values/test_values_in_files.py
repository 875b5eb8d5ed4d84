"""Values are the same after they were written to a knowledge file and read again, and faults of a file are named."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.geometry import EMPTY, find_symmetries
from gdl_miner.agent.values import (
    Blocks,
    CellTuple,
    FactTuples,
    Goals,
    Lines,
    Rules,
    TupleShape,
    TupleWeights,
    ValueLayout,
    ValuePart,
    Values,
    Walks,
    compile_values,
    layout_of,
    read_shape,
    value_function,
    values_of,
    weights_of,
)
from gdl_miner.agent.values.layout import NO_WEIGHT
from gdl_miner.agent.values.named_values import places_of
from tests.search.positions import machine_of
from tests.values.files import assert_refused, read, read_back, write
from tests.values.random_values import random_layout, random_values

GAMES = ["tictactoe.ext", "breakthrough.ext", "connectfour.ext", "checkers.ext", "pennies", "three"]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_values_survive_a_file_and_their_arrays(game: str, symmetric: bool, tmp_path: Path) -> None:
    machine = machine_of(game)
    layout, weights = random_values(machine, 2, symmetric=symmetric)
    found = read_back(values_of(layout, weights), machine, tmp_path / "values.xml")
    states = np.array([machine.initial()])
    rounded = np.round(weights.astype(np.float64), 3).astype(np.float32)
    expected = value_function(layout, rounded).values(states)
    assert compile_values(found, machine).values(states) == pytest.approx(expected, abs=0.01)


def test_weights_of_nothing_are_left_out() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 1)
    assert values_of(layout, np.zeros(layout.n_weights, np.float32)).n_weights == 0
    one = np.zeros(layout.n_weights, np.float32)
    one[-1] = 0.0004
    assert values_of(layout, one).n_weights == 0
    assert values_of(layout, one, digits=4).n_weights == 1


def symmetric_layout(game: str, shape: str) -> ValueLayout:
    machine = machine_of(game)
    empty = random_layout(machine, 1)
    tuples = [CellTuple(points) for points in read_shape(shape).on(empty.geometry)]
    return ValueLayout(machine, find_symmetries(machine), tuples, constant_sum=True, blank=EMPTY)


def test_images_of_facts_and_tuples_select_the_same_weights() -> None:
    layout = symmetric_layout("tictactoe.ext", "line 3")
    names = layout.machine.fluents
    [view, other] = layout.network.views
    place = {name: int(view.fact_weight[number]) for number, name in enumerate(names)}
    corners = {place[f"(cell {x} {y} x)"] for x in (1, 3) for y in (1, 3)}
    edges = {place[f"(cell {x} {y} x)"] for x, y in ((1, 2), (2, 1), (2, 3), (3, 2))}
    assert len(corners) == len(edges) == 1
    assert len({*corners, *edges, place["(cell 2 2 x)"], place["(cell 2 2 o)"]}) == 4
    assert place["(control x)"] == NO_WEIGHT
    # The rows and columns at the border share a table, those in the middle another one, and the diagonals a third.
    assert sorted(np.unique(view.tuple_weight, return_counts=True)[1].tolist()) == [2, 2, 4]
    assert layout.n_weights == view.fact_weight.max() + 1 + 3 * 27
    exchanged = {name: int(other.fact_weight[number]) for number, name in enumerate(names)}
    assert exchanged["(cell 1 1 o)"] == place["(cell 1 1 x)"]
    assert exchanged["(cell 2 2 x)"] == place["(cell 2 2 o)"]
    assert (view.against, other.against) == (False, True)


@pytest.mark.parametrize(("cells", "tied"), [(((1, 1), (1, 2), (1, 3)), True), (((1, 1), (1, 2)), False)])
def test_contents_that_a_symmetry_exchanges_are_tied(cells: tuple[tuple[int, ...], ...], tied: bool) -> None:
    layout = symmetric_layout("tictactoe.ext", f"line {len(cells)}")
    following = layout.network.next_tied
    own = next(
        each
        for each in layout.parts[0].tuples
        if tuple(tuple(layout.geometry.points[point].tolist()) for point in each.points) == cells
    )
    for contents in itertools.product((".", "o", "x"), repeat=len(cells)):
        turned = contents[::-1] if tied else contents
        place, image = places_of(layout, own, [contents, turned])
        assert following[place] == image
    facts = [place for part in layout.parts for place in part.facts.values()]
    assert following[facts].tolist() == facts


def test_contents_of_a_tuple_that_many_symmetries_keep_are_tied_in_rings() -> None:
    layout = symmetric_layout("othello.ext", "block 2x2")
    following = layout.network.next_tied
    centre = next(each for each in layout.parts[0].tuples if (following[each.first :][: each.size] != each.first).any())
    rings = set()
    for first in range(centre.first, centre.first + centre.size):
        ring = [int(following[first])]
        while ring[-1] != first:
            ring.append(int(following[ring[-1]]))
        rings.add(frozenset(ring))
    assert sum(map(len, rings)) == centre.size
    assert {len(ring) for ring in rings} <= {1, 2, 4, 8}


def test_weights_of_tied_contents_in_a_file_stay_as_they_are(tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    row = TupleWeights(((1, 1), (2, 1), (3, 1)), {("x", "o", "."): 0.5, (".", "o", "x"): 0.25, ("o", "o", "."): 1.0})
    values = Values(("board (-x, y)",), True, "", (), (ValuePart(0, 0, 0, {}, (row,)),))
    layout = layout_of(values, machine)
    assert values_of(layout, weights_of(values, layout)).parts[0] == values.parts[0]


def test_the_second_turn_of_breakthrough_is_the_first_turned_upside_down() -> None:
    layout = symmetric_layout("breakthrough.ext", "block 2x2")
    number = {name: place for place, name in enumerate(layout.machine.fluents)}
    first, second = layout.network.views
    turn = layout.network.turn_fluents.tolist()
    assert [layout.machine.fluents[fluent] in ("(control white)", "(control black)") for fluent in turn] == [True]
    for x in range(1, 9):
        for y in range(1, 9):
            image = number[f"(cell {x} {9 - y} black)"]
            assert first.fact_weight[number[f"(cell {x} {y} white)"]] == second.fact_weight[image]
            assert first.fact_weight[image] == first.fact_weight[number[f"(cell {9 - x} {9 - y} black)"]]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("line 4", Lines(4)),
        ("block 2x3 anywhere", Blocks((2, 3), shared=True)),
        ("walks 70x8", Walks(70, 8)),
        ("goals", Goals()),
        ("rules 4 anywhere", Rules(4, shared=True)),
        ("facts 2", FactTuples(2)),
    ],
)
def test_a_shape_is_read_and_named_by_its_text(text: str, shape: TupleShape) -> None:
    assert read_shape(text) == shape
    assert str(shape) == text


@pytest.mark.parametrize(("shape", "count"), [("line 3", 8), ("line 2", 20), ("block 2x2", 4), ("block 2x3", 4)])
def test_shapes_have_as_many_tuples_as_places_on_the_board(shape: str, count: int) -> None:
    geometry = random_layout(machine_of("tictactoe.ext"), 1).geometry
    assert len(read_shape(shape).on(geometry)) == count


def test_walks_go_over_neighbouring_cells_and_are_the_same_each_time() -> None:
    geometry = random_layout(machine_of("breakthrough.ext"), 1).geometry
    walks = read_shape("walks 40x7").on(geometry)
    assert walks == read_shape("walks 40x7").on(geometry)
    assert len({frozenset(walk) for walk in walks}) == 40
    for walk in walks:
        assert len(set(walk)) == 7
        cells = geometry.points[list(walk)]
        near = np.abs(cells[:, None] - cells[None, :]).max(axis=2) <= 1
        assert np.linalg.matrix_power(near.astype(int), 7).all()  # every cell can be reached from every other


@pytest.mark.parametrize("kind", ["line {}", "walks 3x{}", "block 1x{}"])
def test_tuples_have_up_to_ten_cells(kind: str) -> None:
    assert str(read_shape(kind.format(10))) == kind.format(10)
    with pytest.raises(ValueError, match="all of up to 10 cells"):
        read_shape(kind.format(11))


def test_a_small_board_has_room_for_few_walks() -> None:
    geometry = random_layout(machine_of("tictactoe.ext"), 1).geometry
    assert len(read_shape("walks 100x8").on(geometry)) == 9  # a walk leaves out one cell


FILE = """<Values constantSum="True" blank="" stages="3">
  <Symmetry>board (x, -y)</Symmetry>
  <Part turn="0" stage="0" role="x">
    <Fact weight="0.5">(cell 2 2 x)</Fact>
    <Tuple cells="1 1, 1 2">
      <Contents weight="-0.25">x .</Contents>
    </Tuple>
  </Part>
</Values>"""

TWIN = '<Tuple cells="1 3, 1 2"><Contents weight="1">x x</Contents></Tuple>'
AGAIN = '<Tuple cells="1 1, 1 2"><Contents weight="1">x x</Contents></Tuple>'


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("1 1, 1 2", "1 1, 1 4", 5, r"no cell \(1 4\)"),
        ("1 1, 1 2", "1 1, 1 b", 5, "give a piece or . for every cell"),
        ("x .<", "x queen<", 5, "no queen can stand there; give ., o, x"),
        ("x .<", "x . .<", 5, "3 contents for 2 cells"),
        ("board (x, -y)", "board (w)", 1, "the symmetry 'board \\(w\\)'"),
        ('stage="0" role="x"', 'stage="0" role="z"', 3, "no role z"),
        ('turn="0"', 'turn="7"', 3, "turn 7"),
        ('stage="0"', 'stage="2"', 3, "stage 2"),
        ("(cell 2 2 x)", "(cell 2 2 z)", 3, r"\(cell 2 2 z\) has no weight"),
        ("(cell 2 2 x)", "(control x)", 3, r"\(control x\) has no weight"),
        ('stages="3"', 'stages="3 3"', 1, "do not ascend"),
        ('stages="3"', 'blank="z"', 1, "the game has no such piece"),
        ('weight="0.5"', 'weight="1001"', 4, "1000"),
        ('weight="-0.25"', 'weight="NaN"', 6, "NaN"),
        ("</Tuple>", f"</Tuple>{TWIN}", 7, "its image is named before"),
        ("</Tuple>", f"</Tuple>{AGAIN}", 7, "the tuple or its image is named before"),
    ],
)
def test_faults_of_a_file_are_named_with_their_place(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    machine = machine_of("tictactoe.ext")
    file = write(Values((), True, "", (), ()), machine, tmp_path / "changed.xml")
    text = re.sub(r" *<Values.*/>", FILE.replace(' blank=""', ""), file.read_text())
    file.write_text(text)
    compile_values(read(file, machine), machine)
    assert old in text
    file.write_text(text.replace(old, new))
    assert_refused(file, machine, said, "<Values", line - 1)


def test_values_that_were_not_read_are_refused_too() -> None:
    machine = machine_of("tictactoe.ext")
    part = ValuePart(0, 0, 0, {}, (TupleWeights(((1, 1), (9, 9)), {("x", "."): 1.0}),))
    values = Values((), True, "", (), (part,))
    with pytest.raises(KnowledgeError, match="values: the board has no cell"):
        compile_values(values, machine)
    with pytest.raises(KnowledgeError, match="two roles"):
        compile_values(replace(values, parts=()), machine_of("three"))
    with pytest.raises(ValueError, match="contents for"):
        TupleWeights(((1, 1),), {("x", "."): 1.0})
    with pytest.raises(ValueError, match="1000"):
        ValuePart(0, 0, 0, {"(cell 1 1 x)": float("inf")}, ())


def test_tuples_with_too_many_weights_are_refused() -> None:
    machine = machine_of("amazons.ext")
    cells = tuple((x, y) for x in range(1, 11) for y in range(1, 3))
    part = ValuePart(0, 0, 0, {}, (TupleWeights(cells, {(".",) * 20: 1.0}),))
    with pytest.raises(KnowledgeError, match="weights"):
        compile_values(Values((), False, "", (), (part,)), machine)
