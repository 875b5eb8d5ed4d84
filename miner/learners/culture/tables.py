"""The table of a learner of culture: culture.csv, a row for each step."""

from __future__ import annotations

from miner.learners.culture.state import StepTotals
from miner.play.rating import Rating, Score
from miner.results.tables import TableRow

__all__ = ["CULTURE", "CULTURE_FILE", "UNIT", "culture_row"]

UNIT = "step"
CULTURE_FILE = "culture.csv"
_SCORE = ("matches", "wins", "draws", "losses", "win_percent", "ci95_low", "ci95_high")
CULTURE = (
    "step",
    "name",
    "games",
    "moves",
    "broken_off",
    "rms_error",
    "weights",
    "fitness",
    "beliefs",
    *_SCORE,
    "elo",
    "elo_se",
    *(f"past_{name}" for name in _SCORE),
    "best",
)


def culture_row(
    step: int,
    name: str,
    totals: StepTotals,
    weights: int,
    beliefs: int,
    score: Score,
    rating: Rating,
    past: Score,
    best: str,
) -> TableRow:
    """Return the row of a step: its games, the fitness of the best of each species, and the results of matches."""
    return [
        step,
        name,
        totals.games,
        totals.moves,
        totals.broken_off,
        (totals.squared_error / max(1, totals.updates)) ** 0.5,
        weights,
        " ".join(f"{each:.3f}" for each in totals.fitness),
        beliefs,
        *_cells(score),
        rating.elo,
        rating.se,
        *(_cells(past) if past.matches else [None] * len(_SCORE)),
        best,
    ]


def _cells(score: Score) -> list[float | int]:
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, *score.ci95]
