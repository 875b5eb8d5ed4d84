"""Tuples are found in what searches see beyond a network, and nothing is found in noise."""

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import Cells, ValueLayout, ValueShape, layout_for, read_shape, shapes_in_words
from gdl_miner.miner.mining.tuples import mine_tuples
from tests.search.matches import RANDOM, played

GAME = "tictactoe5.ext"


def network(machine: Machine, *shapes: str, symmetries: bool = False) -> ValueLayout:
    return layout_for(machine, ValueShape(tuple(map(read_shape, shapes)), symmetries=symmetries))


def states_of(machine: Machine, matches: int = 300) -> NDArray[np.uint64]:
    """Return states of random matches in which somebody has a move."""
    record = played(machine, RANDOM, matches)
    goes_on = np.ones(len(record.states), np.bool_)
    goes_on[record.start[1:] - 1] = False
    return record.states[goes_on]


def planted(machine: Machine, states: NDArray[np.uint64], cells: str) -> NDArray[np.float64]:
    """Return 0.3 where x has an odd number of some cells and o has one of the others, with a little noise."""
    layout = network(machine, cells)
    [(points, *_)] = layout.tuples
    facts = unpack_states(states, len(machine.fluents))
    fluents = [machine.fluents.index(f"(cell {a} {b} x)") for a, b in layout.geometry.points[list(points)].tolist()]
    noise = np.random.default_rng(1).normal(0, 0.02, len(states))
    return 0.3 * facts[:, fluents].all(axis=1) + noise


def test_cells_that_searches_value_together_become_a_tuple() -> None:
    machine = load_machine(GAME)
    states = states_of(machine)
    found = mine_tuples(network(machine, "line 2"), states, planted(machine, states, "cells 1.1 3.4"), 4)
    [points] = read_shape("cells 1.1 3.4").tuples(machine)
    assert set(points) <= set(found.tuples[0])
    assert found.gain > 0.5


def test_nothing_is_found_in_noise() -> None:
    machine = load_machine(GAME)
    states = states_of(machine)
    noise = np.random.default_rng(2).normal(0, 0.1, len(states))
    found = mine_tuples(network(machine, "line 2"), states, noise, 8)
    assert len(found.tuples) <= 1
    assert found.gain < 0.01


def test_what_the_network_has_is_not_found_again() -> None:
    machine = load_machine(GAME)
    states = states_of(machine)
    found = mine_tuples(network(machine, "cells 1.1 3.4"), states, planted(machine, states, "cells 1.1 3.4"), 1)
    [points] = read_shape("cells 1.1 3.4").tuples(machine)
    assert set(points) not in map(set, found.tuples)


def test_images_teach_each_other() -> None:
    machine = load_machine(GAME)
    states = states_of(machine, 60)
    layout = network(machine, "line 2", symmetries=True)
    residual = np.zeros(len(states))
    for symmetry in layout.symmetries:
        if symmetry.keeps_roles:
            [points] = read_shape("cells 1.1 2.3").tuples(machine)
            fluents = [
                layout.geometry.fluents.index(machine.fluents[symmetry.fluents[fluent]])
                for fluent in _x(machine, points)
            ]
            residual += 0.1 * unpack_states(states, len(machine.fluents))[:, fluents].all(axis=1)
    assert mine_tuples(layout, states, residual, 2).gain > 0.3


def _x(machine: Machine, points: tuple[int, ...]) -> list[int]:
    cells = network(machine, "line 2").geometry.points[list(points)].tolist()
    return [machine.fluents.index(f"(cell {a} {b} x)") for a, b in cells]


@pytest.mark.parametrize("text", ["cells 1.1 3.4", "cells 1.1 3.4 | 2.2 2.3 3.3"])
def test_named_cells_are_a_shape(text: str) -> None:
    machine = load_machine(GAME)
    shape = read_shape(text)
    assert str(shape) == text
    assert isinstance(shape, Cells)
    assert [len(each) for each in shape.tuples(machine)] == [
        len(each.split()) for each in text.removeprefix("cells").split("|")
    ]
    assert network(machine, text).n_weights > 0


@pytest.mark.parametrize(
    "text",
    [
        "cells",
        "cells 1.1",
        "cells 1.1 1.1",
        "cells 1.1 1.2 |",
        "cells 1.1 1.2 anywhere",
        "cells a.b c.d",
        "cells " + "1.1 " * 9,
    ],
)
def test_other_cells_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="give 'line 2'"):
        read_shape(text)


def test_people_read_how_many_tuples_were_mined() -> None:
    assert shapes_in_words(["block 2x2", "cells 1.1 2.2 | 1.2 2.3", "goals"]) == "block 2x2, 2 mined tuples, goals"
    assert shapes_in_words([""]) == shapes_in_words([]) == "facts alone"
