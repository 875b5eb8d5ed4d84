"""Searches with learned values are those of the reference search, and values decide what they play."""

from dataclasses import replace
from random import Random
from typing import Any, Literal

import numpy as np
import pytest

from gdl_miner.agent import Player
from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.search import PlayerSpec, search_position
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays, search_arrays, search_positions
from gdl_miner.agent.values import ValueLayout, value_function, values_of
from tests.instruction_sets import BASELINE, EACH_SET
from tests.knowledge.plain import knowledge_of
from tests.search.matches import played
from tests.search.naive_draws import hash_combine
from tests.search.naive_uct import NaiveSearch, assert_equals_the_twin
from tests.search.positions import joint_of, machine_of, random_match, random_position, tactical_positions, wins_in_one
from tests.search.test_knowledge_in_search import preferences
from tests.values.random_values import random_function, random_values

LEARNED = ["connectfour.ext", "connectfour7.ext", "breakthrough.ext", "othello.ext", "amazons.ext"]
GAMES = ["tictactoe.ext", "breakthrough.ext", "connectfour.ext", "pennies", "pebbles", "picks", "three"]
WAYS: dict[str, dict[str, Any]] = {
    "values alone": {"experience": 0},
    "values of moves": {},
    "mixed": {"value_weight": 0.3, "experience": 0},
    "mixed, values of moves": {"value_weight": 0.7, "experience": 3},
    "values of moves alone": {"value_weight": 0.0, "experience": 2},
    "solver": {"solver": True},
    "solver, mixed": {"solver": True, "value_weight": 0.5, "experience": 0},
    "solver, fpu": {"solver": True, "experience": 0, "first_play_urgency": 0.0},
    "root": {"uct_growth": "root", "solver": True},
    "root, fpu": {"uct_growth": "root", "experience": 0, "first_play_urgency": 0.0},
    "more nodes": {"expansions": 2.4},
    "fewer nodes": {"expansions": 0.4, "experience": 5},
    "more nodes, without moves": {"expansions": 1.7, "experience": 0},
    "trusted": {"trusted_playouts": 20},
    "not trusted": {"trusted_playouts": 19},
    "too long for values": {"valued_playouts": 19, "trusted_playouts": 30},
    "not trusted, mixed": {"trusted_playouts": 5, "value_weight": 0.7, "experience": 3},
    "not trusted, mixed with more of a playout": {"trusted_playouts": 5, "value_weight": 0.2, "experience": 1},
    "not trusted, values of moves alone": {"trusted_playouts": 1, "value_weight": 0.0, "experience": 2},
    "not trusted, solver": {"trusted_playouts": 10, "solver": True},
    "not trusted, more nodes": {"trusted_playouts": 6, "expansions": 2.4},
}
KNOWING: dict[str, dict[str, Any]] = {
    "bias": {"bias": 20.0, "fade": 0.5, "features_in_playouts": False},
    "bias, root": {"bias": 20.0, "fade": 0.5, "uct_growth": "root", "features_in_playouts": False},
    "late bias": {"bias": 20.0, "scoring_visits": 4, "value_weight": 0.5, "playout_moves": 3},
    "puct": {"exploration": "puct", "features_in_playouts": False},
    "late puct": {"exploration": "puct", "scoring_visits": 6, "value_weight": 0.4, "experience": 2},
    "puct without moves": {"exploration": "puct", "experience": 0, "value_weight": 0.6},
    "widening": {"bias": 9.0, "widening": True, "widening_visits": 8, "widening_moves": 2, "widening_growth": 1.4},
    "solver": {"bias": 9.0, "solver": True, "scoring_visits": 2, "expansions": 1.4},
    "puct and solver": {"exploration": "puct", "solver": True, "experience": 4},
    "not trusted": {"bias": 9.0, "trusted_playouts": 12, "playout_moves": 3},
}

STEPS = 14  # joint moves of a match that are compared


