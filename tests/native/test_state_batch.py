"""Answers about many states at once equal those about one after another."""

import random

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from tests.games.machines import machine

COUNT = 700  # more than there are lanes


def random_states(game: Machine, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return states of random matches with a legal joint move of each; in terminal states any move."""
    dice, state = random.Random(3), game.initial()
    states, joints = [], []
    while len(states) < count:
        legal = game.legal(state)
        over = game.terminal(state)
        rows = [game.rows(role) if over else legal[role].tolist() for role in range(len(game.roles))]
        joint = [dice.choice(found) for found in rows]
        states.append(state)
        joints.append(joint)
        state = game.initial() if over else game.next(state, joint)
    return np.array(states, np.uint64), np.array(joints, np.int32)


@pytest.mark.parametrize("name", ["tictactoe.ext", "connectfour.ext", "breakthrough.ext", "checkers.ext"])
def test_questions_about_many_states_have_the_answers_of_single_ones(name: str) -> None:
    game = machine(name)
    states, joints = random_states(game, COUNT)
    batch = _native.StateBatch(game.native)
    assert batch.terminal(states).tolist() == [game.terminal(state) for state in states]
    expected = [[-1 if goal is None else goal for goal in game.goals(state)] for state in states]
    assert batch.goals(states).tolist() == expected
    start, rows = batch.legal(states)
    assert len(start) == COUNT + 1
    for number, state in enumerate(states):
        assert rows[start[number] : start[number + 1]].tolist() == np.concatenate(game.legal(state)).tolist()
    going = batch.terminal(states) == 0
    after = batch.next(states[going], joints[going])
    expected = [game.next(state, joint) for state, joint in zip(states[going], joints[going].tolist(), strict=True)]
    assert (after == np.array(expected)).all()


def test_no_states_have_no_answers() -> None:
    game = machine("tictactoe.ext")
    batch, none = _native.StateBatch(game.native), np.zeros((0, game.circuit.state_words), np.uint64)
    assert batch.terminal(none).shape == (0,)
    assert batch.legal(none)[0].tolist() == [0]
    assert batch.next(none, np.zeros((0, 2), np.int32)).shape[0] == 0


def test_states_and_moves_of_another_game_are_refused() -> None:
    game = machine("tictactoe.ext")
    batch, words = _native.StateBatch(game.native), game.circuit.state_words
    with pytest.raises(ValueError, match="another game"):
        batch.terminal(np.zeros((1, words + 1), np.uint64))
    with pytest.raises(ValueError, match="a joint move for each state"):
        batch.next(np.zeros((1, words), np.uint64), np.zeros((2, 2), np.int32))
    with pytest.raises(ValueError, match="not a move of its role"):
        batch.next(np.zeros((1, words), np.uint64), np.zeros((1, 2), np.int32))


def test_autonomous_fluents_are_the_turns_of_a_game_without_other_clocks() -> None:
    game = machine("breakthrough.ext")
    fixed = _native.autonomous_fluents(game.native)
    assert [name for name, each in zip(game.fluents, fixed, strict=True) if each] == [
        name for name in game.fluents if "control" in name
    ]
