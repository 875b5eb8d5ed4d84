from random import Random

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameters import OPTIONS
from gdl_miner.agent.search import PlayerSpec, derive_seed, search_position, search_positions
from tests.instruction_sets import EACH_SET
from tests.search.matches import both_ways, goals_of_first, played
from tests.search.naive_draws import hash_combine
from tests.search.naive_uct import NaiveSearch, assert_equals_the_twin
from tests.search.positions import (
    joint_of,
    machine_of,
    mover_of,
    random_position,
    safe_moves,
    tactical_positions,
    wins_in_one,
)

WAYS = [
    *({"expansions": each} for each in (0.5, 1.0, 1.4, 3.0)),
    *({row.name: option.bare} for row, option in OPTIONS if option.bare is not None),
    *({"decisive_moves": each} for each in ("antidecisive", "auto")),
    {"decisive_moves": "decisive", "solver": True, "expansions": 1.4},
]


def seeds_of(name, n):
    return [derive_seed(name, i) for i in range(n)]


def play(game, players, seats, name, **options):
    return played(machine_of(game), players, seats, seeds_of(name, len(seats)), **options)


def test_uct_never_loses_tictactoe_to_random_moves_from_either_seat():
    record = play("tictactoe.ext", [PlayerSpec(playouts=500), PlayerSpec("random")], both_ways(200), "ttt")
    uct_goals = np.take_along_axis(record.goals, np.argmin(record.players, axis=1)[:, None], axis=1)
    assert uct_goals.min() >= 50
    assert uct_goals.mean() > 90


@pytest.mark.strength
def test_uct_draws_tictactoe_against_itself():
    record = play("tictactoe.ext", [PlayerSpec(playouts=2000)], [[0, 0]] * 40, "ttt self")
    assert record.goals.tolist() == [[50, 50]] * 40


def test_uct_finds_every_win_in_one():
    machine, found = tactical_positions(wins_in_one, 60)
    results = search_positions(machine, [state for state, _ in found], PlayerSpec(playouts=400), seeds_of("win", 60))
    assert all(result.best in wins for (_, wins), (result,) in zip(found, results, strict=True))


def test_uct_blocks_every_loss_in_one():
    def only_blocks(machine, state):
        safe = safe_moves(machine, state)
        threatened = 0 < len(safe) < len(machine.legal(state)[mover_of(machine, state)])
        return safe if threatened and not wins_in_one(machine, state) else None

    machine, found = tactical_positions(only_blocks, 60)
    results = search_positions(machine, [state for state, _ in found], PlayerSpec(playouts=1000), seeds_of("block", 60))
    assert all(result.best in safe for (_, safe), (result,) in zip(found, results, strict=True))


@pytest.mark.slow
@pytest.mark.strength
def test_a_thousand_playouts_beat_a_hundred_clearly():
    players = [PlayerSpec(playouts=1000), PlayerSpec(playouts=100)]
    record = play("connectfour.ext", players, both_ways(200), "budget")
    assert goals_of_first(record).mean() > 75


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext", "pennies", "pebbles"])
@pytest.mark.parametrize("parameters", WAYS, ids=str)
def test_visits_equal_those_of_the_naive_search(game, parameters):
    machine = machine_of(game)
    player = PlayerSpec(playouts=40 if "decisive_moves" in parameters else 150, parameters=Parameters(**parameters))
    assert assert_equals_the_twin(machine, player, machine.initial(), 7) > 0


