"""The board extension of GDL: which arguments of fluents and moves are coordinates and pieces (thesis 4.2.1).

A board is the hypercube of points with `low <= r <= high` in every dimension, described by ground facts:
`(boarddimnum 2)`, `(boardboundaries 1 8)`, `(boardfunctor cell)` (or `boardrelation`), `(boardpattern dim dim piece)`,
`(playfunctor move)`, `(playpattern skip skip dim dim piece)`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from agent.gdl.syntax import Compound, Symbol, Term, format_term, ground, parse_term

__all__ = ["EXTENSION", "PATTERN_WORDS", "Board", "board_of", "real"]

EXTENSION = {
    "boarddimnum": 1,
    "boardboundaries": 2,
    "boardfunctor": 1,
    "boardrelation": 1,
    "boardpattern": None,
    "playfunctor": 1,
    "playpattern": None,
}
"""Arities of the extension's relations; None for patterns, which have as many as the fluent or move."""

PATTERN_WORDS = ("piece", "dim", "skip")

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
        found: list[tuple[int, ...]] = []
        for skipped, run in groupby(zip(self.play_pattern, args, strict=True), key=lambda pair: pair[0] == "skip"):
            terms = [term for _, term in run]
            if skipped:
                first = len(terms) % self.dimensions
                chunks = [tuple(terms[at : at + self.dimensions]) for at in range(first, len(terms), self.dimensions)]
                points = (self._point(chunk, ("dim",) * self.dimensions) for chunk in chunks)
                found += [point for point in points if point is not None]
        return (*found, target)

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
    term = parse_term(text)
    return term.args if isinstance(term, Compound) and len(term.args) == arity else None


def _piece(args: tuple[Term, ...], pattern: tuple[str, ...]) -> str | None:
    return next((format_term(argument) for word, argument in zip(pattern, args, strict=True) if word == "piece"), None)


def real(term: Term) -> float | None:
    """Return the value of a decimal with an optional fraction part, None for any other term."""
    return float(term.name) if isinstance(term, Symbol) and _REAL.fullmatch(term.name) else None


def board_of(facts: Iterable[Symbol | Compound]) -> Board | None:
    """Return the board that the facts describe, None if the extension is absent or unsound (the check says why)."""
    found: dict[str, tuple[Term, ...]] = {}
    for fact in facts:
        if fact.name in EXTENSION and isinstance(fact, Compound):
            name = "boardfunctor" if fact.name == "boardrelation" else fact.name
            if not ground(fact) or found.setdefault(name, fact.args) != fact.args:
                return None
    return _assembled(found)


def _assembled(found: dict[str, tuple[Term, ...]]) -> Board | None:
    try:
        low, high = map(real, found["boardboundaries"])
        (board_functor,), (play_functor,) = found["boardfunctor"], found["playfunctor"]
        board_pattern, play_pattern = (tuple(map(format_term, found[f"{kind}pattern"])) for kind in ("board", "play"))
        (dimensions,) = map(real, found.get("boarddimnum", (Symbol(str(board_pattern.count("dim"))),)))
    except (KeyError, ValueError):
        return None
    if low is None or high is None or low > high or not dimensions:
        return None
    for pattern in (board_pattern, play_pattern):
        if not set(pattern) <= set(PATTERN_WORDS) or pattern.count("dim") != dimensions or pattern.count("piece") > 1:
            return None
    if not isinstance(board_functor, Symbol) or not isinstance(play_functor, Symbol):
        return None
    return Board(int(dimensions), low, high, board_functor.name, board_pattern, play_functor.name, play_pattern)
