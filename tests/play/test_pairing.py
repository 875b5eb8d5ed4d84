import pytest

from miner.play.pairing import make_pair, match_score
from miner.play.rating import Score


def test_a_pair_gives_the_player_every_role_once_with_the_same_seed() -> None:
    pair = make_pair("x", 3, 99, roles=2)
    assert [match.seats for match in pair.matches] == [(3, 0), (0, 3)]
    assert {match.seed for match in pair.matches} == {99}
    assert len({match.id for match in pair.matches}) == 2


def test_with_three_roles_the_player_sits_once_in_each_seat() -> None:
    assert [match.seats for match in make_pair("x", 1, 0, roles=3).matches] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_in_a_game_of_one_role_both_play_alone_and_goals_are_compared() -> None:
    pair = make_pair("x", 2, 0, roles=1)
    assert [match.seats for match in pair.matches] == [(2,), (0,)]
    goals = {pair.matches[0].id: (75,), pair.matches[1].id: (50,)}
    assert pair.score(goals) == Score(wins=1).as_group()


@pytest.mark.parametrize(
    ("goals", "expected"),
    [
        ((100, 0), Score(wins=1)),
        ((0, 100), Score(losses=1)),
        ((50, 50), Score(draws=1)),
        ((0, 0), Score(draws=1)),
        ((60, 50), Score(wins=1)),
        ((-1, 0), Score(draws=1)),
        ((50, 100, 0), Score(draws=1)),
        ((51, 100, 0), Score(wins=1)),
    ],
)
def test_a_match_is_won_by_the_goal_above_the_mean_of_the_others(goals: tuple[int, ...], expected: Score) -> None:
    assert match_score(goals, 0) == expected


def test_the_score_of_a_pair_counts_both_seats_for_the_player() -> None:
    pair = make_pair("x", 1, 0, roles=2)
    goals = {pair.matches[0].id: (100, 0), pair.matches[1].id: (0, 100)}
    assert pair.score(goals) == Score(wins=2).as_group()


def test_the_matches_of_a_pair_share_their_opening_and_a_role_alone_has_none() -> None:
    assert [match.opening_plies for match in make_pair("x", 1, 0, roles=3, opening_plies=4).matches] == [4, 4, 4]
    assert [match.opening_plies for match in make_pair("x", 1, 0, roles=1, opening_plies=4).matches] == [0, 0]
