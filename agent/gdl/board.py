"""The board extension of GDL: which arguments of fluents and moves are coordinates and pieces (thesis 4.2.1).

A board is the hypercube of points with `low <= r <= high` in every dimension, described by ground facts:
`(boarddimnum 2)`, `(boardboundaries 1 8)`, `(boardfunctor cell)` (or `boardrelation`), `(boardpattern dim dim piece)`,
`(playfunctor move)`, `(playpattern skip skip dim dim piece)`. `(boardhexagonal 1 -1)` says which diagonal neighbours
the fields of a board of hexagons have, and `(boardperiods 8 0)` after how many fields the coordinates of a dimension
return, 0 for never.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby

from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, format_term, ground, parse_term

EXTENSION = {
    "boarddimnum": 1,
    "boardboundaries": 2,
    "boardfunctor": 1,
    "boardrelation": 1,
    "boardpattern": None,
    "playfunctor": 1,
    "playpattern": None,
    "boardhexagonal": 2,
    "boardperiods": None,
}
"""Arities of the extension's relations; None for patterns, which have as many as the fluent or move."""

PATTERN_WORDS = ("piece", "dim", "skip")

DIAGONALS = ((1, -1), (1, 1))
"""The steps that may lead to a neighbour on a board of hexagons, beside those along its two dimensions."""

PartialPoint = tuple[int | None, ...]
"""A coordinate for each dimension, None for one that a move does not name."""

_REAL = re.compile(r"-?\d+(\.\d+)?")
_INTEGER = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class Board:
    """The board of a game, as the extension describes it."""

    dimensions: int
    low: float
    """Smallest coordinate, in every dimension."""
    high: float
    """Largest coordinate, in every dimension."""
    board_functor: str
    board_pattern: tuple[str, ...]
    """One of `piece`, `dim`, `skip` for each argument of the board relation."""
    play_functor: str
    play_pattern: tuple[str, ...]
    """One of `piece`, `dim`, `skip` for each argument of the move."""
    hexagonal: tuple[int, ...] = field(default=(), kw_only=True)
    """On a board of hexagons, the step that leads to a neighbour beside those along the dimensions; else empty."""
    periods: tuple[int, ...] = field(default=(), kw_only=True)
    """Number of coordinates of each dimension after which they return, 0 for one with ends; empty if all have ends."""

    def field(self, fluent: str) -> tuple[tuple[int, ...], str | None] | None:
        """Return the point and the piece of a board fluent such as `(cell 1 2 b)`, None for any other fluent.

        The piece is None if the pattern names none. A fluent with a coordinate that is not an integer within the
        boundaries is not a board fluent.
        """
        args = _arguments(fluent, self.board_functor, len(self.board_pattern))
        point = None if args is None else self._point(args, self.board_pattern)
        if args is None or point is None:
            return None
        return point, _piece(args, self.board_pattern)

    def target(self, move: str) -> tuple[tuple[int, ...] | None, str | None]:
        """Return the target point and the piece of a move such as `(play 1 2 1 3 white)`, None for each it lacks."""
        args = _arguments(move, self.play_functor, len(self.play_pattern))
        if args is None:
            return None, None
        return self._point(args, self.play_pattern), _piece(args, self.play_pattern)

    def path(self, move: str) -> tuple[tuple[int, ...], ...]:
        """Return the points that a move names, its target last: `(play 1 2 1 3 white)` goes from (1, 2) to (1, 3).

        The points before the target come from runs of neighbouring `skip` arguments. Each run is cut, from its last
        argument on, into groups of as many arguments as the board has dimensions, and groups that are not points of
        the board are dropped: `(mark jump wp dummy dummy 1 1 3 3 5 5)` has (1, 1), (3, 3) and (5, 5). The result is
        empty if the move has no target.
        """
        args = _arguments(move, self.play_functor, len(self.play_pattern))
        target = None if args is None else self._point(args, self.play_pattern)
        if args is None or target is None:
            return ()
        every = ("dim",) * self.dimensions
        named = [self._point(tuple(args[place] for place in places), every) for places in self._places_of_points()]
        return tuple(point for point in named if point is not None)

    def with_points(self, move: str, image: Callable[[PartialPoint], PartialPoint | None]) -> str | None:
        """Return a move with its points replaced by their images, None if one of them has none.

        The points are those of `path`. A move that names no points is its own image.
        """
        args = _arguments(move, self.play_functor, len(self.play_pattern))
        if args is None:
            return move
        words = list(map(format_term, args))
        for places in self._places_of_points():
            point = self._point(tuple(args[place] for place in places), ("dim",) * self.dimensions)
            if point is None:
                continue
            moved = image(point)
            if moved is None:
                return None
            for place, coordinate in zip(places, moved, strict=True):
                words[place] = str(coordinate)
        return f"({self.play_functor} {' '.join(words)})"

    def _places_of_points(self) -> list[tuple[int, ...]]:
        """Return the arguments of a move that may name points, the target last."""
        groups: list[tuple[int, ...]] = []
        numbered = enumerate(self.play_pattern)
        for skipped, run in groupby(numbered, key=lambda pair: pair[1] == "skip"):
            places = [place for place, _ in run]
            if skipped:
                first = len(places) % self.dimensions
                chunks = range(first, len(places), self.dimensions)
                groups += [tuple(places[at : at + self.dimensions]) for at in chunks]
        return [*groups, tuple(place for place, word in enumerate(self.play_pattern) if word == "dim")]

    def _point(self, args: tuple[Term, ...], pattern: tuple[str, ...]) -> tuple[int, ...] | None:
        point: list[int] = []
        for word, argument in zip(pattern, args, strict=True):
            if word == "dim":
                if not isinstance(argument, Symbol) or not _INTEGER.fullmatch(argument.name):
                    return None
                coordinate = int(argument.name)
                if not self.low <= coordinate <= self.high:
                    return None
                point.append(coordinate)
        return tuple(point)


