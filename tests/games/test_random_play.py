"""Lengths and branching of uniformly random play, compared with the thesis's table 6.1 for its games."""

import pytest

from tests.games.machines import machine, random_playout

LENGTHS = {"amazons.ext": 131, "checkers.ext": 99, "connectfour.ext": 22, "cubicup.ext": 56, "othello.ext": 61}
BRANCHING = {"amazons.ext": 22, "checkers.ext": 10, "connectfour.ext": 7, "cubicup.ext": 4, "othello.ext": 7}


@pytest.mark.parametrize("game", LENGTHS)
def test_random_lengths_agree_with_the_thesis(game: str) -> None:
    totals = machine(game).playouts(count=4096, seed=1)
    assert totals.finished_states / totals.playouts == pytest.approx(LENGTHS[game], rel=0.035)


@pytest.mark.parametrize("game", BRANCHING)
def test_random_branching_is_comparable_to_the_thesis(game: str) -> None:
    turns = [turn for seed in range(24) for turn in random_playout(machine(game), seed) if turn.legal]
    choices = [max(map(len, turn.legal)) for turn in turns]  # of the role to move
    assert 0.75 <= sum(choices) / len(choices) / BRANCHING[game] <= 1.9
