"""Tuples that have the same weights all over the board."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, find_symmetries
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import (
    NOTHING,
    CellTuple,
    Goals,
    Lines,
    TupleWeights,
    ValueLayout,
    ValuePart,
    Values,
    ValueShape,
    compile_values,
    describe_values,
    layout_for,
    read_shape,
    tuple_in_words,
    value_function,
    values_of,
)
from gdl_miner.agent.values.named_values import places_of
from gdl_miner.agent.values.tuples import TupleLayout
from tests.geometry.imaginary_games import TORUS
from tests.native.naive_self_play import fluents_of
from tests.search.positions import machine_of, random_position
from tests.values.files import assert_refused, read_back, write

SHAPES = [
    ("tictactoe.ext", "line 3"),
    ("connectfour7.ext", "line 4"),
    ("hex5.ext", "line 3"),
    ("cubicup.ext", "line 2"),
    ("breakthrough.ext", "block 2x2"),
    ("checkers.ext", "line 2"),  # men cannot stand in the last row
]
Cells = tuple[tuple[int, ...], ...]


def anywhere_layout(machine: Machine, shape: str, *, symmetric: bool) -> ValueLayout:
    empty = ValueLayout(machine, (), (), constant_sum=False, blank=EMPTY)
    symmetries = [each for each in find_symmetries(machine) if each.keeps_roles] if symmetric else []
    tuples = [CellTuple(points, anywhere=True) for points in read_shape(shape).on(empty.geometry)]
    return ValueLayout(machine, symmetries, tuples, constant_sum=False, blank=EMPTY, facts=False)


def weights_for(layout: ValueLayout) -> NDArray[np.float32]:
    """Random weights, which are equal where they are tied."""
    weights = np.random.default_rng(5).normal(0, 0.05, layout.n_weights).astype(np.float32)
    following = layout.network.next_tied
    for place in range(len(following)):
        other = int(following[place])
        while other != place:
            weights[other] = weights[place]
            other = int(following[other])
    return weights


def pieces_at(geometry: Geometry) -> dict[tuple[int, ...], set[str]]:
    """The pieces that can be on each cell."""
    found: dict[tuple[int, ...], set[str]] = {cell: set() for cell in geometry.point_index}
    for point, piece in zip(geometry.fluent_point.tolist(), geometry.fluent_piece.tolist(), strict=True):
        if point != NOWHERE:
            found[tuple(geometry.points[point].tolist())].add(geometry.pieces[piece - 1])
    return found


def facts_of(geometry: Geometry, state: State) -> tuple[set[int], dict[tuple[int, ...], str]]:
    """The fluents that hold, and the piece on each cell that has one."""
    facts = fluents_of(state)
    on_board = [fluent for fluent in facts if geometry.fluent_point[fluent] != NOWHERE]
    places = [tuple(geometry.points[geometry.fluent_point[fluent]].tolist()) for fluent in on_board]
    pieces = [geometry.pieces[geometry.fluent_piece[fluent] - 1] for fluent in on_board]
    return set(facts), dict(zip(places, pieces, strict=True))


def placements(geometry: Geometry, cells: Cells) -> list[Cells]:
    """All cells that these become where they are moved over the board, one after another."""
    reach = int(np.ptp(geometry.points, axis=0).max())
    possible = pieces_at(geometry)
    found = []
    for shift in itertools.product(range(-reach, reach + 1), repeat=geometry.dimensions):
        moved = tuple(tuple(x + d for x, d in zip(cell, shift, strict=True)) for cell in cells)
        if all(
            there in possible and possible[there] == possible[cell] for there, cell in zip(moved, cells, strict=True)
        ):
            found.append(moved)
    return found


def plain_sum(pattern: TupleWeights, geometry: Geometry, holds: Mapping[tuple[int, ...], str]) -> float:
    weights = pattern.weights
    found = placements(geometry, pattern.cells)
    return sum(weights.get(tuple(holds.get(cell, NOTHING) for cell in cells), 0.0) for cells in found)


def turn_of(layout: ValueLayout, facts: set[int]) -> int:
    turns = layout.network.turn_fluents.tolist()
    return next((number for number, fluent in enumerate(turns) if fluent in facts), len(turns))


@pytest.mark.parametrize(("game", "shape"), SHAPES)
def test_a_tuple_counts_at_every_place_at_which_its_pieces_can_stand(game: str, shape: str) -> None:
    machine, random = machine_of(game), Random(3)
    layout = anywhere_layout(machine, shape, symmetric=False)
    weights = weights_for(layout)
    values = values_of(layout, weights, digits=6)
    function = value_function(layout, weights)
    for moves in range(5):
        state = random_position(machine, moves, random)
        assert state is not None
        facts, holds = facts_of(layout.geometry, state)
        [part] = [each for each in values.parts if (each.turn, each.role) == (turn_of(layout, facts), 0)]
        total = sum(plain_sum(pattern, layout.geometry, holds) for pattern in part.tuples)
        assert function.values(state[None])[0, 0] == pytest.approx(100 / (1 + np.exp(-total)), abs=0.01)


@pytest.mark.parametrize(
    ("game", "shape", "number", "level"), [("tictactoe.ext", "line 3", 2, 0), ("connectfour7.ext", "line 4", 3, 1)]
)
def test_images_under_symmetries_share_the_weights_of_all_places(
    game: str, shape: str, number: int, level: int
) -> None:
    layout = anywhere_layout(machine_of(game), shape, symmetric=True)
    first = layout.parts[0].tuples
    assert len(first) == number  # straight lines, in one direction or two, and diagonals
    lines = read_shape(shape).on(layout.geometry)
    assert len(layout.network.views[0].tuple_weight) == len(lines)
    # A line that is mirrored and moved back onto itself has its contents in the other order.
    length = len(first[0].points)
    row = next(each for each in first if len(set(layout.geometry.points[list(each.points), level].tolist())) == 1)
    for contents in itertools.product((NOTHING, *layout.choices(row)[0][1:]), repeat=length):
        place, image = places_of(layout, row, [contents, contents[::-1]])
        assert layout.network.next_tied[place] == image


def test_a_tuple_goes_over_joined_ends_of_a_board() -> None:
    geometry = TORUS.geometry
    on_point = [np.flatnonzero(geometry.fluent_point == point).tolist() for point in range(geometry.n_points)]
    [first, *_] = read_shape("line 3").on(geometry)
    image = TupleLayout(first, tuple(tuple(on_point[point]) for point in first), 0, anywhere=True)
    piece = geometry.fluent_piece.astype(np.int32)
    found = list(image.translations(geometry, piece, [(piece[each].tolist(), each) for each in on_point]))
    assert len({each.key for each in found}) == len(found) == geometry.n_points
    assert image in found


def test_a_weight_is_for_some_places_on_top_of_the_one_for_all() -> None:
    layout = layout_for(machine_of("tictactoe.ext"), ValueShape((Lines(3), Lines(3, shared=True))))
    both = [each for each in layout.parts[0].tuples if each.points == layout.parts[0].tuples[0].points]
    assert [each.anywhere for each in both] == [False, True]
    assert len(layout.network.views[0].tuple_weight) == 2 * 8


def test_lines_of_five_anywhere_make_a_small_network_of_gomoku() -> None:
    layout = layout_for(load_machine("gomoku.ext"), ValueShape((Goals(shared=True),)))
    assert [each.size for part in layout.parts for each in part.tuples] == [3**5, 3**5]  # straight and diagonal lines
    assert len(layout.network.views[0].tuple_weight) == 572


def test_values_survive_a_file(tmp_path: Path) -> None:
    machine = machine_of("connectfour7.ext")
    layout = layout_for(machine, ValueShape((Lines(2), Lines(2, shared=True), Goals(shared=True))))
    values = values_of(layout, weights_for(layout))
    read_back(values, machine, tmp_path / "values.xml")
    text = (tmp_path / "values.xml").read_text()
    assert text.count('anywhere="True"') == sum(each.anywhere for part in values.parts for each in part.tuples) > 0


def test_words_say_that_a_weight_is_for_all_places() -> None:
    machine = machine_of("tictactoe.ext")
    pair = TupleWeights(((1, 1), (1, 2)), {("x", "x"): 0.5}, anywhere=True)
    [part] = describe_values(Values((), True, "", (), (ValuePart(0, 0, 0, {}, (pair,)),)), machine).parts
    [each] = part.tuples
    assert each.places == 6
    assert tuple_in_words(each, machine.sheet.display) == "x at 1 1, 1 2, and so anywhere on the board"


def test_what_cannot_be_anywhere_is_refused(tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    twice = tuple(
        TupleWeights(cells, {("x", "x"): 1.0}, anywhere=True) for cells in (((1, 1), (1, 2)), ((3, 3), (3, 2)))
    )
    with pytest.raises(KnowledgeError, match="the tuple or its image is named before"):
        compile_values(Values((), True, "", (), (ValuePart(0, 0, 0, {}, twice),)), machine)
    with pytest.raises(ValueError, match="has no place on the board"):
        TupleWeights((), {}, groups=(("(control x)",),), anywhere=True)
    for shape in ("facts 2 anywhere", "line 4 anywhere anywhere", "line 11 anywhere", "anywhere", "goalsanywhere"):
        with pytest.raises(ValueError, match=f"shape '{shape}': give 'line 2'"):
            read_shape(shape)
    with pytest.raises(ConfigError, match="shape 'line 6 anywhere': no such cells"):
        layout_for(machine, ValueShape((Lines(6, shared=True),)))
    facts = TupleWeights((), {("(control x)",): 1.0}, groups=(("(control x)",),))
    file = write(Values((), True, "", (), (ValuePart(0, 0, 0, {}, (facts,)),)), machine, tmp_path / "facts.xml")
    file.write_text(file.read_text().replace("<Tuple>", '<Tuple anywhere="True">'))
    assert_refused(file, machine, "has no place on the board; remove anywhere", "<Tuple")
