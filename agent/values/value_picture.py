"""Pictures of values of states, as inline SVG that follows the page's colours.

Weights of a piece are drawn on the whole board, each as a colour and a number; contents of tuples as little boards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board import drawn_names
from gdl_miner.agent.board.layout import CELL, Layout, Point, svg_of
from gdl_miner.agent.board.piece import draw_piece, draw_playable
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.values.layout import NOTHING
from gdl_miner.agent.values.playable import mover_named

_FIELD = 44.0  # pixels of the side of a field with a number
_TUPLE_WIDEST, _TUPLE_LARGEST = 140.0, 32.0  # pixels of the shorter side of a little board, and of its fields, at most
_LINE = 22.0  # pixels of the side of a piece in a line of text
_DEEPEST = 0.75  # opacity of the strongest colour, through which numbers stay readable
_DEEP = 0.7  # share of the strongest colour from which a number needs the ink for deep colours
_SHORT = 5  # characters of a number up to which it has letters of the usual size
_STEPS = 6  # colours on either side of 0 in the scale
_STEP = 0.6  # width of a colour, in fields


def decimals_for(largest: float) -> int:
    """Return the decimal places of weights up to `largest`: two if it is about 1, from none to four otherwise."""
    bounds = (99.95, 9.995, 0.0995, 0.00995)
    return sum(largest < bound for bound in bounds)


def draw_weights(weights: Sequence[float] | NDArray[np.float64], geometry: Geometry, largest: float, title: str) -> str:
    """Draw a board with a number and a colour for the weight of each field.

    Args:
        weights: [point] the weights in log-odds; NaN leaves a field without a number.
        geometry: the board.
        largest: absolute weight that has the strongest colour.
        title: what the picture shows, for those who cannot see it.
    """
    by_point = dict(zip(map(tuple, geometry.points.tolist()), map(float, weights), strict=True))
    places = decimals_for(largest)

    layout = Layout(by_point, hexagonal=geometry.hexagonal)

    def field(point: Point, x: float, y: float) -> str:
        weight = by_point[point]
        if math.isnan(weight):
            return layout.field(x, y, "any")
        name = f"<title>{' '.join(map(str, point))}: {_signed(weight, 4)}</title>"
        coloured = _coloured(weight, largest, lambda kind, attributes: layout.field(x, y, kind, attributes))
        return f"<g>{name}{coloured}{_number(weight, largest, places, x, y)}</g>"

    return layout.svg(field, pixels=_FIELD, title=title)


def draw_weight_scale(largest: float) -> str:
    """Draw the colours from the most negative to the most positive weight, with the unit."""
    places = decimals_for(largest)

    def step_of_scale(step: int) -> str:
        place = f'x="{(step + _STEPS) * _STEP * CELL:g}" y="0" width="{_STEP * CELL:g}" height="{0.5 * CELL:g}"'
        return _coloured(step, _STEPS, lambda kind, attributes: f'<rect class="{kind}" {place}{attributes}/>')

    parts = [step_of_scale(step) for step in range(-_STEPS, _STEPS + 1)]
    width = (2 * _STEPS + 1) * _STEP
    for x, text in ((0.6, _signed(-largest, places)), (width / 2, "0"), (width - 0.6, _signed(largest, places))):
        parts.append(f'<text class="number" x="{x * CELL:g}" y="{0.95 * CELL:g}">{text}</text>')
    parts.append(f'<text class="number" x="{(width + 1.4) * CELL:g}" y="{0.38 * CELL:g}">log-odds</text>')
    return svg_of(width + 2.6, 1.1, parts, pixels=_FIELD * 0.7, title="the colours of weights, in log-odds")


def draw_tuple(cells: Sequence[Point], contents: Sequence[str], geometry: Geometry) -> str:
    """Draw a little board on which the cells of a tuple are lit, with their pieces; NOTHING stays empty.

    A dot stands on an empty cell to which a role may move.
    """
    pieces = dict(zip(map(tuple, cells), contents, strict=True))

    layout, looks = Layout(geometry.points.tolist(), hexagonal=geometry.hexagonal), _looks(geometry)

    def field(point: Point, x: float, y: float) -> str:
        drawn = layout.field(x, y, "lit" if point in pieces else "cell")
        piece = pieces.get(point, NOTHING)
        mover = mover_named(piece)
        if mover is not None:
            return drawn + draw_playable(mover, x, y)
        return drawn if piece == NOTHING else drawn + draw_piece(looks.get(piece, piece), x, y)

    return layout.svg(field, pixels=min(_TUPLE_LARGEST, _TUPLE_WIDEST / layout.shorter_side))


def draw_single_piece(piece: str, geometry: Geometry) -> str:
    """Draw a piece of a board without the board, as high as a line of text."""
    return svg_of(1.0, 1.0, [draw_piece(_looks(geometry).get(piece, piece), 0.0, 0.0)], pixels=_LINE)


def _looks(geometry: Geometry) -> Mapping[str, str]:
    return drawn_names(geometry.pieces, geometry.owners, geometry.roles)


def _coloured(weight: float, largest: float, shape: Callable[[str, str], str]) -> str:
    """Draw a shape, which takes a CSS class and further attributes, in the colour of a weight."""
    opacity = round(_DEEPEST * _share(weight, largest), 3)
    kind = "sought" if weight >= 0 else "avoided"
    return shape("blank", "") + shape(kind, f' fill-opacity="{opacity:g}"')


def _number(weight: float, largest: float, places: int, x: float, y: float) -> str:
    text = _signed(weight, places)
    kind = "deep" if _share(weight, largest) > _DEEP else "none" if text == "0" else ""
    kind += " long" if len(text) > _SHORT else ""
    centre = f'x="{(x + 0.5) * CELL:g}" y="{(y + 0.5) * CELL:g}"'
    return f'<text class="{f"weight {kind}".strip()}" {centre} dy=".35em">{text}</text>'


def _share(weight: float, largest: float) -> float:
    return min(1.0, abs(weight) / largest) if largest else 0.0


def _signed(weight: float, places: int) -> str:
    """Return a number such as +0.53 or −2, or 0 without a sign if nothing is left of it."""
    text = f"{weight:+.{places}f}".replace("-", "−")
    return text if text.strip("+−0.") else "0"
