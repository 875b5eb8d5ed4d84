"""Columns and cells of points in percent with their 95 % intervals."""

from __future__ import annotations

from gdl_miner.miner.play.rating import Score
from lab.tables import CellValue, Column

__all__ = ["point_cells", "point_columns"]


def point_columns(key: str, heading: str) -> tuple[Column, Column, Column]:
    """Return the columns of points and of the lower and upper end of their interval."""
    return (
        Column(key, f"{heading} %", max(6, len(heading) + 2), ".1f"),
        Column(f"{key}_low", "low", 5, ".1f"),
        Column(f"{key}_high", "high", 5, ".1f"),
    )


def point_cells(key: str, score: Score) -> dict[str, CellValue]:
    """Return the cells of `point_columns` for a score."""
    low, high = score.ci95
    return {key: score.win_percent, f"{key}_low": low, f"{key}_high": high}
