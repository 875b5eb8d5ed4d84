"""Sequential probability ratio test on pairs of matches: it stops as soon as the results are decisive.

The test accepts one of two hypotheses about the Elo lead of a player. Its log-likelihood ratio assumes that the points
of pairs are normally distributed with the observed variance, as testers of chess programs do (generalised SPRT).

Source: Wald 1945; Van den Bergh 2020 (a practical introduction to the GSPRT).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from gdl_miner.miner.play.rating import Score, dispersion, expected_score

__all__ = ["Sprt", "Verdict"]


class Verdict(StrEnum):
    """The verdict of a test so far."""

    stronger = "H1"
    not_stronger = "H0"
    undecided = "open"


@dataclass(frozen=True)
class Sprt:
    """A test of H1, the lead is at least `elo1`, against H0, the lead is at most `elo0`.

    Raises ValueError where the hypotheses are in the wrong order or an error rate is no probability below 1/2.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05  # probability of accepting H1 where H0 holds
    beta: float = 0.05  # probability of accepting H0 where H1 holds

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"the first Elo value must be the smaller one, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"error rates lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios below and above which a hypothesis is accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, score: Score) -> float:
        """Return the logarithm of how much more likely the score is under H1 than under H0."""
        if score.matches == 0:
            return 0.0
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        mean = (score.points + 0.5) / (score.matches + 1)  # one more drawn match keeps the variance above 0
        variance = mean * (1 - mean) * dispersion([score])
        return (high - low) * (2 * score.points - score.matches * (low + high)) / (2 * variance)

    def verdict(self, score: Score) -> Verdict:
        """Return the hypothesis that the score supports well enough to accept it, or `undecided`."""
        ratio, (low, high) = self.log_likelihood_ratio(score), self.bounds
        if ratio >= high:
            return Verdict.stronger
        return Verdict.not_stronger if ratio <= low else Verdict.undecided

    def decision(self, score: Score) -> Verdict:
        """Return the hypothesis under which the score is likelier, for a test that ends here (truncated: Wald 1945)."""
        return Verdict.stronger if self.log_likelihood_ratio(score) > 0 else Verdict.not_stronger
