"""Players that draw their moves by the visits, and matches that are broken off."""

import numpy as np
import pytest

from gdl_miner.agent.search import PlayerSpec
from tests.search.matches import RANDOM, played
from tests.search.naive_draws import MASK, Draws, hash_combine
from tests.search.positions import machine_of

GAMES = ["tictactoe.ext", "breakthrough.ext", "pennies"]


@pytest.mark.parametrize("game", GAMES)
def test_every_move_is_the_one_that_the_seed_draws_by_the_visits(game: str) -> None:
    machine = machine_of(game)
    player = PlayerSpec(playouts=40, draws_moves=True)
    seeds = [3, 4]
    record = played(machine, player, 2, seeds)
    most_visited = drawn = 0
    for match, seed in enumerate(seeds):
        steps = range(int(record.start[match]), int(record.start[match + 1]) - 1)
        for number, step in enumerate(steps):
            found = slice(int(record.visit_start[step]), int(record.visit_start[step + 1]))
            for role in range(2):
                own = machine.rows(role)
                moves = [
                    (row, visits)
                    for row, visits in zip(record.visit_row[found], record.visit_count[found], strict=True)
                    if own.start <= row < own.stop
                ]
                if not moves:
                    continue
                of_move = hash_combine(hash_combine(hash_combine(seed, role), number), MASK)
                place = Draws(of_move).below(int(sum(visits for _, visits in moves)))
                expected = next(
                    row for i, (row, _) in enumerate(moves) if place < sum(int(visits) for _, visits in moves[: i + 1])
                )
                assert record.moves[step, role] == expected
                most_visited += dict(moves)[expected] == max(visits for _, visits in moves)
                drawn += 1
    assert 0 < most_visited < drawn


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_a_match_is_broken_off_after_so_many_joint_moves(limit: int) -> None:
    machine = machine_of("breakthrough.ext")
    record, whole = played(machine, RANDOM, 6, move_limit=limit), played(machine, RANDOM, 6)
    lengths, whole_lengths = (np.diff(each.start) - 1 for each in (record, whole))
    assert lengths.tolist() == np.minimum(whole_lengths, limit).tolist()
    assert (record.goals == np.where((whole_lengths > limit)[:, None], -1, whole.goals)).all()
