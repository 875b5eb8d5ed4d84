"""Moves drawn by their visits where several roles choose at once."""

from functools import cache

import numpy as np
import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.player import Player
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.search.player import mixed_move
from gdl_miner.agent.search.records import MatchBatchRecord
from tests.search.matches import played
from tests.search.matrix_games import MATRIX_GAMES
from tests.search.naive_draws import Draws, hash_combine
from tests.search.positions import machine_of

MATCHES = 1000
DRAW_OF_MOVE = 2**64 - 1  # the part of a move's seed by which it is drawn


@cache
def matrix_machine(name: str) -> Machine:
    return load_machine(parse_sheet(MATRIX_GAMES[name].rules, name))


def play(machine: Machine, share: float, playouts: int, matches: int = MATCHES) -> MatchBatchRecord:
    player = PlayerSpec(parameters=Parameters(mixed_share=share), playouts=playouts)
    return played(machine, player, matches)


def exploitability(name: str, share: float, playouts: int) -> float:
    """Return how much the moves of the first role in many matches can be exploited."""
    machine, game = matrix_machine(name), MATRIX_GAMES[name]
    record = play(machine, share, playouts)
    return game.exploitability(
        game.strategy([machine.circuit.moves[row] for row in record.moves[record.start[:-1], 0]])
    )


@pytest.mark.parametrize("name", sorted(MATRIX_GAMES))
def test_the_equilibria_of_the_games_cannot_be_exploited(name: str) -> None:
    game = MATRIX_GAMES[name]
    assert game.exploitability(np.array(game.equilibrium)) == pytest.approx(0)
    assert sum(game.equilibrium) == pytest.approx(1)


@pytest.mark.strength
@pytest.mark.parametrize("name", sorted(MATRIX_GAMES))
@pytest.mark.parametrize("playouts", [100, 1000])
def test_draws_by_visits_are_hard_to_exploit_and_the_most_visited_move_is_not(name: str, playouts: int) -> None:
    assert exploitability(name, 0.1, playouts) < 6
    assert exploitability(name, 1.0, playouts) > 8


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_native_draw_equals_the_plain_one(share: float) -> None:
    machine = matrix_machine("biased rock paper scissors")
    record = play(machine, share, 100, matches=40)
    for match in range(40):
        step = record.start[match]
        visits = record.visit_count[record.visit_start[step] : record.visit_start[step + 1]].reshape(2, -1)
        rows = record.visit_row[record.visit_start[step] : record.visit_start[step + 1]].reshape(2, -1)
        for role in range(2):
            draws = Draws(hash_combine(hash_combine(hash_combine(match, role), 0), DRAW_OF_MOVE))
            place = mixed_move(visits[role].tolist(), share, draws.below)
            assert place is not None
            assert record.moves[step, role] == rows[role, place]


def test_rarely_visited_moves_are_left_out() -> None:
    drawn = {mixed_move([50, 4, 5, 0], 0.1, lambda total, left=left: left % total) for left in range(200)}
    assert drawn == {0, 2}
    assert {mixed_move([50, 4, 0], 0.0, lambda total, left=left: left % total) for left in range(200)} == {0, 1}
    assert mixed_move([50, 4], 1.0, lambda total: 0) is None
    assert mixed_move([0, 0], 0.1, lambda total: 0) is None


def test_where_one_role_chooses_the_most_visited_move_is_made() -> None:
    machine = machine_of("connectfour.ext")
    mixed, best = play(machine, 0.0, 40, matches=8), play(machine, 1.0, 40, matches=8)
    assert np.array_equal(mixed.moves, best.moves)


def test_a_player_draws_by_the_same_rule() -> None:
    machine = matrix_machine("biased pennies")
    made = []
    for seed in range(40):
        with Player(machine, "one", parameters={"mixed_share": 0.1}, seed=seed) as player:
            thought = player.think(playouts=64)
            made.append(thought.move)
            assert thought.drawn in thought.moves
            assert thought.value == thought.chosen.value
    assert 5 < made.count("heads") < 30
    with Player(machine, "one", parameters={"mixed_share": 1.0}) as player:
        assert player.think(playouts=64).drawn is None
