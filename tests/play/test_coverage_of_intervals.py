"""For players of known strength, 95 % intervals and standard errors hold the truth about 95 times in 100."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

from gdl_miner.miner.play.rating import Score, dispersion, expected_score, fit_ratings, fit_table

RUNS = 1500


@dataclass(frozen=True)
class Truth:
    """The true strength of a player: its Elo, the lead of the better seat in Elo, and the share of drawn matches."""

    elo: float
    seat: float = 0.0
    draws: float = 0.0

    @property
    def points(self) -> float:
        """The expected points per match."""
        return sum(self._expected(side) for side in (1, -1)) / 2

    def play(self, pairs: int, rng: np.random.Generator) -> Score:
        """Play `pairs` pairs of matches with swapped seats and return their score."""
        results = np.zeros((pairs, 2))
        for seat, side in enumerate((1, -1)):
            decided = rng.random(pairs) >= self.draws
            won = rng.random(pairs) < expected_score(self.elo + side * self.seat)
            results[:, seat] = np.where(decided, won, 0.5)
        counts = [int((results == value).sum()) for value in (1.0, 0.5, 0.0)]
        return Score(*counts, groups=pairs, squares=float((results.sum(axis=1) ** 2).sum()))

    def _expected(self, side: int) -> float:
        return (1 - self.draws) * expected_score(self.elo + side * self.seat) + self.draws / 2


TRUTHS = [
    Truth(0.0),
    Truth(180.0),
    Truth(0.0, draws=0.5),
    Truth(100.0, draws=0.7),
    Truth(60.0, seat=300.0),
    Truth(30.0, seat=150.0, draws=0.3),
]


@pytest.mark.parametrize("pairs", [24, 200])
@pytest.mark.parametrize("truth", TRUTHS)
def test_the_interval_of_the_win_percentage_holds_the_truth(truth: Truth, pairs: int) -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(RUNS):
        low, high = truth.play(pairs, rng).ci95
        held += low <= 100 * truth.points <= high
    assert 0.93 <= held / RUNS <= 0.97


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_standard_error_of_elo_holds_the_truth(truth: Truth) -> None:
    rng = np.random.default_rng(2)
    elo = -400 * np.log10(1 / truth.points - 1)  # the points on the Elo scale
    held = 0
    for _ in range(RUNS):
        score = truth.play(200, rng)
        rating = fit_ratings(2, [(1, 0, score)], dispersion=dispersion([score]))[1]
        held += abs(rating.elo - elo) <= norm.ppf(0.975) * rating.se
    assert 0.93 <= held / RUNS <= 0.97


def test_without_dispersion_draws_would_make_the_errors_too_large() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(RUNS):
        score = Truth(0.0, draws=0.7).play(200, rng)
        rating = fit_ratings(2, [(1, 0, score)])[1]
        held += abs(rating.elo) <= norm.ppf(0.975) * rating.se
    assert held / RUNS > 0.99


def test_leads_between_players_of_a_round_robin_are_as_sure_as_they_say() -> None:
    rng = np.random.default_rng(4)
    strengths = [0.0, 40.0, -60.0, 120.0]
    held = total = 0
    for _ in range(300):
        results = [
            (one, other, Truth(strengths[one] - strengths[other], draws=0.4).play(60, rng))
            for one in range(4)
            for other in range(one + 1, 4)
        ]
        table = fit_table(4, results, 400.0, dispersion(score for _, _, score in results))
        for one, other in ((1, 2), (3, 1), (2, 3), (0, 3)):
            lead = table.lead(one, other)
            truth = 400 * np.log10(_odds(strengths[one], strengths[other]))
            held += abs(lead.elo - truth) <= norm.ppf(0.975) * lead.se
            total += 1
    assert 0.93 <= held / total <= 0.97


def _odds(one: float, other: float) -> float:
    """Return the odds of a player's points where 40 % of the matches are drawn."""
    points = 0.6 * expected_score(one, other) + 0.2
    return points / (1 - points)


def test_little_evidence_hardly_changes_the_dispersion() -> None:
    assert dispersion([]) == 1.0
    assert dispersion([Score(wins=1).as_group()]) == 1.0
    assert 0.7 < dispersion([Score(draws=4, groups=2, squares=2.0)]) <= 1.0


def test_a_score_turned_twice_is_the_same_again() -> None:
    score = Truth(50.0, draws=0.3).play(30, np.random.default_rng(5))
    assert score.turned().turned() == score
    assert dispersion([score.turned()]) == pytest.approx(dispersion([score]))
