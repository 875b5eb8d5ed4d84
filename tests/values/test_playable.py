"""Contents of empty cells that tell who may move there: `playable`."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.geometry import find_symmetries, geometry_of
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.values import (
    LearnedWeights,
    StateJudge,
    TupleWeights,
    ValueLayout,
    ValueShape,
    compile_values,
    describe_values,
    draw_tuple,
    inherited,
    layout_for,
    plain_value,
    playable_weights,
    read_shape,
    shapes_in_words,
    tells_playable,
    train_round,
    tuple_in_words,
    value_function,
    value_of,
    values_of,
)
from gdl_miner.agent.values.layout import find_turns
from gdl_miner.agent.values.playable import playable_sample
from tests.instruction_sets import BASELINE, EACH_SET
from tests.native.naive_self_play import facts_of
from tests.native.test_self_play import assert_taught_alike, bytes_of, settings_of
from tests.search.positions import machine_of, random_match
from tests.search.test_values_in_search import WAYS, assert_alike
from tests.values.files import assert_refused, read_back, write
from tests.values.random_values import random_layout, random_weights
from tests.values.test_anywhere import weights_for

# Both roles fill a cell at the same time, from below, and the second one in two of the three columns only. What both
# fill is nobody's.
CROWD = "\n".join(
    [
        "(role x) (role o) (init (step 0))",
        "(boarddimnum 2) (boardboundaries 1 3) (boardfunctor cell) (boardpattern dim dim piece)",
        "(playfunctor mark) (playpattern dim dim)",
        "(column x 1) (column x 2) (column x 3) (column o 2) (column o 3) (succ 1 2) (succ 2 3)",
        "(row 1) (row 2) (row 3) (after 0 1) (after 1 2) (after 2 3) (after 3 4)",
        "(<= (filled ?x ?y) (true (cell ?x ?y ?p)))",
        "(<= (resting ?x 1) (column x ?x))",
        "(<= (resting ?x ?y) (filled ?x ?below) (succ ?below ?y))",
        "(<= (legal ?r (mark ?x ?y)) (column ?r ?x) (row ?y) (resting ?x ?y) (not (filled ?x ?y)))",
        "(<= (legal ?r wait) (role ?r))",
        "(<= (both ?x ?y) (does x (mark ?x ?y)) (does o (mark ?x ?y)))",
        "(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))",
        "(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)) (not (both ?x ?y)))",
        "(<= (next (cell ?x ?y n)) (both ?x ?y))",
        "(<= (next (step ?m)) (true (step ?n)) (after ?n ?m))",
        "(<= terminal (true (step 4)))",
        "(<= (goal x 100) (true (cell 2 2 x)))",
        "(<= (goal x 0) (not (true (cell 2 2 x))))",
        "(<= (goal o 100) (true (cell 3 1 o)))",
        "(<= (goal o 30) (not (true (cell 3 1 o))))",
    ]
)
TELLING = ["connectfour.ext", "breakthrough.ext", "othello.ext", "amazons.ext", "crowd"]


@cache
def machine_named(game: str) -> Machine:
    return load_machine(parse_sheet(CROWD, "crowd")) if game == "crowd" else machine_of(game)


def laid(machine: Machine, *shapes: str) -> ValueLayout:
    return layout_for(machine, ValueShape(tuple(map(read_shape, shapes))))


def states_of(machine: Machine, matches: int, steps: int = 500) -> NDArray[np.uint64]:
    dice = Random(4)
    return np.array([state for _ in range(matches) for state, _ in random_match(machine, dice, steps)])


def sample_of(machine: Machine) -> Any:
    return playable_sample(machine, find_turns(machine))


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("game", TELLING)
def test_playable_cells_are_those_of_the_plain_twin(game: str, isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = machine_named(game)
    monkeypatch.setenv("GDL_MINER_ISA", isa)
    cells = sample_of(machine).cells
    states = states_of(machine, 1, 40)
    found = cells.in_states(machine, states)
    assert found.any()
    assert [np.flatnonzero(own).tolist() for own in found] == [cells.plain(machine, state) for state in states]


def test_a_cell_that_several_may_fill_has_a_content_of_its_own() -> None:
    machine = machine_named("crowd")
    sample = sample_of(machine)
    assert sample.kinds == ((0, 1, 2),)
    columns = (geometry_of(machine).points[:, 0] - 1).tolist()
    facts = sample.cells.plain(machine, machine.initial())
    assert {columns[fact // 3]: fact % 3 for fact in facts} == {0: 0, 1: 2, 2: 2}


def test_each_turn_knows_its_mover_alone() -> None:
    assert sample_of(machine_of("breakthrough.ext")).kinds == ((0,), (1,))
    layout = laid(machine_of("breakthrough.ext"), "line 2 playable")
    assert {len(each) for part in layout.parts for own in part.tuples for each in own.fluents} == {3}


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", TELLING)
def test_native_values_are_those_of_the_twin(game: str, symmetric: bool) -> None:
    machine = machine_named(game)
    states = states_of(machine, 1, 40)
    for seed in range(2):
        layout = random_layout(machine, seed, symmetric=symmetric, playable=True)
        weights = np.round(random_weights(layout, seed) * 65536).astype(np.float32) / np.float32(65536)
        found = value_function(layout, weights).values(states, machine.native) / 100
        facts = [np.array(facts_of(layout, state), np.int32) for state in states]
        padded = np.pad(weights, (0, 10**5))
        expected = [
            [plain_value(layout.network, padded, each, role) for role in range(len(machine.roles))] for each in facts
        ]
        assert np.abs(found - expected).max() < 1e-9


def test_values_of_playable_cells_need_the_machine() -> None:
    machine = machine_of("connectfour.ext")
    function = value_function(*_random(machine, 1))
    with pytest.raises(ValueError, match="look at derived facts: give the machine"):
        function.values(machine.initial()[None])


def _random(machine: Machine, seed: int) -> tuple[ValueLayout, NDArray[np.float32]]:
    layout = random_layout(machine, seed, playable=True)
    return layout, random_weights(layout, seed, 0.5)


def test_the_images_of_a_state_are_worth_the_same() -> None:
    machine = machine_of("breakthrough.ext")
    layout = laid(machine, "line 3 playable", "block 2x2 anywhere playable")
    function = value_function(layout, weights_for(layout))
    states = states_of(machine, 1)[:-1]
    values = function.values(states, machine.native)
    symmetries = [each for each in find_symmetries(machine) if not each.is_identity]
    assert {each.keeps_roles for each in symmetries} == {True, False}
    for symmetry in symmetries:
        images = function.values(symmetry.image(states), machine.native)
        assert images[:, list(symmetry.roles)] == pytest.approx(values, abs=1e-3)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", ["connectfour7.ext", "crowd"])
def test_the_weights_are_those_of_the_reference_implementation(game: str, symmetric: bool) -> None:
    layout = random_layout(machine_named(game), 3, symmetric=symmetric, playable=True)
    settings = settings_of(games=3 if game != "crowd" else 40, seed=5, trace=0.7, step=4.0, opening=3)
    start = LearnedWeights.new(layout)._replace(weights=random_weights(layout, 1, 0.2))
    assert_taught_alike(layout, start, settings)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("game", ["breakthrough.ext", "crowd"])
def test_every_instruction_set_teaches_the_same(game: str, isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = random_layout(machine_named(game), 2, playable=True)
    found = set()
    for name in (BASELINE, isa):
        monkeypatch.setenv("GDL_MINER_ISA", name)
        found.add(bytes_of(train_round(layout, LearnedWeights.new(layout), settings_of(games=40, seed=9))[0]))
    assert len(found) == 1


@pytest.mark.parametrize("way", ["values alone", "values of moves", "solver, mixed", "not trusted, mixed"])
@pytest.mark.parametrize("game", ["connectfour.ext", "breakthrough.ext", "crowd"])
def test_a_match_is_that_of_the_reference_search(game: str, way: str) -> None:
    machine = machine_named(game)
    values = value_function(*_random(machine, 2))
    assert_alike(machine, PlayerSpec(playouts=12, parameters=Parameters(**WAYS[way]), values=values), 6)


def test_mined_tuples_are_named_by_their_number() -> None:
    assert shapes_in_words(["cells 0.0 1.1 | 0.1 1.2 playable", "goals"]) == "2 mined tuples playable, goals"


@pytest.mark.parametrize("game", ["hex5.ext", "tictactoe.ext", "gomoku.ext"])
def test_games_where_every_empty_cell_can_be_filled_refuse_it(game: str) -> None:
    assert not tells_playable(machine_of(game))
    with pytest.raises(ConfigError, match=r"'line 2 playable': moves .* all times; leave playable out"):
        laid(machine_of(game), "line 2 playable")


def test_games_without_a_board_have_nothing_playable() -> None:
    assert not tells_playable(machine_of("pennies"))
    with pytest.raises(ConfigError, match="leave the shape out"):
        laid(machine_of("pennies"), "line 2 playable")


def test_the_same_cells_may_be_plain_and_playable() -> None:
    machine = machine_of("connectfour7.ext")
    plain, both = laid(machine, "line 3"), laid(machine, "line 3", "line 3 playable")
    assert len(both.parts[0].tuples) == 2 * len(plain.parts[0].tuples)
    assert [own.playable for own in both.parts[0].tuples] == sorted(own.playable for own in both.parts[0].tuples)


@pytest.mark.parametrize("game", ["connectfour7.ext", "breakthrough.ext", "checkers.ext", "crowd"])
@pytest.mark.parametrize("shape", ["line 2", "line 3 anywhere", "walks 5x4"])
def test_the_number_of_weights_is_known_beforehand(game: str, shape: str) -> None:
    machine = machine_named(game)
    assert playable_weights(laid(machine, shape)) == laid(machine, f"{shape} playable").n_weights


def test_weights_of_tuples_are_inherited_by_their_like() -> None:
    machine = machine_of("connectfour7.ext")
    parent, child = laid(machine, "line 2 playable"), laid(machine, "line 2", "line 3", "line 2 playable")
    learned = LearnedWeights.new(parent)._replace(weights=random_weights(parent, 3))
    weights = inherited(child, [(parent, learned)]).weights
    states = states_of(machine, 1)[:-1]
    before = value_function(parent, learned.weights).values(states, machine.native)
    assert value_function(child, weights).values(states, machine.native) == pytest.approx(before, abs=1e-3)
    assert not inherited(laid(machine, "line 2"), [(parent, learned)]).weights[-1]


@pytest.mark.parametrize("shapes", [("line 2 playable", "line 3 anywhere playable"), ("line 2", "walks 9x6 playable")])
def test_values_survive_a_knowledge_file(shapes: tuple[str, ...], tmp_path: Path) -> None:
    machine = machine_of("connectfour7.ext")
    layout = laid(machine, *shapes)
    weights = random_weights(layout, 4)
    values = values_of(layout, weights)
    found = read_back(values, machine, tmp_path / "values.xml")
    states = states_of(machine, 1)
    expected = value_function(layout, weights).values(states, machine.native)
    assert compile_values(found, machine).values(states, machine.native) == pytest.approx(expected, abs=0.5)
    text = (tmp_path / "values.xml").read_text()
    assert 'playable="True"' in text
    assert "(may white)" in text


def test_what_cannot_be_playable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no cells to which roles may move"):
        TupleWeights((), {}, groups=(("(control x)",),), playable=True)
    machine = machine_of("tictactoe.ext")
    layout = laid(machine, "facts 2")
    file = write(values_of(layout, random_weights(layout, 1)), machine, tmp_path / "groups.xml")
    file.write_text(file.read_text().replace("<Tuple ", '<Tuple playable="True" '))
    assert_refused(file, machine, "no cells to which roles may move; remove playable", "<Tuple")


def test_what_each_weight_adds_is_told() -> None:
    machine = machine_of("connectfour7.ext")
    layout = laid(machine, "line 2 playable", "line 2")
    judge = StateJudge(values_of(layout, random_weights(layout, 3, 0.1)), machine)
    for state in states_of(machine, 1)[:-1:6]:
        for role, value in enumerate(judge.values(state[None])[0]):
            assert value_of(judge.contributions(state, role)) == pytest.approx(value, abs=0.01)
    words = {each.words: each for each in judge.contributions(machine.initial(), 0)}
    found = words["nothing (white may move there) at 1 1 and nothing (no move leads there) at 1 2"]
    assert (found.cells, found.fluents) == (((1, 1), (1, 2)), ())


def test_words_and_pictures_say_who_may_move_where() -> None:
    machine = machine_of("connectfour7.ext")
    layout = laid(machine, "line 2 playable")
    described = describe_values(values_of(layout, random_weights(layout, 1)), machine)
    said = {tuple_in_words(each, machine.sheet.display): each for part in described.parts for each in part.tuples}
    each = said["nothing (white may move there) at 1 1 and nothing (no move leads there) at 1 2"]
    assert each.contents == ("(may white)", ".")
    assert each.playable
    picture = draw_tuple(each.cells, each.contents, geometry_of(machine))
    assert picture.count("white may move here") == 1
    crowd = machine_named("crowd")
    layout = laid(crowd, "line 2 playable")
    described = describe_values(values_of(layout, random_weights(layout, 1)), crowd)
    words = " ".join(tuple_in_words(each, crowd.sheet.display) for part in described.parts for each in part.tuples)
    assert "nothing (several roles may move there) at 2 1" in words
