"""Openings of matches, whose moves are drawn at random."""

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import MatchArrays, play_arrays, play_matches

PLAYERS = (PlayerSpec(playouts=8), PlayerSpec(playouts=30), PlayerSpec("random"))
SEATS = np.array([[0, 1], [1, 0], [2, 2], [0, 0]], np.int32)
SEEDS = np.array([5, 5, 5, 6], np.uint64)
PLIES = 6


def played(opening_plies: int | list[int], lanes: int | None = None) -> MatchArrays:
    return play_arrays(load_machine("connectfour.ext"), PLAYERS, SEATS, SEEDS, opening_plies=opening_plies, lanes=lanes)


def moves_of(found: MatchArrays, match: int) -> list[list[int]]:
    return found.moves[found.start[match] : found.start[match + 1]].tolist()


def test_matches_of_one_seed_begin_alike_whoever_plays() -> None:
    found = played(PLIES)
    first, second, third, other = (moves_of(found, match) for match in range(4))
    assert first[:PLIES] == second[:PLIES] == third[:PLIES]
    assert first[:PLIES] != other[:PLIES]
    assert first != second


def test_nobody_searches_in_an_opening() -> None:
    found = played(PLIES)
    searched = np.diff(found.visit_start) > 0
    for match in (0, 1, 3):
        start = found.start[match]
        assert not searched[start : start + PLIES].any()
        assert searched[start + PLIES]


def test_each_match_has_an_opening_of_its_own_length() -> None:
    mixed, whole, none = played([PLIES, 0, 0, PLIES]), played(PLIES), played(0)
    assert moves_of(mixed, 0) == moves_of(whole, 0)
    assert moves_of(mixed, 1) == moves_of(none, 1)
    assert moves_of(mixed, 3) == moves_of(whole, 3)


def test_openings_do_not_depend_on_the_lanes() -> None:
    for one, other in zip(played(PLIES, 64)[:-1], played(PLIES, 256)[:-1], strict=True):
        assert np.array_equal(one, other)


def test_a_match_may_end_in_its_opening() -> None:
    machine = load_machine("tictactoe.ext")
    record = play_matches(machine, PLAYERS, SEATS[:3], SEEDS[:3], ["a", "b", "c"], opening_plies=9)
    assert (record.playouts == 0).all()
    assert (record.goals[0] == record.goals[1]).all()
    assert (record.goals[0] == record.goals[2]).all()


def test_openings_that_fit_no_match_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        played([1, 2])
    with pytest.raises(ValueError, match="negative number of plies"):
        played(-1)
