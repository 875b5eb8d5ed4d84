"""Translations of a board: the places at which an arrangement of cells can be without being turned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.values.shapes import points_on_board
from gdl_miner.agent.values.tuple_weights import TupleImage

__all__ = ["Translations"]


class Translations:
    """The ways to move tuples of cells over a board."""

    def __init__(self, geometry: Geometry, on_point: Sequence[Sequence[int]]) -> None:
        """`on_point` are the fluents that put a piece on each point."""
        self._geometry = geometry
        self._piece: list[int] = geometry.fluent_piece.tolist()
        self._by_piece = [self._sorted(fluents) for fluents in on_point]

    def of(self, image: TupleImage) -> Iterator[TupleImage]:
        """Find the images of a tuple of cells at all places on the board where the same pieces can stand."""
        cells = self._geometry.points[list(image.points)]
        for place in (cells + (self._geometry.points - cells[0])[:, None]).tolist():
            for points in points_on_board(self._geometry, place):
                moved = [self._moved(own, point) for own, point in zip(image.fluents, points, strict=True)]
                fluents = tuple(each for each in moved if each is not None)
                if len(fluents) == len(moved):
                    yield TupleImage(points, fluents)

    def _moved(self, fluents: Sequence[int], point: int) -> tuple[int, ...] | None:
        """Return the fluents that put the same pieces on another point, None where other pieces can stand there."""
        own, there = self._sorted(fluents), self._by_piece[point]
        if [self._piece[each] for each in own] != [self._piece[each] for each in there]:
            return None
        image = dict(zip(own, there, strict=True))
        return tuple(image[fluent] for fluent in fluents)

    def _sorted(self, fluents: Sequence[int]) -> list[int]:
        return sorted(fluents, key=self._piece.__getitem__)
