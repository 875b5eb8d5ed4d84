import random
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest

from gdl_miner.miner.play.comparison import ComparisonRule, RoundRobin, Sprt, Verdict, compare, round_robin
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import Score, dispersion, expected_score, rate
from tests.play.test_coverage_of_intervals import Truth


class Table:
    """A table at which players of known strength meet; it keeps all matches, call by call."""

    def __init__(self, strengths: Sequence[float], seed: int = 1) -> None:
        self.calls: list[list[MatchRequest]] = []
        self._strengths = strengths
        self._rng = random.Random(seed)

    def play(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        self.calls.append(list(matches))
        return {match.id: self._goals(match) for match in matches}

    @property
    def matches(self) -> list[MatchRequest]:
        return [match for call in self.calls for match in call]

    def _goals(self, match: MatchRequest) -> list[int]:
        alone = next(player for player in match.seats if match.seats.count(player) == 1)
        other = next((player for player in match.seats if player != alone), alone)
        won = self._rng.random() < expected_score(self._strengths[alone] - self._strengths[other])
        seat = match.seats.index(alone)
        return [100 if (role == seat) == won else 0 for role in range(len(match.seats))]


def meet(strengths: Sequence[float], rule: ComparisonRule, roles: int = 2, seed: int = 1) -> tuple[RoundRobin, Table]:
    table = Table(strengths, seed)
    return round_robin(len(strengths), roles, rule, seed, table.play), table


@pytest.mark.parametrize("roles", [1, 2, 3])
def test_every_pairing_plays_what_was_asked_for(roles: int) -> None:
    rule = ComparisonRule(24)
    found, table = meet([0.0] * 4, rule, roles)
    assert len(table.matches) == rule.most_matches(4, roles) == 6 * 24
    assert len(found.comparisons) == 6
    assert len({match.id for match in table.matches}) == len(table.matches)


def test_with_three_roles_both_players_sit_alone_in_every_role() -> None:
    _, table = meet([0.0, 0.0], ComparisonRule(6), 3)
    seats = {match.seats for match in table.matches}
    assert seats == {(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_the_ranking_is_that_of_the_strengths() -> None:
    strengths = [0.0, 200.0, -200.0, 400.0]
    ratings = meet(strengths, ComparisonRule(100))[0].ratings()
    assert sorted(range(4), key=lambda player: ratings.elo[player]) == [2, 0, 1, 3]
    assert ratings.elo[0] == 0
    for player in range(1, 4):
        assert abs(ratings.elo[player] - strengths[player]) < 4 * ratings.rating(player).se


def test_the_ratings_of_two_players_are_as_sure_as_the_dispersion_of_their_matches_says() -> None:
    found, _ = meet([0.0, 100.0], ComparisonRule(60))
    [comparison] = found.comparisons
    expected, rating = rate(comparison.turned), found.ratings().rating(1)
    assert (rating.elo, rating.se) == pytest.approx((expected.elo, expected.se), abs=1e-5)


def test_points_of_all_players_add_up_to_the_matches() -> None:
    found, table = meet([0.0, 80.0, -50.0], ComparisonRule(40), seed=2)
    assert sum(found.score_of(player).points for player in range(3)) == len(table.matches)


def test_a_sequential_test_ends_clear_pairings_early_and_leaves_close_ones_open() -> None:
    rule = ComparisonRule(300, Sprt(0.0, 40.0))
    found, table = meet([400.0, 0.0, -400.0], rule, seed=3)
    assert {comparison.verdict for comparison in found.comparisons} == {Verdict.stronger}
    assert len(table.matches) < rule.most_matches(3, 2) / 4
    close = compare(2, ComparisonRule(40, Sprt(0.0, 10.0)), 3, Table([5.0, 0.0]).play)
    assert close.verdict is Verdict.undecided


def test_the_test_is_checked_after_each_look_and_decided_pairings_play_no_more() -> None:
    _, table = meet([300.0, 0.0, 290.0], ComparisonRule(80, Sprt(0.0, 40.0), look=4), seed=5)
    sizes = [len({match.id.rpartition("-p")[0] for match in call}) for call in table.calls]
    assert sizes[0] == 3
    assert all(later <= before for before, later in pairwise(sizes))
    assert len(table.calls[0]) == 3 * 4 * 2


def test_the_matches_of_a_pair_begin_alike() -> None:
    _, table = meet([0.0, 0.0], ComparisonRule(8, opening_plies=3))
    assert {match.opening_plies for match in table.matches} == {3}
    assert len({match.seed for match in table.matches}) == 4


def test_a_missing_result_is_noticed() -> None:
    with pytest.raises(KeyError):
        compare(2, ComparisonRule(10), 1, lambda _: {})


def decide(test: Sprt, truth: Truth, rng: np.random.Generator) -> tuple[Verdict, int]:
    """Return the verdict on a player of known strength and the number of matches before it."""
    score = Score()
    while (verdict := test.verdict(score)) is Verdict.undecided:
        score += truth.play(16, rng)
    return verdict, score.matches


@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_wrong_verdicts_are_as_rare_as_promised(draws: float) -> None:
    rng = np.random.default_rng(7)
    test = Sprt(0.0, 60.0)

    def wrong(elo: float, verdict: Verdict) -> float:
        truth = Truth(elo / (1 - draws), draws=draws)  # the points show a lead of elo
        return sum(decide(test, truth, rng)[0] is verdict for _ in range(400)) / 400

    assert wrong(0.0, Verdict.stronger) <= 0.08
    assert wrong(60.0, Verdict.not_stronger) <= 0.08


def test_the_test_is_that_of_normal_means() -> None:
    test = Sprt(-20.0, 100.0, alpha=0.01, beta=0.2)
    assert test.bounds == pytest.approx((np.log(0.2 / 0.99), np.log(0.8 / 0.01)))
    score = Truth(60.0, draws=0.3).play(30, np.random.default_rng(9))
    low, high = expected_score(-20.0), expected_score(100.0)
    drawn, mean = (score.points + 0.5) / 61, score.points / 60
    variance = drawn * (1 - drawn) * dispersion([score])
    expected = 60 * ((mean - low) ** 2 - (mean - high) ** 2) / (2 * variance)
    assert test.log_likelihood_ratio(score) == pytest.approx(expected)


def test_a_clear_lead_is_settled_with_few_matches() -> None:
    rng = np.random.default_rng(8)
    test = Sprt(0.0, 30.0)
    clear = [decide(test, Truth(300.0), rng)[1] for _ in range(50)]
    close = [decide(test, Truth(15.0), rng)[1] for _ in range(20)]
    assert np.mean(clear) < 120 < 500 < np.mean(close)


def test_a_test_that_has_to_end_takes_what_is_likelier() -> None:
    test = Sprt(-50.0, 0.0)  # 42.9 and 50 %; the middle is 46.4
    for wins, decision in ((47, Verdict.stronger), (46, Verdict.not_stronger)):
        score = Score(wins=wins, losses=100 - wins)
        assert test.verdict(score) is Verdict.undecided
        assert test.decision(score) is decision
    for wins in (20, 80):
        score = Score(wins=wins, losses=100 - wins)
        assert test.decision(score) is test.verdict(score)


def test_no_match_decides_nothing() -> None:
    assert Sprt(0.0, 10.0).verdict(Score()) is Verdict.undecided


@pytest.mark.parametrize("arguments", [(10.0, 0.0), (5.0, 5.0), (0.0, 10.0, 0.6), (0.0, 10.0, 0.05, 0.0)])
def test_impossible_hypotheses_are_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"smaller one|error rates"):
        Sprt(*arguments)
