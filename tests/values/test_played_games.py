"""Games as learning sees them are those of the record that they come from."""

import numpy as np

from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.search.records import NO_MOVE
from gdl_miner.agent.values import PlayedGames
from tests.search.positions import machine_of


def test_games_are_the_matches_of_a_record_without_final_states_and_moves_below_the_most_visited_explore() -> None:
    for game in ("tictactoe.ext", "pennies", "picks", "three"):
        machine = machine_of(game)
        row_role, roles = geometry_of(machine).row_role, len(machine.roles)
        players = [PlayerSpec(playouts=12, draws_moves=True)]
        seats = np.zeros((8, roles), np.int32)
        record = play_matches(machine, players, seats, range(8), [str(number) for number in range(8)])
        games = PlayedGames.of(record, row_role)
        states, exploring, start = [], [], [0]
        for first, end in zip(record.start[:-1], record.start[1:], strict=True):
            for step in range(first, end - 1):
                visits: list[dict[int, int]] = [{} for _ in range(roles)]
                for visit in range(record.visit_start[step], record.visit_start[step + 1]):
                    row = int(record.visit_row[visit])
                    visits[row_role[row]][row] = int(record.visit_count[visit])
                states.append(record.states[step].tolist())
                exploring.append(
                    any(
                        own and own[int(record.moves[step, role])] < max(own.values())
                        for role, own in enumerate(visits)
                    )
                )
            assert (record.moves[end - 1] == NO_MOVE).all()
            start.append(len(states))
        assert games.states.tolist() == states
        assert games.exploring.tolist() == exploring
        assert games.start.tolist() == start
        assert games.goals.tolist() == record.goals.tolist()
        assert games.moves == len(states)
        assert games.broken_off == 0
        if game == "tictactoe.ext":
            assert 0 < sum(exploring) < len(exploring)


def test_games_that_a_limit_ends_are_broken_off() -> None:
    machine = machine_of("tictactoe.ext")
    record = play_matches(
        machine, [PlayerSpec(playouts=4)], np.zeros((3, 2), np.int32), range(3), list("abc"), move_limit=4
    )
    games = PlayedGames.of(record, geometry_of(machine).row_role)
    assert games.broken_off == 3
    assert games.moves == 12
