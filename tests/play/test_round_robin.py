import random

import pytest

from gdl_miner.miner.play.rating import expected_score
from gdl_miner.miner.play.round_robin import RoundRobin
from gdl_miner.miner.play.sprt import Sprt, Verdict


def play(match: RoundRobin, strengths: list[float], seed: int = 1) -> set[str]:
    """Play a whole tournament between players of known strength and return the ids of the matches."""
    rng, seen = random.Random(seed), set[str]()
    while pairs := match.ask():
        goals = {}
        for pair in pairs:
            lead = strengths[pair.player] - strengths[pair.opponent]
            for request in pair.matches:
                won = rng.random() < expected_score(lead)
                seat = request.seats.index(pair.player)
                goals[request.id] = [100 if (role == seat) == won else 0 for role in range(len(request.seats))]
        assert not seen & set(goals)
        seen |= set(goals)
        match.tell(goals)
    return seen


@pytest.mark.parametrize("roles", [1, 2, 3])
def test_every_pairing_plays_what_was_asked_for(roles: int) -> None:
    match = RoundRobin(4, roles, 24, 1)
    if roles > 1:
        assert len(play(match, [0.0] * 4)) == match.most_matches == 6 * 24
    assert len(match.pairings) == 6


def test_with_three_roles_both_players_sit_alone_in_every_role() -> None:
    pairs = RoundRobin(2, 3, 6, 1).ask()
    seats = {request.seats for pair in pairs for request in pair.matches}
    assert seats == {(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_the_ranking_is_that_of_the_strengths() -> None:
    strengths = [0.0, 200.0, -200.0, 400.0]
    match = RoundRobin(4, 2, 100, 1)
    play(match, strengths)
    table = match.ratings(400.0)
    assert sorted(range(4), key=lambda player: table.elo[player]) == [2, 0, 1, 3]
    assert table.elo[0] == 0
    for player in range(1, 4):
        assert abs(table.elo[player] - strengths[player]) < 4 * table.rating(player).se


def test_points_of_all_players_add_up_to_the_matches() -> None:
    match = RoundRobin(3, 2, 40, 2)
    played = len(play(match, [0.0, 80.0, -50.0]))
    assert sum(match.score_of(player).points for player in range(3)) == played


def test_a_sequential_test_ends_clear_pairings_early_and_leaves_close_ones_open() -> None:
    match = RoundRobin(3, 2, 300, 3, Sprt(0.0, 40.0))
    played = len(play(match, [400.0, 0.0, -400.0]))
    assert {pairing.verdict for pairing in match.pairings} == {Verdict.stronger}
    assert played < match.most_matches / 4
    close = RoundRobin(2, 2, 40, 3, Sprt(0.0, 10.0))
    play(close, [5.0, 0.0])
    assert close.pairings[0].verdict is Verdict.undecided


def test_asking_again_without_telling_asks_for_the_same() -> None:
    match = RoundRobin(3, 2, 10, 1)
    assert match.ask() == match.ask()


def test_a_missing_result_is_noticed() -> None:
    match = RoundRobin(2, 2, 10, 1)
    match.ask()
    with pytest.raises(KeyError):
        match.tell({})
