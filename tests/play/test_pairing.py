import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.miner.play.pairing import make_pair, match_score
from gdl_miner.miner.play.rating import Score


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
        ((51, 100, 0), Score(draws=1)),
        ((100, 0, 0), Score(wins=1)),
        ((0, 100, 0), Score(losses=1, between=0.25)),
        ((50, 50, 0), Score(wins=1, between=-0.25)),
        ((0, 0, 0), Score(draws=1)),
        ((0, 100, 0, 0, 0), Score(losses=1, between=0.375)),
    ],
)
def test_the_goal_is_compared_with_that_of_each_other_role(goals: tuple[int, ...], expected: Score) -> None:
    assert match_score(goals, 0) == expected


@given(st.lists(st.sampled_from([0, 25, 50, 100]), min_size=2, max_size=6))
def test_the_points_of_all_roles_of_a_match_are_half_a_point_each(goals: list[int]) -> None:
    points = [match_score(goals, role).points for role in range(len(goals))]
    assert sum(points) == pytest.approx(len(goals) / 2)
    assert all(0 <= each <= 1 for each in points)


def test_turned_round_the_points_of_three_roles_are_those_of_the_opponents() -> None:
    score = match_score((0, 100, 0), 0) + match_score((100, 0, 0), 0) + match_score((0, 0, 100), 0)
    assert score.as_group().points == 1.5
    assert score.as_group().turned().points == score.matches - 1.5
    assert score.as_group().turned().turned() == score.as_group()


def test_the_score_of_a_pair_counts_both_seats_for_the_player() -> None:
    pair = make_pair("x", 1, 0, roles=2)
    goals = {pair.matches[0].id: (100, 0), pair.matches[1].id: (0, 100)}
    assert pair.score(goals) == Score(wins=2).as_group()


def test_the_matches_of_a_pair_share_their_opening_and_a_role_alone_has_none() -> None:
    assert [match.opening_plies for match in make_pair("x", 1, 0, roles=3, opening_plies=4).matches] == [4, 4, 4]
    assert [match.opening_plies for match in make_pair("x", 1, 0, roles=1, opening_plies=4).matches] == [0, 0]
