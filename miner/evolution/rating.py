"""Strengths from match results: win percentages, and regularised Bradley–Terry on the Elo scale from the baseline.

The model says that a player of strength a beats one of strength b with probability 1 / (1 + 10^((b − a) / 400)).
Draws count as half a win. Strengths are the maximum of the posterior under a normal prior around the baseline, so a
player with few matches, or only wins, stays finite and near the middle; the standard errors come from the curvature
there. Unlike sequential Elo the result does not depend on the order of the matches.

Source: Bradley & Terry 1952; Hunter 2004 (MM algorithms for generalized Bradley–Terry models); Wilson 1927.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BASELINE", "Rating", "Score", "expected_score", "fit_ratings", "wilson_interval"]

BASELINE = 0  # the player whose strength is the origin of the scale
_ELO = 400.0 / math.log(10.0)  # Elo points per unit of log-odds
_Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of one player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins plus half the draws."""
        return self.wins + 0.5 * self.draws

    @property
    def win_percent(self) -> float:
        """Points per match in percent; 50 without matches."""
        return 100.0 * self.points / self.matches if self.matches else 50.0

    @property
    def ci95(self) -> tuple[float, float]:
        """95 % Wilson interval of the win percentage."""
        low, high = wilson_interval(self.points, self.matches)
        return 100.0 * low, 100.0 * high


@dataclass(frozen=True)
class Rating:
    """Strength in Elo points above the baseline and its standard error."""

    elo: float
    se: float


def expected_score(elo: float, opponent: float = 0.0) -> float:
    """Expected points per match of a player against an opponent, both on the Elo scale."""
    return 1.0 / (1.0 + math.pow(10.0, (opponent - elo) / 400.0))


def wilson_interval(points: float, matches: int, z: float = _Z95) -> tuple[float, float]:
    """Confidence interval of a success probability (Wilson 1927); cautious where `points` counts draws as half."""
    if matches == 0:
        return 0.0, 1.0
    p = points / matches
    centre = p + z * z / (2 * matches)
    spread = z * math.sqrt(p * (1 - p) / matches + z * z / (4 * matches * matches))
    scale = 1 + z * z / matches
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def fit_ratings(players: int, results: Sequence[tuple[int, int, Score]], prior_sd: float = 400.0) -> tuple[Rating, ...]:
    """Ratings of all players; player 0 is the baseline, its strength is 0 by definition.

    `results` lists (player, opponent, score of the player), any number of times per pair. `prior_sd` is the prior's
    standard deviation in Elo points. Values are rounded to 1e-6, so that rankings made from them do not hang on the
    last bits.

    Raises ValueError where a result names a player that does not exist or a player against itself.
    """
    points = np.zeros((players, players))  # [player, opponent] points of the player
    for player, opponent, score in results:
        if not (0 <= player < players and 0 <= opponent < players) or player == opponent:
            raise ValueError(f"result between players {player} and {opponent}: expected two of 0..{players - 1}")
        points[player, opponent] += score.points
        points[opponent, player] += score.matches - score.points
    strength = _maximum_posterior(points, (_ELO / prior_sd) ** 2)
    errors = np.sqrt(np.diag(np.linalg.inv(_curvature(points, strength, (_ELO / prior_sd) ** 2))))
    rated = [Rating(0.0, 0.0)]
    rated += [
        Rating(round(_ELO * float(theta), 6), round(_ELO * float(error), 6))
        for theta, error in zip(strength[1:], errors, strict=True)
    ]
    return tuple(rated)


def _maximum_posterior(points: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Log-odds strengths [player], the baseline's 0, by damped Newton steps on a strictly concave function."""
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
    """Derivative of the log-posterior by every strength but the baseline's."""
    matches = points + points.T
    expected = matches / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    gradient: NDArray[np.float64] = (points - expected).sum(axis=1) - precision * strength
    return gradient[1:]


def _curvature(points: NDArray[np.float64], strength: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Negative second derivative of the log-posterior, without the baseline's row and column."""
    win = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    information = (points + points.T) * win * (1.0 - win)
    curvature: NDArray[np.float64] = np.diag(information.sum(axis=1) + precision) - information
    return curvature[1:, 1:]
