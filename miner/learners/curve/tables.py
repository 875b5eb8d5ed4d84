"""The columns of a learning curve: a row for each step, with its training and its matches."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.results.tables import Cell, TableRow

__all__ = ["UNIT", "Measured", "StepTraining", "curve_columns", "curve_row"]

UNIT = "step"
_SCORE = ("matches", "wins", "draws", "losses", "win_percent", "ci95_low", "ci95_high")


@dataclass(frozen=True)
class StepTraining:
    """The training that a step measures."""

    games: int
    moves: int
    broken_off: int  # games that the move limit ended
    rms_error: float | None  # of what was predicted, such as values of states; None where nothing was


@dataclass(frozen=True)
class Measured:
    """The results of the matches of a step; opponents that there were no matches against have none."""

    baseline: Score  # against bare UCT
    past: Score  # against the best before
    random: Score  # against random moves
    rating: Rating  # over bare UCT


def curve_columns(*own: str) -> tuple[str, ...]:
    """Return the columns of a learner's table, with columns of its own."""
    return (
        *("step", "name", "games", "moves", "broken_off", "rms_error", "weights"),
        *own,
        *_SCORE,
        *("elo", "elo_se"),
        *(f"past_{name}" for name in _SCORE),
        *(f"random_{name}" for name in _SCORE),
        "best",
    )


def curve_row(
    step: int,
    name: str,
    training: StepTraining,
    weights: int,
    own: tuple[Cell, ...],
    measured: Measured,
    best: str,
) -> TableRow:
    """Return the row of a step: its training, the cells of `curve_columns(*own)`, its results, and the best now."""
    return [
        *(step, name, training.games, training.moves, training.broken_off, training.rms_error, weights),
        *own,
        *_cells(measured.baseline),
        *(measured.rating.elo, measured.rating.se),
        *_cells(measured.past),
        *_cells(measured.random),
        best,
    ]


def _cells(score: Score) -> TableRow:
    if not score.matches:
        return [None] * len(_SCORE)
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, *score.ci95]
