"""Shapes of tuples: the cells or groups of facts whose contents together select a weight.

A text such as `block 2x3 anywhere` is parsed once, by `read_shape`, where a configuration or a command line is read.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gdl_miner.agent.geometry import Geometry, Points, geometry_of
from gdl_miner.agent.geometry.lattice import hexagonal_distance
from gdl_miner.agent.values.fact_groups import FactGroups, tuples_of_facts
from gdl_miner.agent.values.random_play import changing_points
from gdl_miner.agent.values.relaxed_costs import relaxed_costs
from gdl_miner.agent.values.rule_tuples import goal_tuples, rule_tuples

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

LONGEST_TUPLE = 10  # largest number of cells
_LONGEST_OF_RULES = 6  # the same where the rules name them
_MOST_WALKS = 1000
_MOST_MISSES = 500  # random walks in a row that are none, or were found before, after which there are no more
_MOST_GROUPS = 4  # largest number of groups of facts
_ANYWHERE, _PLAYABLE, _EACH_SIDE = " anywhere", " playable", " each side"  # may follow a shape, in this order
_CELLS = re.compile(r"\d+(\.\d+)*( \d+(\.\d+)*)+( \| \d+(\.\d+)*( \d+(\.\d+)*)+)*", re.ASCII)


@dataclass(frozen=True)
class TupleShape:
    """A shape of tuples. Its text is what `read_shape` reads. Raises ValueError for a size that is too large."""

    @property
    def nothing(self) -> str:
        """Why a game may have no tuples of this shape (`what; what to do`)."""
        return "no such cells are on the board of the game; leave the shape out"

    @property
    def shared(self) -> bool:
        """Whether the same arrangement of cells has the same weights all over the board."""
        return False

    @property
    def playable(self) -> bool:
        """Whether an empty cell to which a role may move is another content than one to which none may."""
        return False

    @property
    def each_side(self) -> bool:
        """Whether each side to move has weights of its own, where a symmetry would make them share these."""
        return False

    def tuples(self, machine: Machine) -> list[Points]:
        """Return the points of all tuples of cells of this shape in a game."""
        return []

    def groups(self, machine: Machine, without: Collection[int]) -> list[FactGroups]:
        """Return all tuples of groups of facts of this shape in a game; no group has the fluents `without`."""
        return []

    def costs(self, machine: Machine) -> list[tuple[int, ...]]:
        """Return the roles of all tuples of costs of this shape in a game."""
        return []


@dataclass(frozen=True)
class _OfBoard(TupleShape, ABC):
    """A shape that the cells of a board decide alone."""

    def tuples(self, machine: Machine) -> list[Points]:
        return self.on(geometry_of(machine), changing_points(machine))

    def on(self, geometry: Geometry, changing: Collection[int] | None = None) -> list[Points]:
        """Return the points of all tuples on a board, none if the shape does not fit it.

        Blocks and walks have none but `changing` points, all points where these are not given.
        """
        usable = range(geometry.n_points) if changing is None else sorted(changing)
        found: dict[frozenset[int], Points] = {}  # a line around a whole torus begins at each of its points
        for points in self._find(geometry, usable):
            found.setdefault(frozenset(points), points)
        return list(found.values())

    @abstractmethod
    def _find(self, geometry: Geometry, usable: Sequence[int]) -> Iterator[Points]:
        """Yield tuples, perhaps some of them several times."""


@dataclass(frozen=True)
class Lines(_OfBoard):
    """Cells in a row, in all directions in which neighbours lie: `line 4`."""

    length: int
    shared: bool = False
    playable: bool = False
    each_side: bool = False

    def __post_init__(self) -> None:
        _check(2 <= self.length <= LONGEST_TUPLE)

    def __str__(self) -> str:
        return f"line {self.length}{_suffix(self)}"

    def _find(self, geometry: Geometry, usable: Sequence[int]) -> Iterator[Points]:
        for step in (step for step in _steps(geometry) if step > (0,) * len(step)):
            for start in geometry.points.tolist():
                cells = [[x + k * d for x, d in zip(start, step, strict=True)] for k in range(self.length)]
                yield from _present(geometry, cells)


@dataclass(frozen=True)
class Blocks(_OfBoard):
    """Boxes of cells, with their sides in every order: `block 2x3`."""

    sides: tuple[int, ...]
    shared: bool = False
    playable: bool = False
    each_side: bool = False

    def __post_init__(self) -> None:
        _check(len(self.sides) > 1 and 2 <= math.prod(self.sides) <= LONGEST_TUPLE)

    def __str__(self) -> str:
        return f"block {'x'.join(map(str, self.sides))}{_suffix(self)}"

    def _find(self, geometry: Geometry, usable: Sequence[int]) -> Iterator[Points]:
        if len(self.sides) != geometry.dimensions:
            return
        for order in sorted(set(itertools.permutations(self.sides))):
            for start in geometry.points.tolist():
                ranges = [range(x, x + side) for x, side in zip(start, order, strict=True)]
                for points in _present(geometry, map(list, itertools.product(*ranges))):
                    if all(point in usable for point in points):
                        yield points


@dataclass(frozen=True)
class Walks(_OfBoard):
    """Random walks over neighbouring cells that come to no cell twice (Lucas 2008): `walks 70x8`.

    They are the same for all runs and processes. There are fewer than `number` where there is little room for them.
    """

    number: int
    length: int
    shared: bool = False
    playable: bool = False
    each_side: bool = False

    def __post_init__(self) -> None:
        _check(1 <= self.number <= _MOST_WALKS and 2 <= self.length <= LONGEST_TUPLE)

    def __str__(self) -> str:
        return f"walks {self.number}x{self.length}{_suffix(self)}"

    def _find(self, geometry: Geometry, usable: Sequence[int]) -> Iterator[Points]:
        draws = random.Random(0)
        found: set[Points] = set()
        misses = 0
        while usable and len(found) < self.number and misses < _MOST_MISSES:
            walk = _random_walk(geometry, usable, self.length, draws)
            if len(walk) == self.length and walk not in found:
                found.add(walk)
                misses = 0
                yield walk
            else:
                misses += 1


@dataclass(frozen=True)
class Cells(TupleShape):
    """Tuples whose cells are named one by one, by their places on the board: `cells 0.0 0.1 1.1 | 2.2 2.3`."""

    named: tuple[tuple[tuple[int, ...], ...], ...]  # [tuple][cell] its place on each axis
    playable: bool = False
    each_side: bool = False

    def __post_init__(self) -> None:
        _check(bool(self.named) and all(2 <= len(set(each)) == len(each) <= LONGEST_TUPLE for each in self.named))

    def __str__(self) -> str:
        tuples = (" ".join(".".join(map(str, cell)) for cell in cells) for cells in self.named)
        return f"cells {' | '.join(tuples)}{_suffix(self)}"

    def tuples(self, machine: Machine) -> list[Points]:
        """Return the points of all tuples of cells of this shape in a game; none if one cell is not on the board."""
        index = geometry_of(machine).point_index
        if any(cell not in index for cells in self.named for cell in cells):
            return []
        return [tuple(index[cell] for cell in cells) for cells in self.named]


@dataclass(frozen=True)
class Goals(TupleShape):
    """Cells that the goals name together: `goals`."""

    shared: bool = False
    playable: bool = False
    each_side: bool = False

    def __str__(self) -> str:
        return f"goals{_suffix(self)}"

    @property
    def nothing(self) -> str:
        """Why a game may have no tuples of this shape (`what; what to do`)."""
        return "the goals name no 2 to 6 cells of a board together; leave the shape out"

    def tuples(self, machine: Machine) -> list[Points]:
        """Return the points of all tuples of cells of this shape in a game."""
        return _tuples_of_goals(machine)


@dataclass(frozen=True)
class Rules(TupleShape):
    """Up to so many cells on which a part of the rules depends, and on no others: `rules 4`."""

    longest: int
    shared: bool = False
    playable: bool = False
    each_side: bool = False

    def __post_init__(self) -> None:
        _check(2 <= self.longest <= _LONGEST_OF_RULES)

    def __str__(self) -> str:
        return f"rules {self.longest}{_suffix(self)}"

    @property
    def nothing(self) -> str:
        """Why a game may have no tuples of this shape (`what; what to do`)."""
        return (
            f"no part of the rules depends on 2 to {self.longest} cells of a board and on no others; "
            "leave the shape out"
        )

    def tuples(self, machine: Machine) -> list[Points]:
        """Return the points of all tuples of cells of this shape in a game."""
        return rule_tuples(machine.circuit, geometry_of(machine), self.longest)


@dataclass(frozen=True)
class FactTuples(TupleShape):
    """So many groups of facts of which at most one holds, for which a game needs no board: `facts 2`."""

    number: int

    def __post_init__(self) -> None:
        _check(2 <= self.number <= _MOST_GROUPS)

    def __str__(self) -> str:
        return f"facts {self.number}"

    @property
    def nothing(self) -> str:
        """Why a game may have no tuples of this shape (`what; what to do`)."""
        return (
            "the game has too few groups of facts that exclude each other and change, or too large ones; leave the "
            "shape out, or take fewer facts"
        )

    def groups(self, machine: Machine, without: Collection[int]) -> list[FactGroups]:
        """Return all tuples of groups of facts of this shape in a game; no group has the fluents `without`."""
        return tuples_of_facts(machine, self.number, without)


@dataclass(frozen=True)
class GoalCosts(TupleShape):
    """The shape `costs`: tuples for the cost of each role's best goal by the relaxed rules, and for pairs of roles."""

    def __str__(self) -> str:
        return "costs"

    @property
    def nothing(self) -> str:
        """Why a game may have no tuples of this shape (`what; what to do`)."""
        return "what it costs a role to reach its best goal does not change in this game; leave the shape out"

    def costs(self, machine: Machine) -> list[tuple[int, ...]]:
        """Return the roles of all tuples of costs."""
        found = relaxed_costs(machine)
        roles = () if found is None else found.roles
        return [*((role,) for role in roles), *itertools.combinations(roles, 2)]


