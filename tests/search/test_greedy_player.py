"""A greedy player makes the move that its values say is worth most, and takes certain wins."""

from random import Random

import numpy as np
import pytest

from agent.reasoner.machine import Machine
from agent.search import PlayerSpec, play_matches
from agent.search.uct import search_positions
from tests.search.naive_values import goals_of
from tests.search.positions import machine_of
from tests.values.random_values import random_function


def greedy_player(machine: Machine, seed: int) -> PlayerSpec:
    return PlayerSpec(playouts=50, values=random_function(machine, seed, size=0.2)).greedy()


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "connectfour.ext", "checkers.ext"])
def test_the_move_worth_most_is_made(game: str) -> None:
    machine = machine_of(game)
    player = greedy_player(machine, 3)
    assert player.values is not None
    record = play_matches(machine, [PlayerSpec("random")], [[0, 0]] * 40, range(40), [str(each) for each in range(40)])
    states = [state for state in record.states if not machine.terminal(state)]
    compared = wins = 0
    for state in Random(1).sample(states, 120):
        for role, rows in enumerate(machine.legal(state)):
            if len(rows) < 2:
                continue
            joints = [[int(own[0]) for own in machine.legal(state)] for _ in rows]
            for joint, row in zip(joints, rows, strict=True):
                joint[role] = int(row)
            after = [machine.next(state, joint) for joint in joints]
            worth = [
                goals_of(machine, each)[role]
                if machine.terminal(each)
                else float(player.values.values(np.array([each]))[0, role])
                for each in after
            ]
            [found] = search_positions(machine, [state], player, [7])[0]
            made = worth[rows.tolist().index(found.best)]
            assert made >= max(worth) - 0.001
            wins += max(worth) == 100
            compared += 1
    assert compared > 80
    assert wins > 0 or game == "checkers.ext"


def test_a_player_without_values_cannot_be_greedy() -> None:
    with pytest.raises(ValueError, match="needs values"):
        PlayerSpec().greedy()