def knowing_player(machine: Any, playouts: int, **parameters: Any) -> PlayerSpec:
    knowledge = preferences(machine, 3, **parameters)
    if machine.sheet.board is None:
        knowledge = replace(knowledge, winning=tuple(features[:-1] for features in knowledge.winning))
    return PlayerSpec(playouts=playouts).with_knowledge(knowledge, machine)


def assert_alike(machine: Any, player: PlayerSpec, seed: int) -> None:
    """Compare visits, payoffs and moves of a match of the native search with those of the reference search."""
    arrays = play_arrays(machine, [player], [[0] * len(machine.roles)], [seed])
    twins = [NaiveSearch(machine, player) for _ in machine.roles]
    for step in range(min(len(arrays.states) - 1, STEPS)):
        state = arrays.states[step]
        last = tuple(arrays.moves[step - 1].tolist()) if step else None
        at = slice(arrays.visit_start[step], arrays.visit_start[step + 1])
        expected, joint = [], []
        for role, rows in enumerate(machine.legal(state)):
            if len(rows) == 1:
                joint.append(int(rows[0]))
                continue
            root = twins[role].think(state, hash_combine(hash_combine(seed, role), step), last)
            expected += [(move.row, move.visits, move.payoff) for move in sorted(root.moves[role], key=lambda m: m.row)]
            joint.append(twins[role].best_row(root, role))
        columns = (arrays.visit_row[at], arrays.visit_count[at], arrays.visit_payoff[at])
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
        assert arrays.moves[step].tolist() == joint


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("way", WAYS)
def test_a_match_with_values_is_that_of_the_reference_search(game: str, way: str) -> None:
    machine = machine_of(game)
    seed = list(WAYS).index(way)
    values = random_function(machine, seed, symmetric=seed % 2 == 0)
    assert_alike(machine, PlayerSpec(playouts=20, parameters=Parameters(**WAYS[way]), values=values), seed)


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext", "pennies"])
@pytest.mark.parametrize("way", KNOWING)
def test_a_match_with_values_and_knowledge_is_that_of_the_reference_search(game: str, way: str) -> None:
    machine = machine_of(game)
    player = knowing_player(machine, 25, **KNOWING[way])
    assert_alike(machine, replace(player, values=random_function(machine, 3)), 5)


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext", "three"])
@pytest.mark.parametrize("way", ["values of moves", "mixed", "solver", "more nodes"])
def test_a_match_with_a_small_table_is_that_of_the_reference_search(game: str, way: str) -> None:
    machine = machine_of(game)
    player = PlayerSpec(playouts=60, parameters=Parameters(**WAYS[way]), values=random_function(machine, 4))
    assert_alike(machine, replace(player, max_states=24), 7)


@pytest.mark.parametrize("solver", [False, True])
def test_a_small_table_without_values_is_that_of_the_reference_search(solver: bool) -> None:
    player = PlayerSpec(playouts=60, parameters=Parameters(solver=solver), max_states=24)
    assert_alike(machine_of("connectfour.ext"), player, 7)


def test_a_long_search_with_values_is_that_of_the_reference_search() -> None:
    machine = machine_of("connectfour.ext")
    values = random_function(machine, 9)
    ways: list[tuple[int, dict[str, Any]]] = [
        (1000, {"solver": True}),
        (1000, {"bias": 30.0, "experience": 600}),
        (1500, {"uct_growth": "deep"}),
    ]
    for playouts, parameters in ways:
        player = knowing_player(machine, playouts, **parameters)
        assert_equals_the_twin(machine, replace(player, values=values), machine.initial(), 3)


def test_exploration_of_deep_searches_is_that_of_the_logarithm_up_to_1000_visits() -> None:
    machine = machine_of("breakthrough.ext")
    values = random_function(machine, 2)

    def visits(playouts: int, growth: Literal["log", "deep"]) -> list[int]:
        player = PlayerSpec(playouts=playouts, parameters=Parameters(uct_growth=growth), values=values)
        (result,) = search_position(machine, machine.initial(), player, 1)
        return result.visits.tolist()

    assert visits(1000, "deep") == visits(1000, "log")
    assert visits(5000, "deep") != visits(5000, "log")