@pytest.mark.parametrize("parameters", [Parameters(), Parameters(solver=True)], ids=["bare", "solver"])
def test_a_whole_match_equals_that_of_the_naive_search_with_its_tree_kept(parameters):
    machine, player, seed = machine_of("connectfour.ext"), PlayerSpec(parameters=parameters, playouts=60), 11
    record = played(machine, player, 1, [seed])
    twins = [NaiveSearch(machine, player) for _ in machine.roles]
    for step in range(len(record.states) - 1):
        state, role = record.states[step], mover_of(machine, record.states[step])
        last = tuple(record.moves[step - 1].tolist()) if step else None
        root = twins[role].think(state, hash_combine(hash_combine(seed, role), step), last)
        visits = [move.visits for move in root.moves[role]]
        found = slice(record.visit_start[step], record.visit_start[step + 1])
        assert record.visit_count[found].tolist() == visits
        assert record.moves[step].tolist() == joint_of(machine, state, twins[role].best_row(root, role))


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("game", ["connectfour.ext", "pebbles"])
def test_a_match_depends_on_nothing_it_is_batched_with(monkeypatch, game, isa):
    proving = PlayerSpec(parameters=Parameters(solver=True), playouts=80)
    players = [PlayerSpec(playouts=50), proving, PlayerSpec("random")]
    seats = [[i % 3, (i // 3) % 3] for i in range(90)]
    whole = play(game, players, seats, "batch")
    machine, seeds = machine_of(game), seeds_of("batch", 90)

    def steps(record, match):
        at = slice(record.start[match], record.start[match + 1])
        visits = slice(record.visit_start[record.start[match]], record.visit_start[record.start[match + 1]])
        return record.moves[at].tolist(), record.visit_count[visits].tolist(), record.states[at].tolist()

    backwards = played(machine, players, seats[::-1], seeds[::-1], lanes=64)
    for match in range(90):
        assert steps(whole, match) == steps(backwards, 89 - match)
    monkeypatch.setenv("GDL_MINER_ISA", isa)
    alone = played(machine, players, seats[4:5], seeds[4:5], lanes=512)
    assert steps(alone, 0) == steps(whole, 4)


@pytest.mark.parametrize("eviction", ["linked", "random"])
def test_a_tiny_table_gives_valid_matches_and_still_plays_well(eviction):
    tiny = PlayerSpec(playouts=200, max_states=40, eviction=eviction)
    record = play("tictactoe.ext", [tiny, PlayerSpec("random")], both_ways(100), "tiny")
    machine = machine_of("tictactoe.ext")
    for match in range(100):
        for step in range(record.start[match], record.start[match + 1] - 1):
            legal = machine.legal(record.states[step])
            assert all(row in rows for row, rows in zip(record.moves[step], legal, strict=True))
            assert np.array_equal(machine.next(record.states[step], record.moves[step]), record.states[step + 1])
    assert goals_of_first(record).mean() > 90


def test_a_search_does_not_depend_on_the_number_of_buckets_of_its_table():
    # Many states begin with the same 64 fluents. There is room for all, so none is removed.
    machine = machine_of("breakthrough.ext")
    parameters = Parameters(expansions=0.9996)  # 2047 states beside the root, in 4096 buckets or in 8192
    players = [PlayerSpec(playouts=2048, max_states=most, parameters=parameters) for most in (0, 2048)]
    (one,), (other,) = (search_position(machine, machine.initial(), each, seed=3) for each in players)
    assert one.visits.tolist() == other.visits.tolist()


def test_the_playouts_of_a_move_are_those_asked_for():
    record = play("tictactoe.ext", [PlayerSpec(playouts=37)], [[0, 0]] * 5, "count")
    for match in range(5):
        moves = record.start[match + 1] - record.start[match] - 1
        forced = sum(
            record.visit_start[s] == record.visit_start[s + 1]
            for s in range(record.start[match], record.start[match] + moves)
        )
        assert record.playouts[match].sum() == 37 * (moves - forced)


@pytest.mark.strength
def test_simultaneous_moves_are_searched_by_both_roles_and_end_even():
    record = play("pennies", [PlayerSpec(playouts=100)], [[0, 0]] * 128, "pennies")
    assert np.all(np.diff(record.start) == 11)
    assert np.all(record.playouts == 1000)
    assert record.goals.sum(axis=1).tolist() == [100] * 128
    assert 40 < record.goals[:, 0].mean() < 60


def test_a_budget_in_seconds_ends_in_time():
    import time

    machine = machine_of("connectfour.ext")
    begin, used = time.perf_counter(), time.process_time()
    (result,) = search_position(machine, machine.initial(), PlayerSpec(playouts=0, seconds=0.2), 1)
    assert time.perf_counter() - begin >= 0.2
    assert time.process_time() - used < 1  # the clock also counts the time of other processes
    assert result.visits.sum() > 100


def test_several_playouts_in_flight_make_as_many_playouts_and_still_win_in_one():
    machine, found = tactical_positions(wins_in_one, 60)
    player = PlayerSpec(playouts=500, in_flight=24)
    results = search_positions(machine, [state for state, _ in found], player, seeds_of("flight", 60))
    assert all(result.visits.sum() == 500 for (result,) in results)
    assert all(result.best in wins for (_, wins), (result,) in zip(found, results, strict=True))


@pytest.mark.parametrize("game", ["connectfour.ext", "pebbles"])
def test_positions_that_wait_for_lanes_are_searched_as_those_that_have_one(game):
    machine, random = machine_of(game), Random(9)
    drawn = (random_position(machine, random.randrange(8), random) for _ in range(200))
    states = [state for state in drawn if state is not None]
    assert len({state.tobytes() for state in states}) > 64  # more than lanes, and not ordered by length
    waiting, at_once = (
        search_positions(machine, states, PlayerSpec(playouts=40), seeds_of("wait", len(states)), lanes=lanes)
        for lanes in (64, 512)
    )
    visits = [[result.visits.tolist() for result in of_roles] for of_roles in waiting]
    assert visits == [[result.visits.tolist() for result in of_roles] for of_roles in at_once]
    assert len({str(each) for each in visits}) > 64


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext", "pennies", "pebbles"])
def test_playouts_in_flight_belong_to_the_match_whatever_shares_the_lanes(game):
    players = [PlayerSpec(playouts=60, in_flight=6), PlayerSpec(playouts=50)]
    seeds = seeds_of("flights", 40)
    seats = [[match % 2, 1] for match in range(40)]
    machine = machine_of(game)
    together = played(machine, players, seats, seeds)
    for match in (0, 1, 38):
        alone = played(machine, players, [seats[match]], [seeds[match]], lanes=512)
        at = slice(together.start[match], together.start[match + 1])
        visits = slice(together.visit_start[at.start], together.visit_start[at.stop])
        assert alone.moves.tolist() == together.moves[at].tolist()
        assert alone.visit_count.tolist() == together.visit_count[visits].tolist()
        assert alone.playouts[0].tolist() == together.playouts[match].tolist()
