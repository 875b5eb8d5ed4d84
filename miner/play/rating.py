"""Strengths from match results: win percentages, and a regularised Bradley–Terry model on the Elo scale.

The baseline has strength 0. A player of strength a beats one of strength b with probability
1 / (1 + 10^((b − a) / 400)), and a draw counts as half a win. Strengths are the maximum of the posterior under a normal
prior around the baseline, so the strength of a player with few matches, or with wins only, stays finite and near the
middle. The standard errors come from the curvature at the maximum. Unlike sequential Elo, the result does not depend on
the order of the matches.

Points vary less than independent wins and losses would, because of draws and of pairs of matches with swapped seats.
The dispersion is the ratio of the two variances, measured on the points of whole pairs. It narrows intervals and
errors, so that a 95 % interval holds the truth 95 times in 100 and not 99.

Source: Bradley & Terry 1952; Hunter 2004 (MM algorithms for generalized Bradley–Terry models); Wilson 1927; Wedderburn
1974 (quasi-likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BASELINE = 0  # the player whose strength is the origin of the scale
_PRIOR_SD = 400.0  # Elo points; wide, because matches of two players speak for themselves
_ELO = 400.0 / math.log(10.0)  # Elo points per unit of log-odds
_Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution
_INDEPENDENT = 3.0  # weight of the prior belief that matches are independent and decided, in pairs


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of one player.

    In a match of several opponents the points are the share of them that the player is ahead of, a tie counted half.
    The match is won if they are more than half, drawn if they are half.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    groups: int = 0  # number of pairs (or groups) of matches; 0: not known
    squares: float = 0.0  # sum of the squared points of the groups
    between: float = 0.0  # points beyond wins and half the draws, from matches of several opponents

    def __add__(self, other: Score) -> Score:
        return Score(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.groups + other.groups,
            self.squares + other.squares,
            self.between + other.between,
        )

    def turned(self) -> Score:
        """Return the opponent's score."""
        points, size = self.points, self.matches / self.groups if self.groups else 0.0
        squares = self.squares - 2 * size * points + self.groups * size**2  # sum of (size - points)² over the groups
        return Score(self.losses, self.draws, self.wins, self.groups, squares, -self.between)

    def as_group(self) -> Score:
        """Return this score as the score of one group of matches that depend on each other."""
        return Score(self.wins, self.draws, self.losses, 1, self.points**2, self.between)

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins plus half the draws, and what matches of several opponents brought between these."""
        return self.wins + 0.5 * self.draws + self.between

    @property
    def win_percent(self) -> float:
        """Points per match in percent; 50 without matches."""
        return 100.0 * self.points / self.matches if self.matches else 50.0

    @property
    def ci95(self) -> tuple[float, float]:
        """95 % Wilson interval of the win percentage, narrowed by the dispersion."""
        spread = dispersion([self])
        low, high = wilson_interval(self.points / spread, self.matches / spread)
        return 100.0 * low, 100.0 * high

    def as_json(self) -> dict[str, Any]:
        """Return the published keys, in order."""
        return {
            "win_percent": round(self.win_percent, 4),
            "ci95": [round(end, 4) for end in self.ci95],
            "n": self.matches,
            "wins": self.wins,
            "losses": self.losses,
            "draws": self.draws,
        }

    def variances(self) -> tuple[float, float, float]:
        """Return the variance of a match's points, that of independent wins and losses, and the degrees of freedom."""
        if self.matches < 2 or self.groups == 1:
            return 0.0, 0.0, 0.0
        p = self.points / self.matches
        decided = p * (1 - p) * self.matches / (self.matches - 1)
        if self.groups:
            size = self.matches / self.groups
            spread = (self.squares - self.points**2 / self.groups) / (self.groups - 1)
            return max(0.0, spread / size), decided, self.groups - 1.0
        spread = (self.wins + self.draws / 4 - self.points**2 / self.matches) / (self.matches - 1)
        return max(0.0, spread), decided, self.matches - 1.0


@dataclass(frozen=True)
class Rating:
    """Strength in Elo points above another player and its standard error."""

    elo: float
    se: float

    def plus(self, other: Rating) -> Rating:
        """Return the rating of a player who has the rating `other` over a player with this one."""
        return Rating(self.elo + other.elo, math.hypot(self.se, other.se))


def dispersion(scores: Iterable[Score]) -> float:
    """Return the variance of points relative to that of independent wins and losses, pooled over scores.

    The result is 1 where nothing is known, and a prior draws it towards 1 where there is little evidence.
    """
    found = [score.variances() for score in scores]
    freedom = sum(degrees for _, _, degrees in found)
    decided = sum(degrees * expected for _, expected, degrees in found)
    if decided <= 0:
        return 1.0
    observed = sum(degrees * variance for variance, _, degrees in found)
    prior = _INDEPENDENT * decided / freedom
    return (observed + prior) / (decided + prior)