@pytest.mark.parametrize("way", ["values of moves", "mixed, values of moves", "solver"])
@pytest.mark.parametrize("isa", EACH_SET)
def test_searches_with_values_are_the_same_with_every_instruction_set(
    way: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = machine_of("breakthrough.ext")
    player = PlayerSpec(playouts=60, parameters=Parameters(**WAYS[way]), values=random_function(machine, 6))
    states = np.array([state for n in range(12) if (state := random_position(machine, n, Random(n))) is not None])
    found = set()
    for name in (BASELINE, isa):
        monkeypatch.setenv("GDL_MINER_ISA", name)
        for lanes in (64, 512):
            arrays = search_arrays(machine, states, player, range(len(states)), lanes=lanes)
            found.add(arrays.visit_count.tobytes() + arrays.visit_payoff.tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("game", ["tictactoe.ext", "pennies", "connectfour.ext"])
@pytest.mark.parametrize("way", ["values of moves", "mixed, values of moves", "solver"])
def test_playouts_in_flight_with_values_are_counted(game: str, way: str) -> None:
    machine = machine_of(game)
    player = knowing_player(machine, 200, bias=10.0, scoring_visits=3, **WAYS[way])
    player = replace(player, in_flight=30, values=random_function(machine, 6))
    record = played(machine, player, 4)
    assert record.goals.min() >= 0
    if not player.parameters.solver:
        assert set(record.playouts.ravel().tolist()) <= {200 * n for n in range(50)}


@pytest.mark.parametrize("game", ["tictactoe.ext", "pennies", "connectfour.ext"])
@pytest.mark.parametrize("experience", [0, 2])
def test_playouts_that_take_turns_against_the_clock_are_counted(game: str, experience: int) -> None:
    machine = machine_of(game)
    knowledge = knowledge_of(
        machine, parameters=Parameters(experience=experience), values=values_of(*random_values(machine, 2))
    )
    with Player(machine, machine.roles[0], knowledge=knowledge, in_flight=16, threads=1) as player:
        playouts = 0
        while playouts < 1000:  # a busy machine may leave a search no time
            thought = player.think(seconds=0.1)
            playouts += thought.playouts
    alone = game != "pennies"  # where both roles choose, moves are not valued
    assert sum(move.visits for move in thought.moves) == playouts + alone * experience * len(thought.moves)


@pytest.mark.parametrize("game", LEARNED)
def test_values_of_moves_are_those_of_the_states_that_they_lead_to(game: str) -> None:
    """The released networks look at playable cells, costs or neither; changes of facts that come again are looked up.

    A position of amazons has more different ones than are kept.
    """
    machine, random = machine_of(game), Random(3)
    player = PlayerSpec().with_knowledge(read_knowledge("quick", machine.sheet), machine)
    assert player.values is not None
    steps = 2 if game == "amazons.ext" else 40
    states = [state for state, _ in random_match(machine, random, steps) if not machine.terminal(state)]
    results = search_positions(machine, states, player.greedy(), range(len(states)))
    compared = 0
    for state, found in zip(states, results, strict=True):
        for result in found:
            after = [machine.next(state, joint_of(machine, state, int(row))) for row in result.rows]
            values = player.values.values(np.array(after), machine.native)[:, result.role]
            for value, mean, visits, next_state in zip(values, result.means, result.visits, after, strict=True):
                if machine.terminal(next_state) or visits != result.visits.min():
                    continue  # one move counts the playout, too
                assert abs(mean - value) <= 0.51 / visits
                compared += 1
    assert compared > 50


def test_values_of_moves_decide_a_search_that_hardly_begins() -> None:
    """With as few playouts as this, the first moves tried are those of the best values."""
    machine = machine_of("tictactoe.ext")
    layout = ValueLayout(machine, (), (), constant_sum=True, blank=0)
    weights = np.zeros(layout.n_weights, np.float32)
    for part in layout.parts:
        weights[part.facts[machine.fluents.index("(cell 3 1 x)")]] = 2.0
    player = PlayerSpec(playouts=3, values=value_function(layout, weights))
    (result,) = search_position(machine, machine.initial(), player, 1)
    assert machine.circuit.moves[result.best] == "(mark 3 1 x)"


def test_a_move_that_wins_at_once_is_found_without_playouts_through_it() -> None:
    machine, found = tactical_positions(wins_in_one, 20)
    values = random_function(machine, 8)
    for state, wins in found:
        player = PlayerSpec(playouts=2, parameters=Parameters(solver=True), values=values)
        (result,) = search_position(machine, state, player, 3)
        assert result.best in wins


def test_searches_that_are_too_long_to_trust_values_are_those_that_mix_them() -> None:
    machine = machine_of("connectfour.ext")
    values = random_function(machine, 8)

    def visits(playouts: int, parameters: Parameters) -> list[int]:
        player = PlayerSpec(playouts=playouts, parameters=parameters, values=values)
        (result,) = search_position(machine, machine.initial(), player, 3)
        return result.visits.tolist()

    limited = Parameters(experience=3, solver=True, trusted_playouts=300)
    assert visits(300, limited) == visits(300, replace(limited, trusted_playouts=0)) != visits(300, limited.mixed())
    assert visits(301, limited) == visits(301, limited.mixed()) != visits(301, replace(limited, trusted_playouts=0))


def test_a_player_against_the_clock_trusts_values_as_long_as_its_searches_are_short() -> None:
    machine = machine_of("breakthrough.ext")
    layout, weights = random_values(machine, 2)
    values = values_of(layout, np.zeros_like(weights))  # all states are worth 50
    limited = knowledge_of(machine, parameters=Parameters(trusted_playouts=100), values=values)

    def trusts_after(*lengths: int, seconds: float) -> bool:
        with Player(machine, machine.roles[0], knowledge=limited, in_flight=1, threads=1) as player:
            for playouts in lengths:
                player.think(playouts=playouts)
                for _ in range(2):  # to a position that is not in the tree
                    player.advance([player.match.legal(role)[0] for role in range(len(machine.roles))])
            return {move.value for move in player.think(seconds=seconds).moves} == {50}

    # A search that trusts values must not reach an end of the match, whose goals are not 50. Another must reach one.
    assert not trusts_after(seconds=0.2)
    assert trusts_after(10, 10, seconds=0.005)
    assert not trusts_after(101, 10, seconds=0.2), "any search may be broken off, so that the longest counts"


def test_a_player_against_the_clock_uses_the_values_of_its_knowledge() -> None:
    machine = machine_of("connectfour.ext")
    values = values_of(*random_values(machine, 2))
    knowledge = knowledge_of(machine, values=values)
    means = []
    for each in (knowledge, replace(knowledge, values=None)):
        with Player(machine, machine.roles[0], knowledge=each, in_flight=16) as player:
            thought = player.think(playouts=400)
            means.append([move.value for move in thought.moves])
    assert means[0] != means[1]


@pytest.mark.parametrize("way", ["mixed", "mixed, values of moves"])
def test_the_tree_of_a_player_that_mixes_values_with_playouts_is_that_of_the_reference_search(way: str) -> None:
    machine = machine_of("connectfour.ext")
    values = values_of(*random_values(machine, 2))
    knowledge = knowledge_of(machine, parameters=Parameters(**WAYS[way]), values=values)
    with Player(machine, machine.roles[0], knowledge=knowledge, in_flight=1, seed=4) as player:
        thought = player.think(playouts=300)
    seed = derive_seed(derive_seed(4, "role", 0, "search", 1), "tree", 0)
    spec = PlayerSpec(playouts=300).with_knowledge(knowledge, machine)
    root = NaiveSearch(machine, spec).think(machine.initial(), hash_combine(hash_combine(seed, 0), 0))
    expected = {move.row: (move.visits, move.payoff / move.visits) for move in root.moves[0]}
    assert {move.row: (move.visits, move.value) for move in thought.moves} == expected
