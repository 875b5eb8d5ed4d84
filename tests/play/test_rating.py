import math
import random

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from gdl_miner.miner.play.rating import (
    Score,
    dispersion,
    expected_score,
    fit_ratings,
    rate,
    superiority,
    wilson_interval,
)

ELO = 400 / math.log(10)


def random_results(players: int, matches: int, rng: random.Random) -> list[tuple[int, int, Score]]:
    results = []
    for _ in range(matches):
        one, other = rng.sample(range(players), 2)
        results.append((one, other, rng.choice([Score(wins=1), Score(losses=1), Score(draws=1)])))
    return results


def as_choix(results: list[tuple[int, int, Score]]) -> list[tuple[int, int]]:
    """Return every win twice and every draw once each way; this squares the likelihood."""
    data = []
    for one, other, score in results:
        data += [(one, other)] * (2 * score.wins + score.draws) + [(other, one)] * (2 * score.losses + score.draws)
    return data


@pytest.mark.parametrize("seed", range(5))
def test_without_a_prior_ratings_are_those_of_choix(seed: int) -> None:
    rng = random.Random(seed)
    results = random_results(6, 300, rng)
    theirs = choix.opt_pairwise(6, as_choix(results), alpha=0.0)
    ours = fit_ratings(6, results, prior_sd=1e6)
    np.testing.assert_allclose([rating.elo for rating in ours], ELO * (theirs - theirs[0]), atol=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_the_prior_is_the_one_of_choix_where_the_baseline_stays_at_the_origin(seed: int) -> None:
    # The mirrored results make the tournament symmetric, so the baseline keeps the strength 0.
    rng = random.Random(seed)
    results = random_results(4, 60, rng)
    mirrored = [
        (3 + one if one else 0, 3 + other if other else 0, Score(s.losses, s.draws, s.wins))
        for one, other, s in results
    ]
    both = results + mirrored
    theirs = choix.opt_pairwise(7, as_choix(both), alpha=(ELO / 200) ** 2)  # choix penalises squares, not half squares
    ours = fit_ratings(7, both, prior_sd=200.0)
    assert abs(theirs[0]) < 1e-6
    np.testing.assert_allclose([rating.elo for rating in ours], ELO * theirs, atol=0.05)


def test_the_order_of_the_matches_does_not_matter() -> None:
    rng = random.Random(7)
    results = random_results(5, 80, rng)
    before = fit_ratings(5, results)
    rng.shuffle(results)
    assert fit_ratings(5, results) == before


def test_a_player_that_only_wins_has_a_finite_rating_with_an_error() -> None:
    rating = fit_ratings(2, [(1, 0, Score(wins=10))])[1]
    assert 100 < rating.elo < 1000
    assert 50 < rating.se < 400


def test_a_player_without_matches_is_rated_as_the_prior_says() -> None:
    rating = fit_ratings(2, [], prior_sd=150.0)[1]
    assert rating.elo == 0
    assert rating.se == pytest.approx(150.0)


def test_the_standard_error_shrinks_as_matches_grow() -> None:
    few = fit_ratings(2, [(1, 0, Score(12, 4, 9))])[1]
    many = fit_ratings(2, [(1, 0, Score(120, 40, 90))])[1]
    assert many.se < few.se / 2.5


def test_a_rating_predicts_the_score_it_was_made_from() -> None:
    rating = fit_ratings(2, [(1, 0, Score(640, 0, 360))], prior_sd=1e5)[1]
    assert expected_score(rating.elo) == pytest.approx(0.64, abs=1e-3)


@pytest.mark.parametrize("result", [(0, 0, Score(1)), (0, 5, Score(1)), (-1, 0, Score(1))])
def test_a_result_between_impossible_players_is_refused(result: tuple[int, int, Score]) -> None:
    with pytest.raises(ValueError, match="expected two of"):
        fit_ratings(3, [result])


@given(st.integers(1, 500), st.floats(0, 1))
def test_the_interval_holds_the_observed_share_and_stays_a_probability(matches: int, share: float) -> None:
    points = round(2 * share * matches) / 2
    low, high = wilson_interval(points, matches)
    assert 0 <= low <= points / matches + 1e-12
    assert points / matches - 1e-12 <= high <= 1


def test_the_interval_is_wilsons() -> None:
    low, high = wilson_interval(8, 10)  # Newcombe 1998, method 3
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


SINGLE = {0.0: Score(losses=1), 0.5: Score(draws=1), 1.0: Score(wins=1)}


def test_the_dispersion_is_the_variance_of_pairs_over_that_of_coins_for_both_players() -> None:
    points = np.array([[1, 0], [1, 1], [0.5, 0], [1, 0.5], [1, 1]])
    matches, mean = points.size, points.mean()
    coins = mean * (1 - mean) * matches / (matches - 1)
    alone = sum((SINGLE[each] for each in points.ravel().tolist()), Score())
    pairs = sum((sum((SINGLE[each] for each in pair), Score()).as_group() for pair in points.tolist()), Score())
    assert alone.variances() == pytest.approx((points.var(ddof=1), coins, 9))
    of_pairs = (points.sum(axis=1).var(ddof=1) / 2, coins, 4)
    for score in (pairs, pairs.turned()):
        assert score.variances() == pytest.approx(of_pairs)
        assert dispersion([score]) == pytest.approx((4 * of_pairs[0] + 3 * coins) / (4 * coins + 3 * coins))
    observed, expected = 4 * of_pairs[0] + 9 * points.var(ddof=1), 13 * coins
    assert dispersion([pairs, alone]) == pytest.approx((observed + 3 * coins) / (expected + 3 * coins))
    assert Score(wins=9, groups=1, squares=81).variances() == Score(wins=1).variances() == (0, 0, 0)


def test_the_dispersion_narrows_intervals_and_errors() -> None:
    score = Score(30, 60, 10, groups=50, squares=80.0)
    spread = dispersion([score])
    assert spread < 0.5
    assert score.ci95 == pytest.approx([100 * end for end in wilson_interval(60 / spread, 100 / spread)])
    alike = Score(draws=1, groups=1) + Score(wins=60, losses=40)
    assert rate(score).se < 0.8 * rate(alike).se
    assert rate(score).elo == pytest.approx(rate(alike).elo, abs=5)


def test_superiority_is_the_chance_that_the_true_lead_is_positive() -> None:
    assert superiority(30.0, 20.0) == pytest.approx(norm.sf(0, loc=30, scale=20))
    assert [superiority(lead, 0.0) for lead in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]
