"""The role `random` moves uniformly at random: in searches, playouts and matches it is chance, and no player."""

import random
from typing import Any

import pytest

from gdl_miner.agent import Player
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameters import OPTIONS
from gdl_miner.agent.reasoner.engines import InterpreterEngine
from gdl_miner.agent.reasoner.faults import play_at_random
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.search import PlayerSpec, search_position
from gdl_miner.agent.search.plain_uct import PlainPlayer, PlainSearch, play_plain_match
from gdl_miner.agent.table import SeatKind, Table
from tests.search.chance_games import BET, RACE
from tests.search.matches import RANDOM, played
from tests.search.naive_uct import NaiveSearch, assert_equals_the_twin
from tests.search.positions import machine_of, random_match

GAMES = ["race", "bet"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "changes", [{}, *({row.name: option.bare} for row, option in OPTIONS if option.bare is not None)], ids=str
)
def test_visits_equal_those_of_the_naive_search_with_each_option(name: str, changes: dict[str, Any]) -> None:
    machine, chooser = machine_of(name), random.Random(5)
    player = PlayerSpec(playouts=150, parameters=Parameters(**changes))
    states = [state for state, _ in random_match(machine, chooser)][:-1]
    assert sum(assert_equals_the_twin(machine, player, state, 7) for state in states) > 0


def test_chance_is_sampled_uniformly_and_never_searches() -> None:
    machine = machine_of("race")
    assert [machine.roles[result.role] for result in search_position(machine, machine.initial(), PlayerSpec(), 1)] == []
    player = PlayerSpec(playouts=3000, parameters=Parameters(solver=True))
    twin = NaiveSearch(machine, player)
    root = twin.think(machine.initial(), 3)
    visits = [move.visits for move in root.moves[1]]
    assert sum(visits) == 3000
    assert max(visits) - min(visits) < 210  # UCB would prefer the throws that suit random's goals


@pytest.mark.parametrize("parameters", [Parameters(), Parameters(solver=True)])
def test_a_search_values_a_bet_by_its_mean_and_proves_nothing_of_it(parameters: Parameters) -> None:
    machine = machine_of("bet")
    (result,) = search_position(machine, machine.initial(), PlayerSpec(playouts=4000, parameters=parameters), 2)
    names = [machine.circuit.moves[row] for row in result.rows]
    means = dict(zip(names, result.means.tolist(), strict=True))
    assert machine.circuit.moves[result.best] == "careful"
    assert means["careful"] == 40
    assert abs(means["bold"] - 25) < 8


def test_matches_draw_the_moves_of_chance_whoever_sits_there() -> None:
    machine = machine_of("race")
    players = [PlayerSpec(playouts=20), RANDOM]
    for seats in ([0, 0, 0], [0, 1, 0]):
        record = played(machine, players, [seats] * 200)
        thrown = record.moves[:, 1]
        throws = [int((thrown == machine.row(1, f"(throw {die})")).sum()) for die in (1, 2, 3)]
        assert min(throws) > 0.25 * sum(throws)
        assert record.playouts[:, 1].sum() == 0
        if seats == [0, 0, 0]:
            first = record.moves.tolist()
    assert record.moves.tolist() == first


def test_decisive_moves_are_off_and_say_why() -> None:
    settled = machine_of("race").decisive_moves("decisive")
    assert settled.settled == "off"
    assert "moves at random" in settled.words


def test_nobody_takes_the_seat_of_chance() -> None:
    with pytest.raises(ConfigError, match="moves by chance"):
        Player(machine_of("race"), "random")


def test_a_player_follows_a_match_with_chance_and_learns_from_it() -> None:
    machine = machine_of("race")
    with Player(machine, "white", seed=3) as player:
        assert player.learn(seconds=2).games > 0
        chooser = random.Random(2)
        while not player.ended:
            thought = player.think(playouts=200)
            joint = [chooser.choice(player.match.legal(role)) for role in range(3)]
            player.advance([thought.move, *joint[1:]])
        assert player.goal is not None


def test_the_interpreter_searches_and_plays_with_chance() -> None:
    sheet = parse_sheet(BET, "bet.kif")
    engine = InterpreterEngine(Interpreter(sheet))
    assert PlainSearch(engine, random.Random(4)).think(engine.initial(), 0, 2000, 0).move == "careful"
    race = parse_sheet(RACE, "race.kif")
    played = [
        play_plain_match(race, InterpreterEngine(Interpreter(race)), [PlainPlayer("uct", 5)] * 3, 6) for _ in "ab"
    ]
    assert played[0] == played[1]
    assert played[0].playouts[1] == 0


def test_chance_needs_no_goal() -> None:
    play = play_at_random(InterpreterEngine(Interpreter(parse_sheet(BET, "bet.kif"))), 50, 1000)
    assert play.faults == ()
    lacking = parse_sheet(BET.replace("(<= (goal gambler 40) (true wary))", ""), "bet.kif")
    assert [fault.role for fault in play_at_random(InterpreterEngine(Interpreter(lacking)), 50, 1000).faults] == [
        "gambler"
    ]


def test_chance_sits_at_the_table_and_nobody_replaces_it() -> None:
    table = Table(machine_of("race"), seed=1)
    assert table.seats == [SeatKind.YOU, SeatKind.RANDOM, SeatKind.UCT]
    with pytest.raises(ConfigError, match="moves by chance"):
        table.sit(1, SeatKind.YOU)
    table.sit(1, SeatKind.RANDOM)
    assert table.waits_for(SeatKind.RANDOM) == [1]
    table.choose(1, table.random_row(1))
    assert table.advance()
    table.close()