def read_shape(text: str) -> TupleShape:
    """Return the shape that a text names.

    All but facts, costs and `cells` may be followed by `anywhere`, then all but facts and costs by `playable` and, at
    the end, `each side`.

    Raises:
        ValueError: the text is no shape, or the shape has more than ten cells (six that the rules name), or more than
            four groups of facts.
    """
    alike = text.removesuffix(_EACH_SIDE)
    plain = alike.removesuffix(_PLAYABLE)
    named = plain.removesuffix(_ANYWHERE)
    kind_of_weights = shared, playable, each_side = named != plain, plain != alike, alike != text
    kind, _, size = named.partition(" ")
    sides = tuple(map(int, size.split("x"))) if re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", size) else ()
    try:
        match kind, sides:
            case "cells", _ if not shared and _CELLS.fullmatch(size):
                tuples = (cells.split() for cells in size.split("|"))
                return Cells(
                    tuple(tuple(tuple(map(int, cell.split("."))) for cell in cells) for cells in tuples),
                    playable,
                    each_side,
                )
            case "goals", () if named == "goals":
                return Goals(*kind_of_weights)
            case "line", (length,):
                return Lines(length, *kind_of_weights)
            case "block", _:
                return Blocks(sides, *kind_of_weights)
            case "walks", (number, length):
                return Walks(number, length, *kind_of_weights)
            case "rules", (longest,):
                return Rules(longest, *kind_of_weights)
            case "facts", (number,) if not any(kind_of_weights):
                return FactTuples(number)
            case "costs", () if text == "costs":
                return GoalCosts()
    except ValueError:
        pass  # the message below says which sizes there are
    raise ValueError(
        f"shape '{text}': give 'line 2' to 'line {LONGEST_TUPLE}', blocks such as 'block 2x3', walks such as 'walks "
        f"70x8' (up to {_MOST_WALKS}), all of up to {LONGEST_TUPLE} cells, 'goals', 'rules 2' to 'rules 6', each "
        "with 'anywhere' after it if its weights are to be the same all over the board, 'facts 2' to 'facts 4', "
        "'costs', or the cells of each tuple, as in 'cells 0.0 0.1 1.1 | 2.2 2.3'; all but facts and costs may have "
        "'playable' at the end if empty cells are to differ by who may move there, and 'each side' at the end if each "
        "side to move is to have weights of its own"
    )


