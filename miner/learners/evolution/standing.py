"""The results of individuals in a generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.miner.learners.evolution.population import Individual
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.play.wording import describe_score


@dataclass(frozen=True)
class Standing:
    """An individual, its score against the baseline and its rating."""

    individual: Individual
    score: Score
    rating: Rating
    rounds: int  # rounds of the tournament that the individual took part in


@dataclass(frozen=True)
class GenerationResult:
    """A finished generation; generation 0 has no individuals."""

    generation: int
    standings: tuple[Standing, ...]  # best first
    matches: int
    work_ratio: Mapping[str, float]  # by individual: cost of its playout divided by that of the baseline's playout

    @property
    def best(self) -> Standing | None:
        """The first individual of the ranking."""
        return self.standings[0] if self.standings else None

    def mean_win_percent(self) -> float | None:
        """Return the mean win percentage of the population."""
        return _mean([each.score.win_percent for each in self.standings])


def summary_of(result: GenerationResult, generations: int) -> str:
    """Return one line about a generation with individuals; `generations` is the number that the run plans."""
    best = result.best
    assert best is not None
    return (
        f"generation {result.generation} of {generations}: best {best.individual.name} "
        f"{describe_score(best.score, best.rating)}; "
        f"mean {result.mean_win_percent():.1f} %, {result.matches} matches"
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
