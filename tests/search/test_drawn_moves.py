"""Players that draw their moves by the visits, and matches that are broken off."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search import PlayerSpec, play_matches
from tests.search.naive_draws import MASK, Draws, hash_combine
from tests.search.positions import machine_of

GAMES = ["tictactoe.ext", "breakthrough.ext", "pennies"]


@pytest.mark.parametrize("game", GAMES)
def test_every_move_is_the_one_that_the_seed_draws_by_the_visits(game: str) -> None:
    machine = machine_of(game)
    player = PlayerSpec(playouts=40, draws_moves=True)
    seeds = [3, 4]
    record = play_matches(machine, [player], np.zeros((2, 2)), seeds, ["a", "b"])
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


def test_only_players_that_draw_leave_the_best_move() -> None:
    machine = machine_of("connectfour.ext")
    wide = Parameters(uct_c=200.0)
    players = [PlayerSpec(playouts=60, parameters=wide, draws_moves=draws) for draws in (True, False)]
    record = play_matches(machine, players, [[0, 1]] * 8, range(8), [str(number) for number in range(8)])
    best = {0: [], 1: []}
    for step in range(len(record.states)):
        found = slice(int(record.visit_start[step]), int(record.visit_start[step + 1]))
        rows, counts = record.visit_row[found], record.visit_count[found]
        for role in (0, 1):
            mine = (rows >= machine.rows(role).start) & (rows < machine.rows(role).stop)
            if mine.any():
                made = counts[mine][rows[mine] == record.moves[step, role]][0]
                best[role].append(made == counts[mine].max())
    assert all(best[1])
    assert not all(best[0])


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_a_match_is_broken_off_after_so_many_joint_moves(limit: int) -> None:
    machine = machine_of("breakthrough.ext")
    names = [str(number) for number in range(6)]
    record = play_matches(machine, [PlayerSpec("random")], [[0, 0]] * 6, range(6), names, move_limit=limit)
    whole = play_matches(machine, [PlayerSpec("random")], [[0, 0]] * 6, range(6), names)
    lengths, whole_lengths = (np.diff(each.start) - 1 for each in (record, whole))
    assert lengths.tolist() == np.minimum(whole_lengths, limit).tolist()
    assert (record.goals == np.where((whole_lengths > limit)[:, None], -1, whole.goals)).all()
