"""Translations of a board: the places at which an arrangement of cells can be without being turned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from agent.knowledge.geometry import Geometry
from agent.values.tuple_weights import TupleImage

__all__ = ["Translations"]


class Translations:
    """The ways to move tuples of cells over a board."""

    def __init__(self, geometry: Geometry, on_point: Sequence[Sequence[int]]) -> None:
        """`on_point` are the fluents that put a piece on each point."""
        self._geometry = geometry
        self._of_piece: list[dict[int, list[int]]] = []  # [point] the fluents of each piece by its occupant code
        for fluents in on_point:
            found: dict[int, list[int]] = defaultdict(list)
            for fluent in fluents:
                found[int(geometry.fluent_piece[fluent])].append(fluent)
            self._of_piece.append(dict(found))

    def of(self, image: TupleImage) -> Iterator[TupleImage]:
        """Find the images of a tuple of cells at all places on the board where the same pieces can stand."""
        geometry = self._geometry
        cells = geometry.points[list(image.points)]
        moved = geometry.returned(cells[None] + (geometry.points - cells[0])[:, None])  # [point, cell, dimension]
        for place in moved.tolist():
            points = [geometry.point_index.get(tuple(cell)) for cell in place]
            if None in points or len(set(points)) < len(points):
                continue
            known = tuple(point for point in points if point is not None)
            fluents = tuple(self._moved(own, point) for own, point in zip(image.fluents, known, strict=True))
            if all(len(there) == len(own) for there, own in zip(fluents, image.fluents, strict=True)):
                yield TupleImage(known, fluents)

    def _moved(self, fluents: Sequence[int], point: int) -> tuple[int, ...]:
        """Return the fluents that put the same pieces on another point, none where other pieces can stand there."""
        own: dict[int, list[int]] = defaultdict(list)
        for fluent in fluents:
            own[int(self._geometry.fluent_piece[fluent])].append(fluent)
        there = self._of_piece[point]
        if {code: len(each) for code, each in own.items()} != {code: len(each) for code, each in there.items()}:
            return ()
        image = {fluent: other for code, each in own.items() for fluent, other in zip(each, there[code], strict=True)}
        return tuple(image[fluent] for fluent in fluents)