def expected_score(elo: float, opponent: float = 0.0) -> float:
    """Return the expected points per match of a player against an opponent, both on the Elo scale."""
    return 1.0 / (1.0 + math.pow(10.0, (opponent - elo) / 400.0))


def superiority(difference: float, error: float) -> float:
    """Return the likelihood that a player is the stronger one, from its lead in Elo and the lead's standard error.

    The likelihood is 1/2 where neither player is known to be stronger.
    """
    if error <= 0:
        return 0.5 if difference == 0 else float(difference > 0)
    return 0.5 * math.erfc(-difference / (error * math.sqrt(2.0)))


def wilson_interval(points: float, matches: float) -> tuple[float, float]:
    """Return the confidence interval of a success probability from independent wins and losses (Wilson 1927)."""
    if matches == 0:
        return 0.0, 1.0
    p, z = points / matches, _Z95
    centre = p + z * z / (2 * matches)
    spread = z * math.sqrt(p * (1 - p) / matches + z * z / (4 * matches * matches))
    scale = 1 + z * z / matches
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True)
class RatingTable:
    """Strengths of several players and the covariance of their errors."""

    elo: NDArray[np.float64]  # [player] the baseline's is 0
    covariance: NDArray[np.float64]  # [player, player] in squared Elo points

    def rating(self, player: int) -> Rating:
        """Return the strength of a player and its standard error."""
        return Rating(float(self.elo[player]), float(math.sqrt(self.covariance[player, player])))

    def lead(self, player: int, other: int) -> Rating:
        """Return how much stronger a player is than another, with the standard error of the difference."""
        own = self.covariance
        variance = own[player, player] + own[other, other] - 2 * own[player, other]
        return Rating(float(self.elo[player] - self.elo[other]), math.sqrt(max(0.0, float(variance))))


def fit_table(
    players: int, results: Sequence[tuple[int, int, Score]], prior_sd: float = _PRIOR_SD, dispersion: float = 1.0
) -> RatingTable:
    """Fit the strengths of all players; player 0 is the baseline, and its strength is 0 by definition.

    `results` lists (player, opponent, score of the player), any number of times per pair. `prior_sd` is the prior's
    standard deviation in Elo points. `dispersion` divides the evidence of every match (see the function of that name).

    Raises ValueError where a result names a player that does not exist or a player against itself.
    """
    points = np.zeros((players, players))  # [player, opponent] points of the player
    for player, opponent, score in results:
        if not (0 <= player < players and 0 <= opponent < players) or player == opponent:
            raise ValueError(f"result between players {player} and {opponent}: expected two of 0..{players - 1}")
        points[player, opponent] += score.points / dispersion
        points[opponent, player] += (score.matches - score.points) / dispersion
    precision = (_ELO / prior_sd) ** 2
    strength = _maximum_posterior(points, precision)
    covariance = np.zeros((players, players))
    covariance[1:, 1:] = np.linalg.inv(_curvature(points, strength, precision))
    return RatingTable(_ELO * strength, _ELO**2 * covariance)


def fit_ratings(
    players: int, results: Sequence[tuple[int, int, Score]], prior_sd: float = _PRIOR_SD, dispersion: float = 1.0
) -> tuple[Rating, ...]:
    """Fit the ratings of all players as `fit_table` does, rounded to 1e-6, so that no ranking depends on last bits."""
    table = fit_table(players, results, prior_sd, dispersion)
    rated = (table.rating(player) for player in range(players))
    return tuple(Rating(round(each.elo, 6), round(each.se, 6)) for each in rated)


def rate(score: Score) -> Rating:
    """Return the rating of a player from its score against the baseline, with the dispersion of its own matches."""
    return fit_ratings(2, [(1, BASELINE, score)], dispersion=dispersion([score]))[1]


def _maximum_posterior(points: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Return the log-odds strengths [player], found by damped Newton steps on a strictly concave function.

    The baseline's strength is 0.
    """
    strength = np.zeros(len(points))
    if len(points) == 1:
        return strength
    for _ in range(100):
        gradient = _gradient(points, strength, precision)
        step = np.linalg.solve(_curvature(points, strength, precision), gradient)
        largest = float(np.abs(step).max())
        strength[1:] += step * min(1.0, 2.0 / largest) if largest > 0 else 0.0
        if largest < 1e-12:
            break
    return strength


def _gradient(points: NDArray[np.float64], strength: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Return the derivative of the log-posterior by every strength except the baseline's."""
    matches = points + points.T
    expected = matches / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    gradient: NDArray[np.float64] = (points - expected).sum(axis=1) - precision * strength
    return gradient[1:]


def _curvature(points: NDArray[np.float64], strength: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Return the negative second derivative of the log-posterior, without the baseline's row and column."""
    win = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    information = (points + points.T) * win * (1.0 - win)
    curvature: NDArray[np.float64] = np.diag(information.sum(axis=1) + precision) - information
    return curvature[1:, 1:]
