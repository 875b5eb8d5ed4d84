"""The CSV files of every run: their columns and the notation of their values.

The same run gives the same bytes, so measured times are written to timings.csv alone. A learning method has its own
tables beside these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.play.pairing import MatchRequest

__all__ = [
    "MATCHES",
    "MATCHES_FILE",
    "TIMINGS",
    "TIMINGS_FILE",
    "Cell",
    "StepPart",
    "TableRow",
    "match_rows",
    "show",
    "timing_row",
]

Cell: TypeAlias = str | int | float | bool | None
TableRow: TypeAlias = Sequence[Cell]

MATCHES_FILE = "matches.csv"
TIMINGS_FILE = "timings.csv"
MATCHES = ("id", "generation", "phase", "round", "players", "seed", "goals", "steps", "playouts")
TIMINGS = ("generation", "work", "round", "matches", "playouts", "seconds", "matches_per_s", "playouts_per_s")


def show(cell: Cell) -> str:
    """Return the text of a cell: empty for None, `true` or `false` for bools, at most six decimals for floats."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case float():
            return f"{cell:.6f}".rstrip("0").rstrip(".")
        case _:
            return str(cell)


class StepPart(NamedTuple):
    """A part of a step, for one or more rows of the tables."""

    step: int
    phase: str  # phase of the matches; in timings.csv this is the column `work`, which has other kinds of work too
    round: int | None


def match_rows(
    part: StepPart, names: Sequence[str], matches: Sequence[MatchRequest], record: MatchBatchRecord
) -> list[TableRow]:
    """Return the rows of MATCHES in the order of the matches; `names` are the names of the players."""
    steps = np.diff(record.start) - 1
    return [
        (
            match.id,
            part.step,
            part.phase,
            part.round,
            " ".join(names[player] for player in match.seats),
            match.seed,
            " ".join(str(goal) for goal in record.goals[number].tolist()),
            int(steps[number]),
            int(record.playouts[number].sum()),
        )
        for number, match in enumerate(matches)
    ]


def timing_row(part: StepPart, matches: int | None, playouts: int | None, seconds: float) -> TableRow:
    """Return a row of TIMINGS; `matches` and `playouts` are None for work that has none."""
    rates = [None if count is None else count / max(seconds, 1e-9) for count in (matches, playouts)]
    return (*part, matches, playouts, round(seconds, 3), *rates)
