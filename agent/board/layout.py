"""The layout of a board: the places where its fields are drawn.

The first dimension goes to the right, the second upwards. A board of more dimensions has a layer of the first two for
each point of the others, and the layers stand in lines from left to right. A board of one dimension is one row. On a
board of hexagons each row is half a field beside the row below. Lengths are given in fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TypeAlias

Point: TypeAlias = tuple[int, ...]

CELL = 18  # side of a field in units of the picture
_GAP = 1.2  # distance of two layers, room for the numbers of rows included
_MARGIN = 0.85  # room for the numbers
_TITLE = 0.9  # room for the title above a layer
_IN_A_LINE = 3  # layers that stand in one line; more of them stand in a square
_ROW_OF_HEXAGONS = math.sqrt(0.75)  # distance of two rows of hexagons
_TIP = 1 / math.sqrt(3) - 0.5  # height of a hexagon above and below the unit square around its centre


def board_style() -> str:
    """Return the style sheet of all board drawings, for light pages, dark pages and paper."""
    return (files("gdl_miner.agent.board") / "board.css").read_text("utf-8")


@dataclass(frozen=True)
class _Layer:
    """Fields that differ in the first two dimensions only, and the place of their upper left corner."""

    name: Point  # the coordinates that the fields share
    columns: range
    rows: range
    left: float
    top: float


class Layout:
    """The places of fields; with `turned`, as the player on the far side sees them.

    On a board of hexagons, `hexagonal` is the step to the neighbours beside those along the dimensions.
    """

    def __init__(self, points: Iterable[Sequence[int]], *, turned: bool = False, hexagonal: Sequence[int] = ()) -> None:
        self.points: tuple[Point, ...] = tuple(sorted(tuple(int(x) for x in point) for point in points))
        self._turned = turned
        self._lean = -0.5 * math.prod(hexagonal) if hexagonal else 0.0  # fields that a row is right of the next
        self._leftmost = min((point[0] + self._lean * row_of(point) for point in self.points), default=0.0)
        self._rightmost = max((point[0] + self._lean * row_of(point) for point in self.points), default=0.0)
        self._layers: dict[Point, _Layer] = {}
        self.width, self.height = self._arrange()  # without the numbers at the left and below

    def _arrange(self) -> tuple[float, float]:
        by_name: dict[Point, list[Point]] = {}
        for point in self.points:
            by_name.setdefault(point[2:], []).append(point)
        named = sorted(by_name)
        in_a_line = len(named) if len(named) <= _IN_A_LINE else math.ceil(math.sqrt(len(named)))
        title = _TITLE if len(named) > 1 else 0.0
        width, top = 0.0, _MARGIN if self._lean > 0 else 0.0
        for first in range(0, len(named), max(1, in_a_line)):
            line = [(name, by_name[name]) for name in named[first : first + in_a_line]]
            spans = [(_span(p[0] for p in points), _span(map(row_of, points))) for _, points in line]
            highest = max(len(rows) for _, rows in spans)
            left = 0.0
            for (name, _), (columns, rows) in zip(line, spans, strict=True):
                self._layers[name] = _Layer(name, columns, rows, left, top + title + highest - len(rows))
                left += len(columns) + _GAP
            width = max(width, left - _GAP)
            top += title + highest + _MARGIN
        if self._lean:
            [layer] = self._layers.values()
            height = layer.top + _ROW_OF_HEXAGONS * (len(layer.rows) - 1) + 1 + 2 * _TIP
            return self._rightmost - self._leftmost + 1.5, height  # with room for half a number at the right
        return width, max(0.0, top - _MARGIN)

    def place(self, point: Point) -> tuple[float, float]:
        """Return the upper left corner of a field."""
        layer = self._layers[point[2:]]
        if self._lean:
            right = point[0] + self._lean * row_of(point)
            x, y = right - self._leftmost, _ROW_OF_HEXAGONS * (layer.rows[-1] - row_of(point))
            if self._turned:
                x, y = self._rightmost - right, _ROW_OF_HEXAGONS * (len(layer.rows) - 1) - y
            return layer.left + x, layer.top + _TIP + y
        x, y = point[0] - layer.columns[0], layer.rows[-1] - row_of(point)
        if self._turned:
            x, y = len(layer.columns) - 1 - x, len(layer.rows) - 1 - y
        return layer.left + x, layer.top + y

    def field(self, x: float, y: float, kind: str, attributes: str = "") -> str:
        """Draw a field at a place with `kind` as its CSS class and further attributes."""
        return hexagon(x, y, kind, attributes) if self._lean else square(x, y, kind, attributes)

    def _labels(self) -> list[str]:
        """Draw the numbers of columns and rows, and the coordinates of layers."""
        parts = []
        for layer in self._layers.values():
            step = -1 if self._turned else 1
            columns, rows = layer.columns[::step], layer.rows[::-step]
            if layer.name:
                name = "layer " + " ".join(map(str, layer.name))
                parts.append(_label(layer.left + len(columns) / 2, layer.top - 0.4, name))
            if self._lean:
                parts += self._labels_of_hexagons()
                continue
            for x, number in enumerate(columns):
                parts.append(_label(layer.left + x + 0.5, layer.top + len(rows) + 0.4, str(number)))
            for y, number in enumerate(rows if len(self.points[0]) > 1 else ()):
                parts.append(_label(layer.left - 0.45, layer.top + y + 0.5, str(number)))
        return parts

    def _labels_of_hexagons(self) -> list[str]:
        """Draw the number of each row at its left end, and that of each column at its end on the right.

        This is the upper end where rows lean to the right, and the lower end elsewhere.
        """
        up = self._lean > 0
        rows: dict[int, tuple[float, float]] = {}
        columns: dict[int, tuple[float, float]] = {}
        for point in self.points:
            x, y = self.place(point)
            rows[point[1]] = min(rows.get(point[1], (x, y)), (x, y))
            columns[point[0]] = max(
                columns.get(point[0], (x, y)), (x, y), key=lambda place: -place[1] if up else place[1]
            )
        return [
            *(_label(x - 0.35, y + 0.5, str(number)) for number, (x, y) in sorted(rows.items())),
            *(_label(x + 1, y - 0.25 if up else y + 1.25, str(number)) for number, (x, y) in sorted(columns.items())),
        ]

    def _unused(self) -> list[str]:
        """Draw the squares between the fields if all fields are of one colour, as in draughts."""
        if self._lean or len(self.points) < 2 or len({sum(point) % 2 for point in self.points}) > 1:
            return []
        every = {
            (x, y, *layer.name)[: len(self.points[0])]
            for layer in self._layers.values()
            for x in layer.columns
            for y in layer.rows
        }
        return [square(*self.place(point), "unused") for point in sorted(every - set(self.points))]

    def svg(self, draw: Callable[[Point, float, float], str], *, pixels: float, title: str = "") -> str:
        """Return the board as SVG; `draw(point, x, y)` draws a field, and `pixels` is the side of a field."""
        parts = [*self._labels(), *self._unused(), *(draw(point, *self.place(point)) for point in self.points)]
        return svg_of(self.width, self.height, parts, margin=_MARGIN, pixels=pixels, title=title)

    @property
    def shorter_side(self) -> float:
        """The smaller of width and height, with room for the numbers."""
        return min(self.width, self.height) + _MARGIN


def svg_of(
    wide: float, high: float, parts: Iterable[str], *, margin: float = 0.0, pixels: float, title: str = ""
) -> str:
    """Return an SVG of `wide` × `high` fields; `margin`, in fields, stays free at the left and below for numbers."""
    width, height = (wide + margin) * CELL + 2, (high + margin) * CELL + 2
    scale = pixels / CELL
    said = f'aria-label="{escape(title)}"' if title else 'aria-hidden="true"'
    return (
        f'<svg class="board" viewBox="{-margin * CELL - 1:g} -1 {width:g} '
        f'{height:g}" width="{width * scale:.0f}" height="{height * scale:.0f}" role="img" {said}>'
        f"{''.join(parts)}</svg>"
    )


def square(x: float, y: float, kind: str, attributes: str = "") -> str:
    """Draw a field with `kind` as its CSS class and further attributes."""
    return f'<rect class="{kind}" x="{x * CELL:g}" y="{y * CELL:g}" width="{CELL}" height="{CELL}"{attributes}/>'


def hexagon(x: float, y: float, kind: str, attributes: str = "") -> str:
    """Draw a field of six sides, as wide as the square at the same place and around the same centre."""
    corners = [
        (0.5 + math.cos(math.radians(angle)) / math.sqrt(3), 0.5 + math.sin(math.radians(angle)) / math.sqrt(3))
        for angle in range(30, 390, 60)
    ]
    points = " ".join(f"{(x + right) * CELL:.4g},{(y + down) * CELL:.4g}" for right, down in corners)
    return f'<polygon class="{kind}" points="{points}"{attributes}/>'


def row_of(point: Point) -> int:
    """Return the second coordinate, 0 if there is none."""
    return point[1] if len(point) > 1 else 0


def _span(values: Iterable[int]) -> range:
    found = set(values)
    return range(min(found, default=0), max(found, default=-1) + 1)


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="number" x="{x * CELL:g}" y="{y * CELL:g}" dy=".35em">{escape(text)}</text>'
