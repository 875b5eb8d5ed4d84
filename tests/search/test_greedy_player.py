"""A greedy player makes the best move by its values, and takes certain wins, or else by its features."""

from random import Random

import numpy as np
import pytest

from gdl_miner.agent.features import MoveBatch, occurrences
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Phase, score
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.search.uct import search_positions
from tests.knowledge.random_knowledge import random_knowledge
from tests.search.matches import RANDOM, played
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
    record = played(machine, RANDOM, 40)
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


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "checkers.ext"])
@pytest.mark.parametrize("scoring", ["additive", "exponential"])
def test_without_values_a_move_with_the_largest_weight_is_made(game: str, scoring: str) -> None:
    machine, dice = machine_of(game), Random(game)
    geometry = geometry_of(machine)
    record = played(machine, RANDOM, 40)
    steps = [step for step in dice.sample(range(len(record.states)), 60) if not machine.terminal(record.states[step])]
    made = np.repeat(steps, 2), record.moves[steps].reshape(-1)
    batch = MoveBatch(record.states, record.last_rows(), *(each.astype(np.int32) for each in made))
    features = list(occurrences(batch, geometry).features)
    knowledge = random_knowledge(machine, dice, features, features_in_selection=True, scoring=scoring)
    player = PlayerSpec().with_knowledge(knowledge, machine).greedy()
    compared = 0
    for step in steps:
        state, last = record.states[step], record.last_rows()[step]
        for found in search_positions(machine, [state], player, [step], last_rows=[last])[0]:
            position = Position.of(geometry, state, last.tolist())
            weights = [score(knowledge, position, found.role, int(row), Phase.SELECTION) for row in found.rows]
            assert weights[found.rows.tolist().index(found.best)] == max(weights)
            compared += len(set(weights)) > 1
    assert compared > 10


def test_a_player_without_knowledge_cannot_be_greedy() -> None:
    with pytest.raises(ValueError, match="needs values of states or features"):
        PlayerSpec().greedy()
