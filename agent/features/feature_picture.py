"""Pictures of features on the board, as inline SVG that follows the page's colours.

Boards of two and three dimensions are drawn; the words beside a picture always describe the feature completely.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from html import escape

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board.layout import CELL, Layout, Point, square, svg_of
from gdl_miner.agent.board.piece import draw_piece
from gdl_miner.agent.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.item import Fact
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.features.metafacts import MetafactAnyPieceInField, MetafactPieceInArea
from gdl_miner.agent.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.features.pattern import ANY, EMPTY_FIELD, OFF, FeatureRelPattern
from gdl_miner.agent.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.features.proximity import FeatureRelEuclidProximity
from gdl_miner.agent.geometry import ENEMY, OWN, Geometry
from gdl_miner.agent.geometry.areas import points_in_area
from gdl_miner.agent.geometry.lattice import hexagonal_distance

__all__ = ["draw_feature", "draw_heat"]

_WIDEST = 156.0  # pixels of the shorter side of a board, at most
_LARGEST = 34.0  # pixels of the side of a field, at most


@dataclass
class _Picture:
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


def draw_feature(feature: Feature, itemset: Itemset | None, geometry: Geometry) -> str:
    """Return an `<svg>` element, an empty text if the feature has no picture on this board."""
    if isinstance(feature, FeatureRelPattern):
        return _draw_pattern(feature, geometry)
    if isinstance(feature, FeatureRelEuclidKNearest | FeatureRelDimKNearest) and itemset is None:
        return _draw_row(feature.pieces)
    if geometry.dimensions not in (2, 3):
        return ""
    picture = _Picture(geometry)
    _mark(feature, picture)
    for item in itemset.items if itemset else ():
        _mark_item(item, picture)
    return "" if picture.empty else _draw_board(picture)


@singledispatch
def _mark(feature: Feature, picture: _Picture) -> None:
    """Mark the fields and pieces that a feature concerns; features without a place mark nothing."""


@_mark.register
def _(feature: FeatureAbsMove, picture: _Picture) -> None:
    geometry = picture.geometry
    point = int(geometry.move_target[geometry.moves.index(feature.move)])
    if point >= 0:
        picture.target = _point(geometry, point)


@_mark.register
def _(feature: FeatureAbsEuclidBorderDist, picture: _Picture) -> None:
    geometry = picture.geometry
    line = geometry.low + feature.distance if feature.lower else geometry.high - feature.distance
    picture.shaded |= {point for point in _points(geometry) if point[feature.dimension - 1] == line}


@_mark.register
def _(feature: FeatureAbsPieceInArea, picture: _Picture) -> None:
    geometry = picture.geometry
    places = points_in_area(geometry, feature.corner, feature.size)
    picture.shaded |= {_point(geometry, place) for place in places}
    if feature.piece is not None and places:
        picture.pieces[_point(geometry, places[0])] = feature.piece


@_mark.register
def _(feature: FeatureRelEuclidProximity, picture: _Picture) -> None:
    points = _points(picture.geometry)
    middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]

    def at_distance(centre: Point) -> set[Point]:
        return {point for point in points if _squared(point, centre) == feature.squared}

    picture.mark = min(points, key=lambda point: (-len(at_distance(point)), _squared(point, middle), point))
    picture.shaded |= at_distance(picture.mark)


@singledispatch
def _mark_item(item: object, picture: _Picture) -> None:
    """Mark the pieces that an item of an itemset names."""


@_mark_item.register
def _(item: Fact, picture: _Picture) -> None:
    geometry = picture.geometry
    if item.fluent in geometry.fluents:
        index = geometry.fluents.index(item.fluent)
        if geometry.fluent_point[index] >= 0:
            piece = geometry.pieces[int(geometry.fluent_piece[index]) - 1]
            picture.pieces[_point(geometry, int(geometry.fluent_point[index]))] = piece


@_mark_item.register
def _(item: MetafactAnyPieceInField, picture: _Picture) -> None:
    picture.pieces[item.position] = "?"


@_mark_item.register
def _(item: MetafactPieceInArea, picture: _Picture) -> None:
    places = points_in_area(picture.geometry, item.corner, item.size)
    for place in places:
        picture.pieces.setdefault(_point(picture.geometry, place), item.piece)


def draw_heat(values: Sequence[float] | NDArray[np.float64], geometry: Geometry) -> str:
    """Draw a board whose fields are coloured by `values` [point]: the larger the magnitude, the deeper the colour.

    Negative values (avoided fields) have another colour than the others (sought fields).
    """
    largest = max(map(abs, values)) or 1.0
    points, layout = _points(geometry), _layout(geometry)

    def shade(point: Point, x: float, y: float) -> str:
        value = float(values[points.index(point)])
        kind, depth = "sought" if value >= 0 else "avoided", round(abs(value) / largest, 3)
        title = f"<title>{escape(str(point))}: {value:+.3f}</title>"
        coloured = layout.field(x, y, kind, f' fill-opacity="{depth:g}"')
        return f"<g>{title}{layout.field(x, y, 'cell')}{coloured}</g>"

    return _drawn(layout, shade, 1.5)


def _draw_board(picture: _Picture) -> str:
    layout = _layout(picture.geometry)
    return _drawn(layout, lambda point, x, y: _field(picture, layout, point, x, y))


def _layout(geometry: Geometry) -> Layout:
    return Layout(geometry.points.tolist(), hexagonal=geometry.hexagonal)


def _drawn(layout: Layout, draw: Callable[[Point, float, float], str], scale: float = 1.0) -> str:
    return layout.svg(draw, pixels=min(_LARGEST, _WIDEST / layout.shorter_side) * scale)


def _field(picture: _Picture, layout: Layout, point: Point, x: float, y: float) -> str:
    kind = "goal" if point == picture.target else "lit" if point in picture.shaded else "cell"
    text = layout.field(x, y, kind)
    if point == picture.mark:
        text += _unknown(x, y, "×")
    elif point in picture.pieces:
        text += _unknown(x, y, "?") if picture.pieces[point] == "?" else draw_piece(picture.pieces[point], x, y)
    return text


def _draw_pattern(feature: FeatureRelPattern, geometry: Geometry) -> str:
    side = 2 * feature.radius + 1
    if geometry.dimensions not in (2, 3):
        return ""
    if geometry.hexagonal:
        return _draw_pattern_of_hexagons(feature, geometry)
    layers = side if geometry.dimensions == 3 else 1
    parts = []
    for number, entry in enumerate(feature.entries):
        column, row, layer = _offset(number, side, geometry.dimensions)
        x, y = layer * (side + 0.6) + column, side - 1 - row
        centre = column == row == feature.radius and (layers == 1 or layer == feature.radius)
        parts.append(square(x, y, _kind_of(entry, centre=centre)) + _draw_entry(entry, x, y))
    return _svg(layers * (side + 0.6) - 0.6, side, parts)


def _draw_pattern_of_hexagons(feature: FeatureRelPattern, geometry: Geometry) -> str:
    """Draw the fields up to as many steps from the target as the radius says, and others that are compared."""
    offsets = np.array(list(itertools.product(range(-feature.radius, feature.radius + 1), repeat=2)), np.int64)
    near = hexagonal_distance(offsets, geometry.hexagonal) <= feature.radius
    entries = {
        tuple(offset): entry
        for offset, entry, close in zip(offsets.tolist(), feature.entries, near.tolist(), strict=True)
        if close or entry != ANY
    }
    layout = Layout(entries, hexagonal=geometry.hexagonal)

    def draw(offset: Point, x: float, y: float) -> str:
        entry = entries[offset]
        return layout.field(x, y, _kind_of(entry, centre=not any(offset))) + _draw_entry(entry, x, y)

    parts = [draw(offset, *layout.place(offset)) for offset in layout.points]
    return _svg(layout.width, layout.height, parts)


def _kind_of(entry: str, *, centre: bool) -> str:
    return "goal" if centre else {ANY: "any", OFF: "off"}.get(entry, "cell")


def _draw_entry(entry: str, x: float, y: float) -> str:
    if entry in (OWN, ENEMY):
        return _unknown(x, y, "+" if entry == OWN else "−")
    return "" if entry in (ANY, OFF, EMPTY_FIELD) else draw_piece(entry.removeprefix("piece:"), x, y)


def _offset(number: int, side: int, dimensions: int) -> tuple[int, int, int]:
    """Return column, row and layer of an entry; the last coordinate runs fastest."""
    if dimensions == 2:
        return number // side, number % side, 0
    return number // side**2, number // side % side, number % side


def _draw_row(pieces: Iterable[str]) -> str:
    named = list(pieces)
    parts = [square(0, 0, "goal")]
    for place, piece in enumerate(named, 1):
        parts += [square(place, 0, "cell"), draw_piece(piece, place, 0)]
    return _svg(len(named) + 1, 1, parts)


def _svg(wide: float, high: float, parts: Iterable[str]) -> str:
    return svg_of(wide, high, parts, pixels=min(_LARGEST, _WIDEST / min(wide, high)))


def _unknown(x: float, y: float, sign: str) -> str:
    """Draw a sign on a disc: the target of the last move, any piece, an own or an enemy one."""
    cx, cy = (x + 0.5) * CELL, (y + 0.5) * CELL
    return (
        f'<g class="piece"><circle class="disc" cx="{cx:g}" cy="{cy:g}" r="{CELL * 0.36:g}"/>'
        f'<text class="letter" x="{cx:g}" y="{cy:g}" dy=".36em">{sign}</text></g>'
    )


def _squared(point: Sequence[float], other: Sequence[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(point, other, strict=True))


def _points(geometry: Geometry) -> list[Point]:
    return [tuple(int(x) for x in point) for point in geometry.points]


def _point(geometry: Geometry, index: int) -> Point:
    return tuple(int(x) for x in geometry.points[index])
