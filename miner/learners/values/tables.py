"""The table of a learner of values: training.csv, a row for each step."""

from __future__ import annotations

from typing import NamedTuple

from miner.play.rating import Rating, Score
from miner.results.tables import TableRow
from miner.training import RoundTotals

__all__ = ["TRAINING", "TRAINING_FILE", "UNIT", "training_row"]

UNIT = "step"
TRAINING_FILE = "training.csv"
_SCORE = ("matches", "wins", "draws", "losses", "win_percent", "ci95_low", "ci95_high")
TRAINING = (
    "step",
    "name",
    "games",
    "moves",
    "broken_off",
    "rms_error",
    "weights",
    *_SCORE,
    "elo",
    "elo_se",
    *(f"past_{name}" for name in _SCORE),
    *(f"random_{name}" for name in _SCORE),
    "best",
)


class LearningCurve(NamedTuple):
    """The results of a step; opponents that there were no matches against have none."""

    baseline: Score  # against bare UCT
    past: Score  # against the best before
    random: Score  # against random moves


def training_row(
    step: int,
    name: str,
    totals: tuple[RoundTotals, ...],
    weights: int,
    curve: LearningCurve,
    rating: Rating,
    best: str,
) -> TableRow:
    """Return the row of a step: its games, its results, and the best now."""
    moves = sum(each.moves for each in totals)
    error = sum(each.squared_error * each.moves for each in totals) / max(1, moves)
    return [
        step,
        name,
        sum(each.games for each in totals),
        moves,
        sum(each.broken_off for each in totals),
        error**0.5,
        weights,
        *_cells(curve.baseline),
        rating.elo,
        rating.se,
        *_cells(curve.past),
        *_cells(curve.random),
        best,
    ]


def _cells(score: Score) -> TableRow:
    if not score.matches:
        return [None] * len(_SCORE)
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, *score.ci95]
