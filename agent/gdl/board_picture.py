"""A position on a board for people: as text for a terminal, and as SVG.

The first dimension goes to the right, the second upwards; boards of more dimensions are drawn as layers side by side,
one for each point of the other dimensions. A board of one dimension is one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

from agent.gdl.board import Board

__all__ = ["BoardPicture", "picture_of"]

Point = tuple[int, ...]

_CELL = 36  # pixels
_COLOURS = {
    "white": ("#fdfdfb", "#3b4252"),
    "black": ("#262b35", "#e9ecf1"),
    "red": ("#c0392b", "#ffffff"),
    "blue": ("#2563a8", "#ffffff"),
    "green": ("#2e7d4f", "#ffffff"),
    "yellow": ("#e2b93b", "#3b4252"),
}
_EMPTY = "·"


@dataclass(frozen=True)
class BoardPicture:
    """Fields of a board and what stands on them."""

    points: tuple[Point, ...]
    """The fields, sorted; all of the same number of dimensions."""
    pieces: Mapping[Point, str]
    """What stands where, as canonical text."""
    names: Mapping[str, str]
    """Piece to the name that people read."""

    @property
    def _layers(self) -> list[tuple[Point, list[Point]]]:
        """Points by the dimensions after the second."""
        ordered = sorted(self.points, key=lambda point: point[2:])
        return [(layer, list(points)) for layer, points in groupby(ordered, key=lambda point: point[2:])]

    @property
    def _symbols(self) -> dict[str, str]:
        """A short symbol for each kind of piece: as few first letters of the name as tell it from the others."""
        names = {piece: self.names.get(piece, piece).strip("()") or piece for piece in self._kinds()}
        symbols: dict[str, str] = {}
        for piece, name in names.items():
            others = [other for key, other in names.items() if key != piece]
            lengths = range(1, len(name) + 1)
            wanted = (name[:length] for length in lengths if not any(o.startswith(name[:length]) for o in others))
            symbols[piece] = next(wanted, name).replace(" ", "_")
        return symbols

    def _kinds(self) -> list[str]:
        return sorted(set(self.pieces.values()))

    def text(self) -> str:
        """Draw the board with letters: a line per row, the highest first, then what the letters mean."""
        symbols = self._symbols
        width = max((len(symbol) for symbol in (*symbols.values(), _EMPTY)), default=1)
        width = max([width, *(len(str(point[0])) for point in self.points)])
        layers = [self._text_of_layer(points, symbols, width) for _, points in self._layers]
        titles = [" ".join(map(str, layer)) for layer, _ in self._layers]
        height = max(map(len, layers), default=0)
        blocks = [[title, *[""] * (height - len(rows)), *rows] for title, rows in zip(titles, layers, strict=True)]
        if len(blocks) == 1:
            blocks = [blocks[0][1:]]
        widths = [max(map(len, block)) for block in blocks]
        lines = [
            "    ".join(line.ljust(size) for line, size in zip(row, widths, strict=True)).rstrip()
            for row in zip(*blocks, strict=True)
        ]
        legend = [
            f"{symbol} {self.names.get(piece, piece)}"
            for piece, symbol in symbols.items()
            if symbol != self.names.get(piece, piece)
        ]
        return "\n".join([*lines, *([", ".join(legend)] if legend else [])])

    def _text_of_layer(self, points: list[Point], symbols: Mapping[str, str], width: int) -> list[str]:
        columns = range(min(point[0] for point in points), max(point[0] for point in points) + 1)
        rows = sorted({_row(point) for point in points}, reverse=True)
        at = {(point[0], _row(point)): point for point in points}
        margin = max(len(str(row)) for row in rows) if len(points[0]) > 1 else 0
        lines = []
        for row in rows:
            cells = [
                (symbols.get(self.pieces.get(at[column, row], ""), _EMPTY) if (column, row) in at else "").rjust(width)
                for column in columns
            ]
            lines.append(" ".join([str(row).rjust(margin), *cells] if margin else cells))
        numbers = [str(column).rjust(width) for column in columns]
        return [*lines, " ".join([" " * margin, *numbers] if margin else numbers)]

    def svg(self) -> str:
        """Draw the board as an SVG document."""
        parts: list[str] = []
        left = 0.0
        height = 1
        for _, points in self._layers:
            columns, rows = [point[0] for point in points], [_row(point) for point in points]
            height = max(height, max(rows) - min(rows) + 1)
            for point in points:
                parts += self._svg_of_field(point, left + point[0] - min(columns), max(rows) - _row(point))
            left += max(columns) - min(columns) + 1.6
        wide, high = (left - 0.6) * _CELL + 2, height * _CELL + 2
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {wide:g} {high:g}" width="{wide:g}"'
            f' height="{high:g}" font-family="sans-serif" font-size="{_CELL * 0.3:g}" text-anchor="middle">\n'
            + "\n".join(parts)
            + "\n</svg>\n"
        )

    def _svg_of_field(self, point: Point, x: float, y: float) -> Iterable[str]:
        place = escape(" ".join(map(str, point)))
        shade = "#e8e4d8" if sum(point) % 2 else "#d8d2c0"
        yield (
            f'<rect x="{x * _CELL:g}" y="{y * _CELL:g}" width="{_CELL}" height="{_CELL}" fill="{shade}"'
            f' stroke="#8a8472"><title>{place}</title></rect>'
        )
        piece = self.pieces.get(point)
        if piece is None:
            return
        name = self.names.get(piece, piece)
        colour = next((_COLOURS[word] for word in _COLOURS if word in piece), ("#9aa3b2", "#20242c"))
        letters = "" if piece in _COLOURS else self._symbols[piece][:3]
        cx, cy = (x + 0.5) * _CELL, (y + 0.5) * _CELL
        yield (
            f'<g><title>{escape(name)} {place}</title><circle cx="{cx:g}" cy="{cy:g}" r="{_CELL * 0.38:g}"'
            f' fill="{colour[0]}" stroke="#5b5646"/><text x="{cx:g}" y="{cy + _CELL * 0.11:g}"'
            f' fill="{colour[1]}">{escape(letters)}</text></g>'
        )


def _row(point: Point) -> int:
    return point[1] if len(point) > 1 else 0


def picture_of(
    board: Board, fields: Iterable[str], facts: Iterable[str], display: Callable[[str], str]
) -> BoardPicture:
    """Return the picture of a state.

    The fields are the points that any of `fields` names: fluents of the game. Each of `facts`, the true fluents, that
    names a point and a piece puts the piece there; without a piece in the pattern, a mark. `display` spells pieces for
    people.
    """
    points = sorted({found[0] for fluent in fields if (found := board.field(fluent)) is not None})
    pieces: dict[Point, str] = {}
    for fact in sorted(facts):
        found = board.field(fact)
        if found is not None:
            pieces.setdefault(found[0], found[1] if found[1] is not None else "×")
    return BoardPicture(tuple(points), pieces, {piece: display(piece) for piece in pieces.values()})
