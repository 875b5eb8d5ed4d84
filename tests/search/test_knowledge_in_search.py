from dataclasses import replace
from random import Random

import numpy as np
import pytest

from gdl_miner.agent import Player
from gdl_miner.agent.features import FeatureAbsMove, FeatureRelEuclidProximity, WeightedFeature
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.search import PlayerSpec, search_position
from tests.knowledge.plain import knowledge_of
from tests.search.naive_uct import assert_equals_the_twin
from tests.search.positions import machine_of, random_position


def preferences(machine, seed=1, **parameters):
    """Return knowledge that prefers random moves, and moves at distance 1 from the last one."""
    random = Random(seed)

    def likes(role):
        moves = [WeightedFeature(FeatureAbsMove(move), random.random() * 3) for move in machine.moves[role]]
        return (*moves, WeightedFeature(FeatureRelEuclidProximity(1), 0.7))

    return knowledge_of(machine, map(likes, range(len(machine.roles))), (), Parameters(**parameters))


def informed_player(machine, playouts, seed=1, **parameters):
    return PlayerSpec(playouts=playouts).with_knowledge(preferences(machine, seed, **parameters), machine)


def biased_to_centre(machine, **parameters):
    """Return a player whose prior is 1 for the centre of tic-tac-toe and almost 0 for the other moves."""
    centre = [[WeightedFeature(FeatureAbsMove("(mark 2 2 x)"), 99.0)]]
    knowledge = knowledge_of(machine, centre, (), Parameters(**parameters))
    return PlayerSpec(playouts=400).with_knowledge(knowledge, machine)


@pytest.mark.parametrize("game", ["tictactoe.ext", "connectfour.ext"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"features_in_selection": False},
        {"features_in_playouts": False, "bias": 30.0, "fade": 0.5},
        {"bias": 10.0, "fade": 0.7, "expansions": 1.4},
        {"bias": 5.0, "widening": True, "widening_visits": 10, "widening_moves": 2, "widening_growth": 1.5},
        {"exploration": "puct", "puct_c": 30.0},
        {"exploration": "puct", "widening": True, "widening_visits": 10, "scoring_visits": 3, "playout_moves": 0},
        {"bias": 10.0, "scoring_visits": 4, "playout_moves": 2},
        {"bias": 10.0, "scoring_visits": 12, "widening": True, "widening_visits": 20, "playout_moves": 0},
        {"features_in_selection": False, "playout_moves": 1},
        {"features_in_selection": False, "opponent_knowledge": 0.5},
        {"bias": 10.0, "opponent_knowledge": 0.0, "playout_moves": 5},
        {"features_in_selection": False, "features_in_playouts": False},
    ],
    ids=[
        "playouts",
        "selection",
        "both",
        "widening",
        "puct",
        "late puct widening",
        "late",
        "late widening",
        "first move of playouts",
        "opponent knows half",
        "opponent knows nothing",
        "neither",
    ],
)
def test_visits_equal_those_of_the_naive_search_with_knowledge(game, parameters):
    machine, random = machine_of(game), Random(8)
    player = informed_player(machine, 120, **parameters)
    for moves in (0, 1, 3):
        assert assert_equals_the_twin(machine, player, random_position(machine, moves, random), 21) == 1


@pytest.mark.parametrize(
    ("game", "parameters"),
    [
        ("othello.ext", {"bias": 10.0, "scoring_visits": 3}),
        ("amazons.ext", {"bias": 1.0, "uct_c": 100.0, "scoring_visits": 40}),
    ],
)
def test_moves_ranked_while_playouts_are_on_their_way_lead_where_the_rules_say(game, parameters):
    machine = machine_of(game)
    knowledge = preferences(machine, features_in_playouts=False, **parameters)
    with Player(machine, machine.roles[0], knowledge=knowledge, in_flight=64) as player:
        thought = player.think(playouts=4000)
        for best in thought.moves:
            match = OngoingMatch(machine)
            for joint in player.line(replace(thought, moves=(best,)), 12):
                assert all(row in match.legal_rows(role) for role, row in enumerate(joint))
                match.advance_rows(joint)


def test_a_strong_bias_draws_the_visits_and_a_fading_one_lets_them_go():
    machine = machine_of("tictactoe.ext")
    shares = []
    for fade in (0.0, 1.0):
        player = biased_to_centre(machine, bias=1000.0, fade=fade, features_in_playouts=False)
        (result,) = search_position(machine, machine.initial(), player, 3)
        shares.append(result.visits[4] / result.visits.sum())
    assert shares[0] == 1.0
    assert shares[1] < 0.95


def test_puct_with_a_large_constant_shares_the_visits_out_by_the_weights():
    machine = machine_of("tictactoe.ext")
    player = biased_to_centre(machine, exploration="puct", puct_c=2000.0, features_in_playouts=False)
    (result,) = search_position(machine, machine.initial(), player, 3)
    assert result.visits[4] / result.visits.sum() == pytest.approx(100 / 108, abs=0.03)


def test_widening_leaves_the_best_moves_until_visits_bring_others_back():
    machine = machine_of("tictactoe.ext")
    widening = {"widening": True, "widening_visits": 20, "widening_moves": 1, "features_in_playouts": False}
    visits = {}
    for growth in (1e9, 1.2):
        player = biased_to_centre(machine, widening_growth=growth, **widening)
        (result,) = search_position(machine, machine.initial(), player, 3)
        visits[growth] = result.visits
    others = np.arange(9) != 4
    assert visits[1e9][others].sum() <= 20
    assert visits[1.2][others].sum() > 100


@pytest.mark.parametrize("expansions", [0.1, 0.5, 1.0, 1.4, 2.0])
def test_the_expansions_gene_is_the_number_of_nodes_per_playout(expansions):
    machine = machine_of("connectfour.ext")
    player = PlayerSpec(playouts=100, parameters=Parameters(expansions=expansions))
    (result,) = search_position(machine, machine.initial(), player, 2)
    assert result.nodes_added == 1 + round(100 * expansions)


@pytest.mark.parametrize("eviction", ["linked", "random"])
def test_a_table_holds_no_more_states_or_bytes_than_it_may(eviction):
    machine = machine_of("connectfour.ext")
    for limit, least, most in (({"max_states": 50}, 21, 50), ({"max_bytes": 200_000}, 400, 1500)):
        player = PlayerSpec(playouts=3000, eviction=eviction, **limit)
        (result,) = search_position(machine, machine.initial(), player, 2)
        assert result.nodes_added > 2800
        assert least <= result.nodes_held <= most
