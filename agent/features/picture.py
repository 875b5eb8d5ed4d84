"""Pictures of features on the board, as inline SVG that follows the page's colours.

Boards of two and three dimensions are drawn; the words beside a picture always describe the feature completely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board import CELL, Layout, Point, draw_piece, drawn_names, square, svg_of

if TYPE_CHECKING:
    from gdl_miner.agent.geometry import Geometry

_WIDEST = 156.0  # pixels of the shorter side of a board, at most
_LARGEST = 34.0  # pixels of the side of a field, at most


@dataclass
class Picture:
    """A board and the marks of a feature on it."""

    geometry: Geometry
    shaded: set[Point] = field(default_factory=set)  # fields that the feature concerns
    target: Point | None = None  # target of the move
    mark: Point | None = None  # target of the last move
    pieces: dict[Point, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not (self.shaded or self.pieces or self.target is not None)

    @property
    def points(self) -> list[Point]:
        """The fields of the board."""
        return [tuple(point) for point in self.geometry.points.tolist()]

    @cached_property
    def _looks(self) -> Mapping[str, str]:
        return looks_on(self.geometry)

    def svg(self) -> str:
        """Return the picture as an `<svg>` element."""
        layout = _layout(self.geometry)
        return _drawn(layout, lambda point, x, y: self._field(layout, point, x, y))

    def _field(self, layout: Layout, point: Point, x: float, y: float) -> str:
        kind = "goal" if point == self.target else "lit" if point in self.shaded else "cell"
        text = layout.field(x, y, kind)
        if point == self.mark:
            text += draw_sign(x, y, "×")
        elif point in self.pieces:
            text += (
                draw_sign(x, y, "?")
                if self.pieces[point] == "?"
                else draw_piece(self._looks.get(self.pieces[point], self.pieces[point]), x, y)
            )
        return text


def draw_heat(values: Sequence[float] | NDArray[np.float64], geometry: Geometry) -> str:
    """Draw a board whose fields are coloured by `values` [point]: the larger the magnitude, the deeper the colour.

    Negative values (avoided fields) have another colour than the others (sought fields).
    """
    largest = max(map(abs, values)) or 1.0
    points, layout = Picture(geometry).points, _layout(geometry)

    def shade(point: Point, x: float, y: float) -> str:
        value = float(values[points.index(point)])
        kind, depth = "sought" if value >= 0 else "avoided", round(abs(value) / largest, 3)
        title = f"<title>{escape(str(point))}: {value:+.3f}</title>"
        coloured = layout.field(x, y, kind, f' fill-opacity="{depth:g}"')
        return f"<g>{title}{layout.field(x, y, 'cell')}{coloured}</g>"

    return _drawn(layout, shade, 1.5)


def looks_on(geometry: Geometry) -> Mapping[str, str]:
    """Return by piece of a board the name by which it is drawn, for those that are not drawn by their own."""
    return drawn_names(geometry.pieces, geometry.owners, geometry.roles)


def draw_row(pieces: Iterable[str], geometry: Geometry) -> str:
    """Draw a target and the pieces beside it, nearest first."""
    looks = looks_on(geometry)
    named = [looks.get(piece, piece) for piece in pieces]
    parts = [square(0, 0, "goal")]
    for place, piece in enumerate(named, 1):
        parts += [square(place, 0, "cell"), draw_piece(piece, place, 0)]
    return draw_parts(len(named) + 1, 1, parts)


def draw_parts(wide: float, high: float, parts: Iterable[str]) -> str:
    """Return an `<svg>` element of parts, so many fields wide and high."""
    return svg_of(wide, high, parts, pixels=min(_LARGEST, _WIDEST / min(wide, high)))


def draw_sign(x: float, y: float, sign: str) -> str:
    """Draw a sign on a disc: the target of the last move, any piece, an own or an enemy one."""
    cx, cy = (x + 0.5) * CELL, (y + 0.5) * CELL
    return (
        f'<g class="piece"><circle class="disc" cx="{cx:g}" cy="{cy:g}" r="{CELL * 0.36:g}"/>'
        f'<text class="letter" x="{cx:g}" y="{cy:g}" dy=".36em">{sign}</text></g>'
    )


def _layout(geometry: Geometry) -> Layout:
    return Layout(geometry.points.tolist(), hexagonal=geometry.hexagonal)


def _drawn(layout: Layout, draw: Callable[[Point, float, float], str], scale: float = 1.0) -> str:
    return layout.svg(draw, pixels=min(_LARGEST, _WIDEST / layout.shorter_side) * scale)