def _check(fits: bool) -> None:
    if not fits:
        raise ValueError("a shape with too few or too many cells, walks or groups of facts")


def _suffix(shape: TupleShape) -> str:
    kinds = ((shape.shared, _ANYWHERE), (shape.playable, _PLAYABLE), (shape.each_side, _EACH_SIDE))
    return "".join(text for is_so, text in kinds if is_so)


@lru_cache(maxsize=1)
def _tuples_of_goals(machine: Machine) -> list[Points]:
    return goal_tuples(machine.circuit, geometry_of(machine), _LONGEST_OF_RULES)


def _steps(geometry: Geometry) -> list[tuple[int, ...]]:
    """Return the steps from a cell to its neighbours."""
    steps = [step for step in itertools.product((-1, 0, 1), repeat=geometry.dimensions) if any(step)]
    if geometry.hexagonal:
        steps = [step for step in steps if hexagonal_distance(np.array(step), geometry.hexagonal) == 1]
    return steps


def _present(geometry: Geometry, cells: Iterable[list[int]]) -> Iterator[Points]:
    """Yield the points of cells if all of them are on the board, and all are different."""
    points = geometry.points_at(cells)
    if points is not None:
        yield points


def _random_walk(geometry: Geometry, usable: Sequence[int], length: int, draws: random.Random) -> Points:
    """Return the points of a walk in ascending order, fewer than `length` where it comes to a dead end."""
    steps = np.array(_steps(geometry), np.int32)
    walk = [draws.choice(usable)]
    while len(walk) < length:
        beside = geometry.returned(geometry.points[walk[-1]] + steps).tolist()
        points = (geometry.point_index.get(tuple(cell)) for cell in beside)
        free = [point for point in points if point is not None and point in usable and point not in walk]
        if not free:
            break
        walk.append(draws.choice(free))
    return tuple(sorted(walk))


def shapes_in_words(texts: Iterable[str]) -> str:
    """Return the texts of shapes for people to read, with the number of tuples in place of all the cells of `Cells`."""
    read = ((text, read_shape(text)) for text in texts if text)
    shown = [
        f"{len(shape.named)} mined tuples{_suffix(shape)}" if isinstance(shape, Cells) else text for text, shape in read
    ]
    return ", ".join(shown) or "facts alone"
