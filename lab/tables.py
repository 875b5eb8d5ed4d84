"""Rows of figures, printed as they are measured: aligned for people, or as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Column", "print_rows"]

CellValue = str | float | None


class Column(NamedTuple):
    """One figure of every row: its key, its heading, its width and how numbers are written."""

    key: str
    heading: str
    width: int = 12
    form: str = ",.0f"


def print_rows(columns: Sequence[Column], rows: Iterable[Mapping[str, CellValue]], as_json: bool) -> None:
    """Print each row as soon as it is measured; a dash stands for a figure that does not exist."""
    if not as_json:
        print("  ".join(_aligned(column.heading, column, n) for n, column in enumerate(columns)), flush=True)
    for row in rows:
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            print("  ".join(_aligned(_text(row[c.key], c), c, n) for n, c in enumerate(columns)), flush=True)


def _text(value: CellValue, column: Column) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else format(value, column.form)


def _aligned(text: str, column: Column, place: int) -> str:
    return text.ljust(column.width) if place == 0 else text.rjust(column.width)
