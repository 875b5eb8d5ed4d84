"""Searches whose playouts prefer decisive moves: their twin, many of them in one batch, and their strength."""

from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search import PlayerSpec, play_matches, search_position, search_positions
from gdl_miner.agent.search.seeds import derive_seed
from tests.search.positions import machine_of
from tests.search.test_uct import naive_and_native

MIXES = {
    "decisive": {"decisive_moves": "decisive"},
    "antidecisive": {"decisive_moves": "antidecisive"},
    "auto": {"decisive_moves": "auto"},
    "solver": {"decisive_moves": "decisive", "solver": True, "expansions": 1.4},
}


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext", "pennies", "pebbles"])
@pytest.mark.parametrize("mix", MIXES)
def test_visits_equal_those_of_the_naive_search(game: str, mix: str) -> None:
    machine = machine_of(game)
    player = PlayerSpec(playouts=70, parameters=Parameters(**MIXES[mix]))
    for visits, twin in naive_and_native(machine, player, machine.initial(), 7):
        assert visits == twin


def test_a_search_is_the_same_beside_others_with_other_preferences() -> None:
    machine = machine_of("connectfour.ext")
    parameters = [Parameters(decisive_moves=level) for level in ("off", "decisive", "antidecisive")]
    players = [PlayerSpec(playouts=100, parameters=each) for each in parameters]
    seats = [[first, second] for first in range(3) for second in range(3)]
    seeds = [derive_seed("batch", number) for number in range(9)]
    together = play_matches(machine, players, seats, seeds, [str(number) for number in range(9)])
    for number, (first, second) in enumerate(seats):
        pair = [players[first], players[second]]
        alone = play_matches(machine, pair, [[0, 1]], [seeds[number]], ["alone"])
        steps = slice(together.start[number], together.start[number + 1])
        assert np.array_equal(together.states[steps], alone.states)


def test_playouts_in_flight_prefer_moves_too() -> None:
    machine = machine_of("connectfour.ext")
    player = PlayerSpec(playouts=200, in_flight=8)
    preferring = replace(player, parameters=Parameters(decisive_moves="decisive"))
    one, other, again = (
        search_position(machine, machine.initial(), each, 1)[0].visits.tolist()
        for each in (player, preferring, preferring)
    )
    assert one != other == again


@pytest.mark.slow
@pytest.mark.strength
def test_decisive_playouts_are_stronger_than_random_ones_at_equal_numbers() -> None:
    machine = machine_of("connectfour.ext")
    preferring = PlayerSpec(playouts=200, parameters=Parameters(decisive_moves="decisive"))
    seats = [[0, 1], [1, 0]] * 100
    seeds = [derive_seed("strength", number) for number in range(200)]
    record = play_matches(machine, [preferring, PlayerSpec(playouts=200)], seats, seeds, list(map(str, range(200))))
    mine = np.where(record.players[:, 0] == 0, record.goals[:, 0], record.goals[:, 1])
    assert mine.mean() > 60


def test_lone_states_are_searched_with_preferences() -> None:
    machine = machine_of("tictactoe.ext")
    player = PlayerSpec(playouts=50, parameters=Parameters(decisive_moves="antidecisive"))
    [(result,)] = search_positions(machine, [machine.initial()], player, [3])
    assert result.visits.sum() == 50
