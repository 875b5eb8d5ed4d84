"""Positions drawn in letters, for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent.knowledge.geometry import EMPTY, Geometry

__all__ = ["board_lines"]


def board_lines(geometry: Geometry, occupants: Sequence[int]) -> Iterator[str]:
    """Lines of a board of one to three dimensions, none for others.

    The first dimension goes to the right, the second upwards, boards of a third follow each other. A piece is as many
    of its first letters as tell the pieces apart, an empty field a dot.

    Args:
        geometry: of the game.
        occupants: [point] occupant code.
    """
    if not 1 <= geometry.dimensions <= 3 or not geometry.n_points:
        return
    letters = _letters(geometry.pieces)
    width = max(map(len, (*letters, ".")))
    points = [(*point, 0, 0)[:3] for point in geometry.points.tolist()]
    shown = {point: "." if code == EMPTY else letters[code - 1] for point, code in zip(points, occupants, strict=True)}
    columns = sorted({point[0] for point in points})
    rows = sorted({point[1] for point in points}, reverse=True)
    for layer in sorted({point[2] for point in points}):
        if geometry.dimensions == 3:
            yield f"  layer {layer}"
        for row in rows:
            fields = [shown.get((column, row, layer), " ").ljust(width) for column in columns]
            yield f"  {row:>3} {' '.join(fields)}".rstrip() if geometry.dimensions > 1 else f"      {' '.join(fields)}"
        yield "      " + " ".join(str(column).ljust(width) for column in columns).rstrip()


def _letters(pieces: Sequence[str]) -> list[str]:
    """The shortest beginnings that tell the pieces apart."""
    longest = max(map(len, pieces), default=0)
    for length in range(1, longest + 1):
        found = [piece[:length] for piece in pieces]
        if len(set(found)) == len(found):
            return found
    return list(pieces)
