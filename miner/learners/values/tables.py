"""The table of a learner of values: training.csv, a row for each step."""

from __future__ import annotations

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
    "best",
)


def training_row(
    step: int,
    name: str,
    totals: tuple[RoundTotals, ...],
    weights: int,
    score: Score,
    rating: Rating,
    past: Score,
    best: str,
) -> TableRow:
    """Return the row of a step: its games, the results against bare UCT and against the best before, the best now."""
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
        *_cells(score),
        rating.elo,
        rating.se,
        *(_cells(past) if past.matches else [None] * len(_SCORE)),
        best,
    ]


def _cells(score: Score) -> list[float | int]:
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, *score.ci95]
