"""The proofs of MCTS-Solver are true, are used by the search, and appear in its results."""

from functools import cache
from random import Random

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.player import Player
from gdl_miner.agent.search import PlayerSpec, search_position, search_positions
from tests.search.matches import both_ways, goals_of_first, played
from tests.search.positions import joint_of, machine_of, mover_of, tactical_positions, wins_in_one

SOLVER = Parameters(solver=True)


def minimax(machine):
    """Return two functions: the goals of a state under best play, by plain recursion, and the state after a move."""

    @cache
    def goals(state: bytes) -> tuple[int, ...]:
        packed = np.frombuffer(state, np.uint64)
        if machine.terminal(packed):
            return tuple(machine.goals(packed))
        mover = mover_of(machine, packed)
        return max(
            (goals(after(packed, row).tobytes()) for row in machine.legal(packed)[mover]), key=lambda g: g[mover]
        )

    def after(state, row):
        return machine.next(state, joint_of(machine, state, int(row)))

    return goals, after


@pytest.mark.parametrize("limit", [{"playouts": 400}, {"seconds": 60.0}])  # these searches end when they have proofs
@pytest.mark.parametrize("in_flight", [1, 16])
def test_every_verdict_on_tictactoe_is_that_of_minimax(in_flight, limit):
    machine, random = machine_of("tictactoe.ext"), Random(5)
    goals, after = minimax(machine)
    verdicts = set()
    for moves in (2, 3, 3, 4, 4, 5, 5, 6):
        mover = moves % 2
        with Player(machine, machine.roles[mover], solver=True, in_flight=in_flight) as player:
            for _ in range(moves):
                if not player.ended:
                    player.advance([random.choice(player.match.legal(role)) for role in (0, 1)])
            if player.ended:
                continue
            state = player.match.state
            thought = player.think(**limit)
        best = goals(state.tobytes())[mover]
        for move in thought.moves:
            exact = goals(after(state, move.row).tobytes())[mover]
            assert move.verdict <= 0 or exact == best
            assert move.verdict >= 0 or exact == 0
            verdicts.add(move.verdict)
        assert goals(after(state, thought.moves[0].row).tobytes())[mover] == best
    assert verdicts == {-1, 0, 1}


def test_a_solved_position_ends_the_search():
    machine, found = tactical_positions(wins_in_one, 20)
    for state, wins in found:
        (result,) = search_position(machine, state, PlayerSpec(playouts=5000, parameters=SOLVER), 3)
        assert result.best in wins
        assert result.visits.sum() < 1000


def test_without_a_proof_the_search_is_that_without_the_solver():
    machine = machine_of("connectfour.ext")
    states = [machine.initial()]
    for parameters in ({}, {"expansions": 1.4}):
        counts = [
            search_positions(machine, states, PlayerSpec(playouts=150, parameters=Parameters(**parameters, **way)), [9])
            for way in ({}, {"solver": True})
        ]
        assert counts[0][0][0].visits.tolist() == counts[1][0][0].visits.tolist()


def test_simultaneous_moves_prove_nothing_and_play_on():
    record = played(machine_of("pennies"), PlayerSpec(playouts=100, parameters=SOLVER), 8)
    assert record.playouts.sum() == 8 * 2 * 1000


@pytest.mark.strength
def test_the_solver_beats_the_search_without_it():
    machine = machine_of("connectfour.ext")
    players = [PlayerSpec(playouts=100, parameters=SOLVER), PlayerSpec(playouts=100)]
    assert goals_of_first(played(machine, players, both_ways(300))).mean() > 52
