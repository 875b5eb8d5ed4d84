"""Searches whose playouts prefer decisive moves: many of them in one batch, and their strength."""

from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search import PlayerSpec, search_position
from gdl_miner.agent.search.seeds import derive_seed
from tests.search.matches import both_ways, goals_of_first, played
from tests.search.positions import machine_of


def test_a_search_is_the_same_beside_others_with_other_preferences() -> None:
    machine = machine_of("connectfour.ext")
    parameters = [Parameters(decisive_moves=level) for level in ("off", "decisive", "antidecisive")]
    players = [PlayerSpec(playouts=100, parameters=each) for each in parameters]
    seats = [[first, second] for first in range(3) for second in range(3)]
    seeds = [derive_seed("batch", number) for number in range(9)]
    together = played(machine, players, seats, seeds)
    for number, (first, second) in enumerate(seats):
        pair = [players[first], players[second]]
        alone = played(machine, pair, [[0, 1]], [seeds[number]])
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
    seeds = [derive_seed("strength", number) for number in range(200)]
    record = played(machine, [preferring, PlayerSpec(playouts=200)], both_ways(200), seeds)
    assert goals_of_first(record).mean() > 60
