"""A network begins with the mean of what its parents have learned."""

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import (
    LearnedWeights,
    ValueLayout,
    ValueShape,
    inherited,
    layout_for,
    plain_value,
    read_shape,
)
from tests.search.matches import RANDOM, played
from tests.values.random_values import random_weights

GAMES = ("tictactoe5.ext", "breakthrough.ext")


def network(machine: Machine, *shapes: str) -> ValueLayout:
    return layout_for(machine, ValueShape(tuple(map(read_shape, shapes))))


def learned(layout: ValueLayout, seed: int) -> LearnedWeights:
    return LearnedWeights(*(random_weights(layout, 10 * seed + number, 0.05) for number in range(3)))


def sums(machine: Machine, layout: ValueLayout, weights: np.ndarray) -> np.ndarray:
    """Return the log-odds of states of a random match, to the first role."""
    states = played(machine, RANDOM, 1).states
    values = [
        plain_value(layout.network, weights, np.flatnonzero(np.unpackbits(state.view(np.uint8), bitorder="little")), 0)
        for state in states
    ]
    return np.log(np.array(values) / (1 - np.array(values)))


@pytest.mark.parametrize("game", GAMES)
def test_a_network_with_all_tuples_of_two_parents_has_the_mean_of_their_sums(game: str) -> None:
    machine = load_machine(game)
    one, other = network(machine, "line 2", "block 2x2 anywhere"), network(machine, "line 3", "block 2x2 anywhere")
    both = network(machine, "block 2x2 anywhere", "line 2", "line 3")
    first, second = learned(one, 1), learned(other, 2)
    child = inherited(both, [(one, first), (other, second)])
    mean = (sums(machine, one, first.weights) + sums(machine, other, second.weights)) / 2
    assert sums(machine, both, child.weights) == pytest.approx(mean, abs=1e-4)


@pytest.mark.parametrize("game", GAMES)
def test_a_tuple_that_is_added_changes_no_sum_and_one_that_is_left_out_loses_its_own(game: str) -> None:
    machine = load_machine(game)
    small, large = network(machine, "line 2"), network(machine, "line 2", "block 2x2")
    weights = learned(small, 1)
    grown = inherited(large, [(small, weights)])
    assert sums(machine, large, grown.weights) == pytest.approx(sums(machine, small, weights.weights), abs=1e-5)
    assert large.n_weights > small.n_weights == np.count_nonzero(grown.weights)
    back = inherited(small, [(large, grown)])
    assert all((one == other).all() for one, other in zip(back, weights, strict=True))


def test_without_parents_nothing_is_known() -> None:
    layout = network(load_machine(GAMES[0]), "line 2")
    assert not any(each.any() for each in inherited(layout, []))
