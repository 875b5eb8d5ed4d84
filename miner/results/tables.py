"""The CSV files of every run: their columns and the notation of their values.

`steps.csv` says what the steps of a run brought, in long form: a row for each measure of each player. The same run
gives the same bytes, so measured times are written to timings.csv alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gdl_miner.agent.errors import ConfigError, why_unreadable
from gdl_miner.agent.files.new_file import append_file, storing
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import Score

Cell: TypeAlias = str | int | float | bool | None
TableRow: TypeAlias = Sequence[Cell]
Measures: TypeAlias = Mapping[str, Cell]  # by metric; None: not measured

MATCHES_FILE = "matches.csv"
TIMINGS_FILE = "timings.csv"
STEPS_FILE = "steps.csv"
STEPS = ("step", "name", "metric", "value")
MATCHES = ("id", "step", "phase", "round", "players", "seed", "goals", "moves", "playouts")
TIMINGS = ("step", "work", "round", "matches", "playouts", "seconds", "matches_per_s", "playouts_per_s")


def step_rows(step: int, players: Mapping[str, Measures], measures: Measures) -> Iterator[TableRow]:
    """Yield the rows of STEPS for a step.

    Args:
        step: the step.
        players: what was measured of each player, by name; the first is the player whom the step is about.
        measures: what was measured of the step itself; its rows have no name.
    """
    for name, measured in (*players.items(), ("", measures)):
        yield from ((step, name, metric, value) for metric, value in measured.items() if value is not None)


def score_measures(score: Score, prefix: str = "") -> Measures:
    """Return what a score says, with a prefix of its metrics; nothing where there were no matches."""
    if not score.matches:
        return {}
    low, high = score.ci95
    measures = {
        "matches": score.matches,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "win_percent": score.win_percent,
        "ci95_low": low,
        "ci95_high": high,
    }
    return {prefix + metric: value for metric, value in measures.items()}


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
    part: StepPart,
    names: Sequence[str],
    matches: Sequence[MatchRequest],
    record: MatchBatchRecord,
    goals: Mapping[str, Sequence[int]],
) -> list[TableRow]:
    """Return the rows of MATCHES in the order of the matches.

    `names` are the names of the players, and `goals` those of their seats by match id.
    """
    moves = np.diff(record.start) - 1
    return [
        (
            match.id,
            part.step,
            part.phase,
            part.round,
            " ".join(names[player] for player in match.seats),
            match.seed,
            " ".join(map(str, goals[match.id])),
            int(moves[number]),
            int(record.playouts[number].sum()),
        )
        for number, match in enumerate(matches)
    ]


def timing_row(part: StepPart, matches: int | None, playouts: int | None, seconds: float) -> TableRow:
    """Return a row of TIMINGS; `matches` and `playouts` are None for work that has none."""
    rates = [None if count is None else count / max(seconds, 1e-9) for count in (matches, playouts)]
    return (*part, matches, playouts, round(seconds, 3), *rates)


class FileMark(NamedTuple):
    """The first bytes of a file that grows: how many, and what they are."""

    length: int
    digest: str  # the beginning of their SHA-256


def mark_of(content: bytes) -> FileMark:
    """Return the mark of the whole of a content."""
    return FileMark(len(content), sha256(content).hexdigest()[:16])


class CsvTable:
    """A CSV file that grows at its end; new rows are written to disk at once."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = tuple(columns)
        self._hash: Any = None  # SHA-256 of the file so far; None where it is not known

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def append(self, rows: Iterable[TableRow]) -> None:
        """Add rows; a new file begins with the header line. Raises ValueError on a row of the wrong length."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        self.mark()
        if self.length() == 0:
            writer.writerow(self._columns)
        for row in rows:
            if len(row) != len(self._columns):
                raise ValueError(f"{self.name}: a row of {len(row)} cells for {len(self._columns)} columns")
            writer.writerow([show(cell) for cell in row])
        content = text.getvalue().encode()
        with storing(self._path):
            append_file(self._path, content)
        self._hash.update(content)

    def mark(self) -> FileMark:
        """Return the mark of all that is written. Raises ConfigError where the file cannot be read."""
        if self._hash is None:
            self._hash = sha256(self._content())
        return FileMark(self.length(), self._hash.hexdigest()[:16])

    def check(self, mark: FileMark) -> None:
        """Raise ConfigError where the file has other columns, or does not begin with what had the mark."""
        if not mark.length:
            return
        content = self._content()
        if not content:
            raise ConfigError(f"{self._path}: the table is missing; restore it, or begin a new run")
        head, _, _ = content.partition(b"\n")
        if head.decode(errors="replace") != ",".join(self._columns):
            raise ConfigError(
                f"{self._path}: the columns are those of another version; continue the run with the version that "
                "env.json names"
            )
        if len(content) < mark.length:
            raise ConfigError(f"{self._path}: rows are missing; restore the table, or begin a new run")
        if mark_of(content[: mark.length]) != mark:
            raise ConfigError(f"{self._path}: rows were changed since; restore the table, or begin a new run")

    def _content(self) -> bytes:
        try:
            return read_bounded(self._path)
        except FileNotFoundError:
            return b""
        except (OSError, ValueError) as error:
            what = why_unreadable(error)
            raise ConfigError(f"{self._path}: cannot be read ({what}); restore it, or begin a new run") from None

    def length(self) -> int:
        """Return the number of bytes written."""
        return self._path.stat().st_size if self._path.exists() else 0

    def cut(self, length: int) -> None:
        """Cut off everything after the first `length` bytes."""
        if self.length() > length:
            with storing(self._path):
                append_file(self._path, b"", length)
            self._hash = None
