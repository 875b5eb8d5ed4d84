"""Facts and moves apart from the points of the board that they name, to find the images of all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.gdl.board import PartialPoint
from gdl_miner.agent.geometry.geometry import NOWHERE, BoardNames, Geometry

Split: TypeAlias = Callable[[str], tuple[str, tuple[PartialPoint, ...]]]
"""Splits a text into its form, which has one and the same point in place of all, and its points."""

_LOST = -2  # stands for a form or a point that no text has
_OF_MOVES: WeakKeyDictionary[Geometry, Forms] = WeakKeyDictionary()


class Forms:
    """Texts, each as its form and its points.

    `forms` and `points` are the different ones, and `groups` is [text] its group.
    """

    def __init__(self, texts: Sequence[str], split: Split, groups: NDArray[np.int64] | None = None) -> None:
        """Split the texts; those of one group differ."""
        parts = {text: split(text) for text in set(texts)}
        self.forms = sorted({form for form, _ in parts.values()})
        self.points = sorted({point for _, points in parts.values() for point in points}, key=str)
        self.groups = np.zeros(len(texts), np.int64) if groups is None else groups
        self._split = split
        self._form_number = {form: number for number, form in enumerate(self.forms)}
        self._point_number = {point: number for number, point in enumerate(self.points)}
        self._form = np.array([self._form_number[parts[text][0]] for text in texts], np.int64)
        self._named = np.full((len(texts), max((len(points) for _, points in parts.values()), default=0)), NOWHERE)
        for number, text in enumerate(texts):
            points = parts[text][1]
            self._named[number, : len(points)] = [self._point_number[point] for point in points]
        self._base = max(len(self.forms), len(self.points), int(self.groups.max(initial=0)) + 1) - _LOST
        self._paths, self._number = self._indexed()

    def renamed(self, rename: Callable[[str], str]) -> NDArray[np.int64]:
        """Return [form] the form that other words make of it, -2 where no text has that form."""
        return np.array([self._form_number.get(self._split(rename(form))[0], _LOST) for form in self.forms], np.int64)

    def images(
        self,
        groups: NDArray[np.int64],
        forms: NDArray[np.int64],
        place: Callable[[PartialPoint], PartialPoint | None],
    ) -> NDArray[np.int32]:
        """Return [text] the number of its image, NOWHERE where no text is the image.

        `groups` are the groups of the images by text, `forms` the images of the forms, and `place` gives that of a
        point.
        """
        images = map(place, self.points)
        points = [_LOST if image is None else self._point_number.get(image, _LOST) for image in images]
        named = np.array([*points, NOWHERE])[self._named]  # a text with fewer points than others has its image NOWHERE
        at, known = np.zeros(len(self._form), np.int64), np.ones(len(self._form), bool)
        for column, path in zip((groups, forms[self._form], *named.T), self._paths, strict=True):
            keys = self._keys(at, column)
            at = np.searchsorted(path, keys).clip(max=len(path) - 1)
            known &= path[at] == keys
        return np.where(known, self._number[at], NOWHERE).astype(np.int32)

    def _indexed(self) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Return for each column of the parts its sorted keys, and for each key of the last one the text.

        A key tells apart what differs in the columns up to its own.
        """
        at, paths = np.zeros(len(self._form), np.int64), []
        for column in (self.groups, self._form, *self._named.T):
            path, at = np.unique(self._keys(at, column), return_inverse=True)
            paths.append(path)
        number = np.zeros(len(paths[-1]), np.int64)
        number[at] = np.arange(len(at))
        return paths, number

    def _keys(self, at: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return different numbers for different pairs of a place among the keys before and a value from -2 on."""
        return at * self._base + (column - _LOST)


def forms_of_moves(geometry: Geometry, board: BoardNames | None) -> Forms:
    """Return the forms of the moves of a game, whose groups are the roles.

    They are found once per geometry, since this reads every move.
    """
    if geometry not in _OF_MOVES:
        roles = np.repeat(np.arange(len(geometry.roles)), np.diff(geometry.move_start))
        first = tuple(geometry.points[0].tolist()) if geometry.n_points else ()
        _OF_MOVES[geometry] = Forms(geometry.moves, lambda move: _split_move(board, first, move), roles)
    return _OF_MOVES[geometry]


def forms_of_facts(geometry: Geometry, facts: Sequence[str]) -> Forms:
    """Return the forms of facts, in which numbers side by side are a point if the board has it."""
    return Forms(facts, lambda fact: _split_fact(geometry, fact))


def _split_move(board: BoardNames | None, first: tuple[int, ...], move: str) -> tuple[str, tuple[PartialPoint, ...]]:
    if board is None:
        return move, ()
    points: list[PartialPoint] = []

    def kept(point: PartialPoint) -> PartialPoint:
        points.append(point)
        return tuple(None if each is None else own for each, own in zip(point, first, strict=True))

    form = board.with_points(move, kept)
    return move if form is None else form, tuple(points)


def _split_fact(geometry: Geometry, fact: str) -> tuple[str, tuple[PartialPoint, ...]]:
    words, size, at = fact.split(" "), geometry.dimensions, 1
    points: list[PartialPoint] = []
    while 0 < size <= len(words) - at:
        numbers = [word.rstrip(")") for word in words[at : at + size]]
        point = tuple(map(int, numbers)) if all(map(str.isdecimal, numbers)) else None
        if point not in geometry.point_index:
            at += 1
            continue
        points.append(point)
        for place, (number, first) in enumerate(zip(numbers, geometry.points[0].tolist(), strict=True), at):
            words[place] = words[place].replace(number, str(first))
        at += size
    return " ".join(words), tuple(points)