def _arguments(text: str, functor: str, arity: int) -> tuple[Term, ...] | None:
    if not text.startswith(f"({functor} "):
        return None
    if "(" not in text[1:]:
        words = text[1:-1].split(" ")[1:]
        return tuple(map(Symbol, words)) if len(words) == arity else None
    term = parse_term(text)
    return term.args if isinstance(term, Compound) and len(term.args) == arity else None


def _piece(args: tuple[Term, ...], pattern: tuple[str, ...]) -> str | None:
    return next((format_term(argument) for word, argument in zip(pattern, args, strict=True) if word == "piece"), None)


def real(term: Term) -> float | None:
    """Return the value of a decimal with an optional fraction part, None for any other term."""
    return float(term.name) if isinstance(term, Symbol) and _REAL.fullmatch(term.name) else None


def board_of(facts: Iterable[Symbol | Compound]) -> Board | None:
    """Return the board that the facts describe, None if the extension is absent or unsound (the check says why)."""
    extension: dict[str, tuple[Term, ...]] = {}
    for fact in facts:
        if fact.name in EXTENSION and isinstance(fact, Compound):
            name = "boardfunctor" if fact.name == "boardrelation" else fact.name
            if not ground(fact) or extension.setdefault(name, fact.args) != fact.args:
                return None
    return _assembled(extension)


def _assembled(extension: dict[str, tuple[Term, ...]]) -> Board | None:
    try:
        low, high = map(real, extension["boardboundaries"])
        (board_functor,), (play_functor,) = extension["boardfunctor"], extension["playfunctor"]
        board_pattern, play_pattern = (
            tuple(map(format_term, extension[name])) for name in ("boardpattern", "playpattern")
        )
        (dimensions,) = map(real, extension.get("boarddimnum", (Symbol(str(board_pattern.count("dim"))),)))
    except (KeyError, ValueError):
        return None
    if low is None or high is None or low > high or not dimensions:
        return None
    for pattern in (board_pattern, play_pattern):
        if not set(pattern) <= set(PATTERN_WORDS) or pattern.count("dim") != dimensions or pattern.count("piece") > 1:
            return None
    if not isinstance(board_functor, Symbol) or not isinstance(play_functor, Symbol):
        return None
    try:
        hexagonal, periods = (_integers(extension.get(name, ())) for name in ("boardhexagonal", "boardperiods"))
    except ValueError:
        return None
    if (hexagonal and (dimensions != 2 or hexagonal not in DIAGONALS)) or len(periods) not in (0, dimensions):
        return None
    if any(period not in (0, number_of_coordinates(low, high)) for period in periods):
        return None
    return Board(
        int(dimensions),
        low,
        high,
        board_functor.name,
        board_pattern,
        play_functor.name,
        play_pattern,
        hexagonal=hexagonal,
        periods=periods if any(periods) else (),
    )


def number_of_coordinates(low: float | None, high: float | None) -> int:
    """Return the number of integers from `low` to `high`, 0 where one of them is unknown or without bounds."""
    if low is None or high is None or not math.isfinite(high - low):
        return 0
    return max(0, math.floor(high) - math.ceil(low) + 1)


def _integers(terms: Iterable[Term]) -> tuple[int, ...]:
    return tuple(int(format_term(term)) for term in terms)
