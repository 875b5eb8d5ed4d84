"""Lengths, branching and goals of uniformly random play, compared with the thesis's table 6.1 for its games."""

from typing import NamedTuple

import pytest

from tests.games.machines import machine, random_playout


class Statistics(NamedTuple):
    """Means over uniformly random playouts."""

    length: float
    branching: float  # legal moves of the role to move
    first_goal: float  # goal of the first role


OURS = {
    "amazons.ext": Statistics(134.3, 20.8, 50.1),
    "breakthrough.ext": Statistics(64.1, 26.0, 50.9),
    "checkers.ext": Statistics(100.0, 8.1, 49.1),
    "connectfour.ext": Statistics(22.3, 7.8, 55.7),
    "connectfour7.ext": Statistics(21.3, 6.8, 55.6),
    "cubicup.ext": Statistics(56.0, 7.1, 39.6),
    "fanorona.ext": Statistics(57.2, 6.9, 48.8),
    "gomoku.ext": Statistics(109.0, 167.5, 50.9),
    "hex11.ext": Statistics(107.4, 65.8, 52.0),
    "hex5.ext": Statistics(21.2, 14.5, 57.0),
    "knightthrough.ext": Statistics(33.7, 36.8, 51.8),
    "othello.ext": Statistics(60.4, 8.5, 47.4),
    "teeko.ext": Statistics(89.2, 17.1, 50.0),
    "tictactoe.ext": Statistics(7.63, 5.5, 64.8),
    "tictactoe5.ext": Statistics(23.7, 13.5, 55.0),
    "yavalath.ext": Statistics(19.6, 51.2, 47.0),
}

THESIS_LENGTHS = {"amazons.ext": 131, "checkers.ext": 99, "connectfour.ext": 22, "cubicup.ext": 56, "othello.ext": 61}
THESIS_BRANCHING = {"amazons.ext": 22, "checkers.ext": 10, "connectfour.ext": 7, "cubicup.ext": 4, "othello.ext": 7}


@pytest.mark.parametrize("game", OURS)
def test_random_lengths_and_goals_stay_as_they_are(game: str) -> None:
    totals = machine(game).playouts(count=4096, seed=1)
    assert totals.finished_states / totals.playouts == pytest.approx(OURS[game].length, rel=0.015)
    assert totals.goals[0] / totals.playouts == pytest.approx(OURS[game].first_goal, abs=3)  # 4 standard errors


@pytest.mark.parametrize("game", OURS)
def test_random_branching_stays_as_it_is(game: str) -> None:
    playouts = 96 if game == "fanorona.ext" else 24  # its branching varies much between playouts
    turns = [turn for seed in range(playouts) for turn in random_playout(machine(game), seed) if turn.legal]
    choices = [max(map(len, turn.legal)) for turn in turns]
    assert sum(choices) / len(choices) == pytest.approx(OURS[game].branching, rel=0.06)


@pytest.mark.parametrize("game", THESIS_LENGTHS)
def test_random_lengths_agree_with_the_thesis(game: str) -> None:
    assert OURS[game].length == pytest.approx(THESIS_LENGTHS[game], rel=0.03)


@pytest.mark.parametrize("game", THESIS_BRANCHING)
def test_random_branching_is_comparable_to_the_thesis(game: str) -> None:
    assert 0.75 <= OURS[game].branching / THESIS_BRANCHING[game] <= 1.8
