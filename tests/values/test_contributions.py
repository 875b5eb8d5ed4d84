"""Contributions of weights in a state add up to the value that the native function gives it."""

import random

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import StateJudge, ValueLayout, exclusive_groups, layout_for, value_of, values_of
from gdl_miner.agent.values.network_shape import ValueShape
from tests.values.random_values import random_values, random_weights


def states_of(machine: Machine, seed: int) -> list[np.ndarray]:
    dice, state, found = random.Random(seed), machine.initial(), []
    while not machine.terminal(state):
        found.append(state)
        state = machine.next(state, [int(dice.choice(rows.tolist())) for rows in machine.legal(state)])
    return [*found, state]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", ["tictactoe.ext", "connectfour7.ext", "breakthrough.ext"])
def test_weights_add_up_to_the_value(name: str, symmetric: bool) -> None:
    machine = load_machine(name)
    for seed in range(2):
        layout, weights = random_values(machine, seed, symmetric=symmetric, size=0.3)
        judge = StateJudge(values_of(layout, weights), machine)
        for state in states_of(machine, seed)[::5]:
            known = judge.values(state[None])[0]
            for role in range(2):
                found = judge.contributions(state, role)
                assert value_of(found) == pytest.approx(known[role], abs=0.01)
                assert all(each.weight and each.words for each in found)
                assert [abs(each.weight) for each in found] == sorted(
                    (abs(each.weight) for each in found), reverse=True
                )


def test_weights_of_groups_of_facts_are_told_by_facts() -> None:
    machine = load_machine("tictactoe.ext")
    groups = exclusive_groups(machine)[:2]
    layout = ValueLayout(machine, (), (), constant_sum=False, blank=0, groups=[tuple(groups)])
    judge = StateJudge(values_of(layout, random_weights(layout, 1)), machine)
    for state in states_of(machine, 1):
        known = judge.values(state[None])[0]
        assert value_of(judge.contributions(state, 1)) == pytest.approx(known[1], abs=0.01)


def test_a_tuple_is_told_by_its_cells() -> None:
    machine = load_machine("tictactoe.ext")
    layout = layout_for(machine, ValueShape("auto"))
    judge = StateJudge(values_of(layout, random_weights(layout, 2)), machine)
    state = machine.state_of(["(cell 1 1 x)", "(cell 2 1 o)", "(control x)"])
    words = {each.words: each for each in judge.contributions(state, 0)}
    [found] = [each for text, each in words.items() if text == "x at 1 1; o at 2 1 and nothing at 3 1"]
    assert found.cells == ((1, 1), (2, 1), (3, 1))
    assert [machine.fluents[fluent] for fluent in found.fluents] == ["(cell 1 1 x)", "(cell 2 1 o)"]
