"""How individuals did in a generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from miner.learners.evolution.population import Individual
from miner.play.rating import Rating, Score

__all__ = ["GenerationResult", "Standing"]


@dataclass(frozen=True)
class Standing:
    """An individual, its score against the baseline and its rating."""

    individual: Individual
    score: Score
    rating: Rating
    rounds: int  # rounds of the tournament it took part in


@dataclass(frozen=True)
class GenerationResult:
    """A finished generation; generation 0 has no individuals."""

    generation: int
    standings: tuple[Standing, ...]  # best first
    matches: int

    @property
    def best(self) -> Standing | None:
        """The first of the ranking."""
        return self.standings[0] if self.standings else None

    def mean_elo(self) -> float | None:
        """Mean rating of the population."""
        return _mean([each.rating.elo for each in self.standings])

    def mean_win_percent(self) -> float | None:
        """Mean win percentage of the population."""
        return _mean([each.score.win_percent for each in self.standings])

    def mean_features(self) -> float | None:
        """Mean number of features that an individual knows."""
        return _mean([float(each.individual.chromosome.features) for each in self.standings])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
