"""Tuples with weights of their own for each side to move: `each side`."""

from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.values import (
    LearnedWeights,
    TupleWeights,
    ValueLayout,
    ValueShape,
    compile_values,
    describe_values,
    inherited,
    layout_for,
    layout_of,
    plain_value,
    read_shape,
    shares_sides,
    value_function,
    values_in_words,
    values_of,
    weights_of,
)
from tests.native.naive_self_play import facts_of
from tests.search.positions import machine_of
from tests.values.files import assert_refused, read_back, write
from tests.values.random_values import random_weights
from tests.values.test_playable import states_of

SHARING = ["tictactoe.ext", "connectfour7.ext", "othello.ext", "breakthrough.ext", "hex5.ext"]


def laid(game: str, *shapes: str) -> ValueLayout:
    return layout_for(machine_of(game), ValueShape(tuple(map(read_shape, shapes))))


@pytest.mark.parametrize("game", SHARING)
def test_each_side_has_a_table_of_its_own(game: str) -> None:
    shared, own = laid(game, "line 3"), laid(game, "line 3 each side")
    [part] = shared.parts
    first, second = own.parts
    assert (first.turn, second.turn, second.role) == (0, 1, shared.network.players[1])
    assert [each.points for each in first.tuples] == [each.points for each in part.tuples]
    assert {each.points for each in second.tuples} == {each.points for each in first.tuples}
    assert (first.facts, second.facts) == (part.facts, {})
    assert own.n_weights == 2 * shared.n_weights - len(part.facts)
    assert len(own.network.views[0].tuple_weight) == len(shared.network.views[0].tuple_weight)
    places = [set(view.tuple_weight.tolist()) for view in own.network.views]
    assert not places[0] & places[1]


@pytest.mark.parametrize("game", SHARING)
def test_the_same_tables_for_both_sides_are_those_that_they_share(game: str) -> None:
    """What the exchange makes of a state is worth the same to the other side, unless the sides' weights differ."""
    layout = laid(game, "line 2", "line 3 each side")
    machine = layout.machine
    weights = random_weights(layout, 1, 0.1)
    exchange = layout.exchange
    assert exchange is not None
    state = states_of(machine, 1)[-2]
    fluents = [fact for fact in facts_of(layout, state) if fact < len(machine.fluents)]
    moved = np.array(sorted(exchange.fluents[fluents].tolist()), np.int32)
    values = [plain_value(layout.network, weights, np.array(fluents, np.int32), 0)]
    values.append(plain_value(layout.network, weights, moved, 1))
    assert values[0] != pytest.approx(values[1], abs=1e-6)
    own = [each for part in layout.parts for each in part.tuples if each.each_side]
    for each in own:
        weights[each.first : each.first + each.size] = 0
    values = [plain_value(layout.network, weights, np.array(fluents, np.int32), 0)]
    values.append(plain_value(layout.network, weights, moved, 1))
    assert values[0] == pytest.approx(values[1], abs=1e-6)


@pytest.mark.parametrize("zero", ["the second side", "both sides"])
def test_sides_without_weights_are_left_out_and_values_find_their_places(zero: str) -> None:
    layout = laid("breakthrough.ext", "line 3 each side")
    first, second = layout.parts
    weights = random_weights(layout, 1, 1.0)
    for own in [*second.tuples, *(first.tuples if zero == "both sides" else ())]:
        weights[own.first : own.first + own.size] = 0
    values = values_of(layout, weights)
    assert [part.turn for part in values.parts] == [0]
    again = layout_of(values, layout.machine)
    assert values_of(again, weights_of(values, again)) == values


@pytest.mark.parametrize(("game", "symmetries"), [("cubicup.ext", True), ("connectfour7.ext", False)])
def test_it_is_refused_where_nothing_is_shared(game: str, symmetries: bool) -> None:
    machine = machine_of(game)
    assert not shares_sides(machine, symmetries)
    with pytest.raises(ConfigError, match="'line 2 each side': each side to move has weights of its own anyway"):
        layout_for(machine, ValueShape((read_shape("line 2 each side"),), symmetries=symmetries))


@pytest.mark.parametrize(
    "shapes", [("line 2", "line 2 each side"), ("line 3 anywhere each side", "walks 9x6 each side")]
)
def test_values_survive_a_knowledge_file(shapes: tuple[str, ...], tmp_path: Path) -> None:
    layout = laid("connectfour7.ext", *shapes)
    machine, weights = layout.machine, random_weights(layout, 4)
    found = read_back(values_of(layout, weights), machine, tmp_path / "values.xml")
    states = states_of(machine, 1)
    expected = value_function(layout, weights).values(states, machine.native)
    assert compile_values(found, machine).values(states, machine.native) == pytest.approx(expected, abs=0.5)
    assert (tmp_path / "values.xml").read_text().count('eachSide="True"') == sum(
        own.each_side for part in layout.parts for own in part.tuples
    )


def test_groups_of_facts_are_of_no_side(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the same for each side"):
        TupleWeights((), {}, groups=(("(control x)",),), each_side=True)
    layout = laid("tictactoe.ext", "facts 2")
    file = write(values_of(layout, random_weights(layout, 1)), layout.machine, tmp_path / "groups.xml")
    file.write_text(file.read_text().replace("<Tuple ", '<Tuple eachSide="True" '))
    assert_refused(file, layout.machine, "the same for each side; remove eachSide", "<Tuple")


def test_weights_of_each_side_are_inherited() -> None:
    parent, child = laid("othello.ext", "line 2 each side"), laid("othello.ext", "line 3", "line 2 each side")
    learned = LearnedWeights.new(parent)._replace(weights=random_weights(parent, 3))
    weights = inherited(child, [(parent, learned)]).weights
    states = states_of(parent.machine, 1)[:-1]
    before = value_function(parent, learned.weights).values(states)
    assert value_function(child, weights).values(states) == pytest.approx(before, abs=1e-3)


def test_words_tell_the_sides_apart() -> None:
    layout = laid("tictactoe.ext", "line 2", "line 3 each side")
    described = describe_values(values_of(layout, random_weights(layout, 1)), layout.machine)
    assert [(part.role, part.turn_fact) for part in described.parts] == [(0, "(control x)"), (1, "(control o)")]
    assert {each.each_side for each in described.parts[0].tuples} == {False, True}
    assert {each.each_side for each in described.parts[1].tuples} == {True}
    words = values_in_words(described, layout.machine.roles, layout.machine.sheet.display)
    assert "weights of their own for each side to move" in words
