"""Values of states in native code are those of the plain twin in Python."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from gdl_miner.agent.geometry import EMPTY, find_symmetries
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import CellTuple, ValueLayout, plain_value, value_function
from gdl_miner.agent.values.layout import WEIGHT_UNIT
from tests.native.naive_self_play import fluents_of
from tests.search.positions import machine_of, random_match
from tests.values.random_values import random_layout, random_weights

GAMES = [
    "tictactoe.ext",
    "breakthrough.ext",
    "connectfour.ext",
    "othello.ext",
    "pennies",
    "picks",
    "three",
    "race",
    "track",
]


def random_states(machine: Machine, random: Random, matches: int) -> np.ndarray:
    """Return the states of random matches, and states of random facts, which no match may reach."""
    states = []
    for _ in range(matches):
        states += [state for state, _ in random_match(machine, random)]
    for _ in range(20):
        share = random.random()
        bits = np.zeros(64 * len(states[0]), np.uint8)
        bits[: len(machine.fluents)] = [random.random() < share for _ in machine.fluents]
        states.append(np.packbits(bits, bitorder="little").view(np.uint64))
    return np.array(states)


def assert_equals_the_twin(layout: ValueLayout, seed: int, states: np.ndarray) -> None:
    """Compare the values of states with random weights; states of random facts may select places behind the last."""
    whole = np.round(random_weights(layout, seed) / WEIGHT_UNIT) * WEIGHT_UNIT
    weights = np.pad(whole.astype(np.float32), (0, 10**5))
    found = value_function(layout, weights[: layout.n_weights]).values(states) / 100
    facts = [np.array(fluents_of(state), np.int32) for state in states]
    players = layout.machine.circuit.choosing_roles
    expected = [[plain_value(layout.network, weights, each, role) for role in players] for each in facts]
    assert np.abs(found[:, players] - expected).max() < 1e-9
    assert not np.delete(found, players, axis=1).any()  # to chance no state is worth anything


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_native_values_are_those_of_the_twin(game: str, symmetric: bool) -> None:
    machine, random = machine_of(game), Random(3)
    for seed in range(4):
        layout = random_layout(machine, seed, symmetric=symmetric)
        assert_equals_the_twin(layout, seed, random_states(machine, random, 3))


def test_the_value_of_a_state_without_weights_is_a_half() -> None:
    machine = machine_of("breakthrough.ext")
    layout = random_layout(machine, 1)
    function = value_function(layout, np.zeros(layout.n_weights, np.float32))
    assert function.values(np.array([machine.initial()])).tolist() == [[50.0, 50.0]]


def test_the_values_of_two_roles_have_a_constant_sum_where_the_layout_says_so() -> None:
    machine = machine_of("othello.ext")
    layout = random_layout(machine, 2)
    values = value_function(layout, random_weights(layout, 1)).values(random_states(machine, Random(1), 1))
    assert layout.constant_sum
    assert values.sum(axis=1) == pytest.approx(np.full(len(values), 100.0))


def test_weights_and_states_of_another_game_are_refused() -> None:
    machine = machine_of("breakthrough.ext")
    layout = random_layout(machine, 1)
    with pytest.raises(ValueError, match="number of weights"):
        value_function(layout, np.zeros(layout.n_weights + 1, np.float32))
    function = value_function(layout, np.zeros(layout.n_weights, np.float32))
    with pytest.raises(ValueError, match="another game"):
        function.values(np.array([machine_of("tictactoe.ext").initial()]))


@pytest.mark.parametrize("name", ["weights", "tuple_weight", "fact_weight", "term", "stage_numbers"])
def test_networks_that_do_not_fit_the_game_are_refused(name: str) -> None:
    layout = random_layout(load_machine("connectfour.ext"), 1)
    network = layout.network
    view = network.views[0]
    if name == "weights":
        network = replace(network, n_weights=1)
    elif name == "stage_numbers":
        network = replace(network, stage_numbers=np.array([5, 3], np.int32))
    else:
        network = replace(network, views=(replace(view, **{name: getattr(view, name) - 10**6}), *network.views[1:]))
    layout.network = network
    with pytest.raises(ValueError, match="value network"):
        value_function(layout, np.zeros(network.n_weights, np.float32))


@pytest.mark.parametrize("game", ["tictactoe.ext", "track"])
def test_images_of_a_state_have_its_values(game: str) -> None:
    machine = machine_of(game)
    tuples = [
        CellTuple(points) for points in ((0, 1), (1, 4), (0, 1, 4), (0, 1, 3, 5))
    ]  # no symmetry changes the order of the points of one of these
    layout = ValueLayout(machine, find_symmetries(machine), tuples, constant_sum=True, blank=EMPTY, stages=[3, 5])
    assert layout.exchange is not None
    assert {part.turn for part in layout.parts} == set(range((len(layout.turns) + 1) // 2))
    function = value_function(layout, random_weights(layout, 5))
    states = random_states(machine, Random(2), 5)
    values = function.values(states)
    for symmetry in layout.symmetries:
        images = []
        for state in states:
            bits = np.zeros(64 * len(state), np.uint8)
            bits[symmetry.fluents[fluents_of(state)]] = 1
            images.append(np.packbits(bits, bitorder="little").view(np.uint64))
        expected = values if symmetry.keeps_roles else values[:, list(symmetry.roles)]
        found = function.values(np.array(images))
        own = [place for place, state in enumerate(states) if has_one_turn(machine, state)]
        assert found[own] == pytest.approx(expected[own], abs=1e-9)


def has_one_turn(machine: Machine, state: np.ndarray) -> bool:
    """Whether the state says whose turn it is, which states of random facts may not."""
    return sum(machine.fluents[fluent].startswith(("(control ", "(turn ")) for fluent in fluents_of(state)) == 1
