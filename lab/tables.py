"""Tables of figures, printed as they are measured: aligned for people, or as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gdl_miner.miner.play.rating import Score

Row = Mapping[str, object]


class Column(NamedTuple):
    """One figure of every row: its key, its heading, its width and how numbers are written."""

    key: str
    heading: str
    width: int = 12
    form: str = ",.0f"


@dataclass(frozen=True)
class StudyTable:
    """A table whose rows are measured while it is printed; rows may have more keys than there are columns."""

    columns: Sequence[Column]
    rows: Iterable[Row]
    title: str = ""
    in_json: bool = True  # False: only people get it, for it follows from the tables before it

    def print(self, as_json: bool) -> None:
        """Print each row as soon as it is measured; a dash stands for a figure that does not exist."""
        if as_json:
            for row in self.rows if self.in_json else ():
                print(json.dumps(row), flush=True)
            return
        if self.title:
            print(self.title)
        print(self._line([column.heading for column in self.columns]), flush=True)
        for row in self.rows:
            print(self._line([_text(row.get(column.key), column.form) for column in self.columns]), flush=True)

    def _line(self, texts: Sequence[str]) -> str:
        first, *others = zip(texts, self.columns, strict=True)
        aligned = [first[0].ljust(first[1].width), *(text.rjust(column.width) for text, column in others)]
        return "  ".join(aligned)


def _text(value: object, form: str) -> str:
    match value:
        case None:
            return "–"
        case int() | float():
            return format(value, form)
        case [low, high]:
            return f"{format(low, form)}–{format(high, form)}"
        case {}:  # counts and results by what they are of; nothing is said of none
            return ", ".join(f"{each} {name}" for name, each in value.items() if each) or "–"
    return str(value)


def game_column(width: int = 18) -> Column:
    """Return the column of the name of a game."""
    return Column("game", "game", width)


def point_columns(key: str, heading: str) -> tuple[Column, Column, Column]:
    """Return the columns of points in percent and of the lower and upper end of their 95 % interval."""
    return (
        Column(key, f"{heading} %", max(6, len(heading) + 2), ".1f"),
        Column(f"{key}_low", "low", 5, ".1f"),
        Column(f"{key}_high", "high", 5, ".1f"),
    )


def point_cells(key: str, score: Score) -> Row:
    """Return the cells of `point_columns` for a score."""
    low, high = score.ci95
    return {key: score.win_percent, f"{key}_low": low, f"{key}_high": high}
