"""The table of a learner of features: gifl.csv, a row for each step."""

from __future__ import annotations

from miner.gifl import GiflFeatures
from miner.play.rating import Rating, Score
from miner.results.tables import TableRow

__all__ = ["GIFL", "GIFL_FILE", "UNIT", "gifl_row"]

UNIT = "step"
GIFL_FILE = "gifl.csv"
GIFL = (
    *("step", "name", "games", "decided", "moves", "variants", "offensive", "defensive", "features"),
    *("matches", "wins", "draws", "losses", "win_percent", "ci95_low", "ci95_high", "elo", "elo_se", "best"),
)


def gifl_row(
    step: int, name: str, learned: GiflFeatures, features: int, score: Score, rating: Rating, best: str
) -> TableRow:
    """Return the row of a step: the games so far, the features learned from them, and the matches against bare UCT.

    `features` counts those of the knowledge file, where each move has a feature of its own.
    """
    return [
        *(step, name, learned.games, learned.decided, learned.moves, learned.variants),
        *(learned.count("offensive"), learned.count("defensive"), features),
        *(score.matches, score.wins, score.draws, score.losses, score.win_percent, *score.ci95),
        *(rating.elo, rating.se, best),
    ]
