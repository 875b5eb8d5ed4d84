"""The value network of a game, from the rules and a few words on its shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Points, find_symmetries, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.fact_groups import FactGroups
from gdl_miner.agent.values.layout import ValueLayout, find_turns, movers_before
from gdl_miner.agent.values.playable import playable_sample
from gdl_miner.agent.values.random_play import blank_of, has_constant_sum, reach_of_moves
from gdl_miner.agent.values.shapes import Blocks, FactTuples, Goals, Lines, Rules, TupleShape, Walks
from gdl_miner.agent.values.tuples import CellTuple

ShapeChoice: TypeAlias = Literal["auto", "large"]  # shapes of tuples that depend on the game: see layout_for

_Shapes: TypeAlias = tuple[TupleShape, ...]

_LINES = (Lines(2), Lines(3))
_BLOCK = Blocks((2, 3))
_SIMPLE_SHAPES: tuple[_Shapes, ...] = (  # to try where others do not fit the game or have too many weights
    (*_LINES, Goals()),
    (Lines(2), Goals()),
    _LINES,
    (Lines(2),),
    (FactTuples(2),),
)
_LONG_LINES = (Lines(4), Lines(5), Lines(6))
_LEAST_REACH = 3  # of moves from which long lines are taken
_MOST_WEIGHTS: dict[ShapeChoice, int] = {"auto": 30_000, "large": 200_000}
_MOST_WEIGHTS_WITH_WALKS = 600_000


@dataclass(frozen=True)
class ValueShape:
    """The facts and tuples that a value network looks at."""

    shapes: tuple[TupleShape, ...] | ShapeChoice = ()  # of tuples
    stages: tuple[int, ...] = ()  # numbers of pieces from which the next stage begins
    symmetries: bool = True  # whether weights are shared over the symmetries of the board
    levels: bool = False  # whether every number of pieces is a stage of its own
    species: bool = False  # whether every weight belongs to the afterstates of one role alone


@lru_cache(maxsize=16)
def layout_for(machine: Machine, shape: ValueShape) -> ValueLayout:
    """Return the layout of a game's value network, which is made once per process.

    The tuples of the choice `auto` are cells that the goals name together and blocks of six cells, both with the same
    weights all over the board. Where the goals name none, straight lines of two and three cells (Jaśkowski 2014), with
    weights of their own at every place, come with these blocks. A board that has no room for blocks of cells whose
    contents change has such lines with the same weights all over the board, and a game without a board pairs of groups
    of facts.

    `large` means weights of their own at every place: of blocks of six cells, cells that the goals name together, with
    these also random walks over eight cells, and, where moves change cells far apart, lines of four to six. On a board
    without room for blocks it means lines and cells on which a part of the rules depends, and random walks over six
    cells if the board has two dimensions.

    A choice leaves out what does not fit the game, and takes less where there would be too many weights, `large` what
    `auto` means.

    Raises ConfigError for a shape that does not fit the game.
    """
    known = _KnownTuples(machine)
    if isinstance(shape.shapes, tuple):
        for each in shape.shapes:
            if not known.has(each):
                raise ConfigError(f"shape '{each}': {each.nothing}")
            if each.playable and not known.tells_playable:
                raise ConfigError(
                    f"shape '{each}': moves name no empty cells of the board, or lead to all of them at all times; "
                    "leave playable out"
                )
            if each.each_side and not shares_sides(machine, shape.symmetries and not shape.species):
                raise ConfigError(
                    f"shape '{each}': each side to move has weights of its own anyway; leave 'each side' out"
                )
        return _layout(known, shape, shape.shapes)
    return _choose(known, shape, shape.shapes)[1]


def chosen_shapes(machine: Machine, shape: ValueShape) -> tuple[TupleShape, ...]:
    """Return the shapes of a network, those that a choice stands for in a game: see `layout_for`."""
    if isinstance(shape.shapes, tuple):
        return shape.shapes
    return _choose(_KnownTuples(machine), shape, shape.shapes)[0]


def _choose(known: _KnownTuples, shape: ValueShape, choice: ShapeChoice) -> tuple[_Shapes, ValueLayout]:
    """Return the first shapes of a choice that fit the game and have few enough weights, and their layout."""
    tried: set[_Shapes] = {()}
    for wanted in _to_try(known, choice):
        shapes = tuple(each for each in wanted if known.has(each))
        if shapes in tried:
            continue
        tried.add(shapes)
        try:
            layout = _layout(known, shape, shapes)
        except ConfigError:  # more weights than a file may have
            continue
        has_walks = any(isinstance(each, Walks) for each in shapes)
        if layout.n_weights <= (_MOST_WEIGHTS_WITH_WALKS if has_walks else _MOST_WEIGHTS[choice]):
            return shapes, layout
    return (), _layout(known, shape, ())


def tells_playable(machine: Machine) -> bool:
    """Whether moves name empty cells of a board, but not all of them at all times (`… playable`)."""
    return geometry_of(machine).n_points > 0 and playable_sample(machine, find_turns(machine)).telling


@lru_cache(maxsize=16)
def shares_sides(machine: Machine, symmetries: bool = True) -> bool:
    """Whether both sides to move share the weights of tuples that do not ask for their own (`… each side`).

    They do where a symmetry exchanges the players of a game of turns, if weights are shared over symmetries.
    """
    return layout_for(machine, ValueShape((), symmetries=symmetries)).exchange is not None


def playable_weights(layout: ValueLayout) -> int:
    """Return how many weights a layout would have if the contents of all its cells told who may move there."""
    kinds = playable_sample(layout.machine, layout.turns).kinds
    tuples = [(len(kinds[part.turn]), own) for part in layout.parts for own in part.tuples]
    sizes = (math.prod(len(each) + 1 + (more if each else 0) for each in own.fluents) for more, own in tuples)
    return layout.n_weights + sum(sizes) - sum(own.size for _, own in tuples)


class _Tuples(NamedTuple):
    """The tuples of a shape."""

    cells: list[Points]
    groups: list[FactGroups]
    costs: list[tuple[int, ...]]


class _KnownTuples:
    """The tuples of shapes in a game, those of each shape found once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.blank = blank_of(machine)
        geometry = geometry_of(machine)
        is_blank = (geometry.fluent_point != NOWHERE) & (geometry.fluent_piece == self.blank)
        self._blanks = np.flatnonzero(is_blank).tolist() if self.blank != EMPTY else []
        self._found: dict[TupleShape, _Tuples] = {}

    def of(self, shape: TupleShape) -> _Tuples:
        """Return the tuples of a shape, which are all of one kind."""
        if shape not in self._found:
            machine = self.machine
            self._found[shape] = _Tuples(
                shape.tuples(machine), shape.groups(machine, self._blanks), shape.costs(machine)
            )
        return self._found[shape]

    @property
    def tells_playable(self) -> bool:
        """Whether some empty cells are playable and others are not."""
        return tells_playable(self.machine)

    def has(self, shape: TupleShape) -> bool:
        """Whether the game has a tuple of this shape."""
        return any(self.of(shape))


def _to_try(known: _KnownTuples, choice: ShapeChoice) -> Iterator[_Shapes]:
    """Yield the shapes of a choice, the most first."""
    has_goals, has_room = known.has(Goals()), known.has(_BLOCK)
    if choice == "large" and has_room:
        walks = ((_BLOCK, Goals(), Walks(70, 8)),) if has_goals else ()
        blocks = (*walks, (_BLOCK, Goals()), (_BLOCK,))
        if reach_of_moves(known.machine) >= _LEAST_REACH:
            yield from ((*shapes, *_LONG_LINES) for shapes in blocks)
        yield from blocks
    elif choice == "large":
        lines = tuple((*_LINES, Goals(), Rules(longest)) for longest in (4, 3))
        if geometry_of(known.machine).dimensions == 2:
            yield from ((*shapes, Walks(40, 6)) for shapes in lines)
        yield from lines
    if has_goals:
        yield Goals(shared=True), Blocks((2, 3), shared=True)
        yield (Goals(shared=True),)
    elif has_room:
        yield *_LINES, Blocks((2, 3), shared=True)
    else:
        yield Lines(2, shared=True), Lines(3, shared=True)
    yield from _SIMPLE_SHAPES


def _layout(known: _KnownTuples, shape: ValueShape, shapes: _Shapes) -> ValueLayout:
    machine = known.machine
    symmetries = find_symmetries(machine) if shape.symmetries else ()
    return ValueLayout(
        machine=machine,
        symmetries=[each for each in symmetries if each.keeps_roles or not shape.species],
        tuples=list(_all_tuples(known, shapes)),
        constant_sum=has_constant_sum(machine) and not (shape.species and movers_before(machine) is None),
        blank=known.blank,
        stages=range(1, geometry_of(machine).n_points + 1) if shape.levels else shape.stages,
        groups=[groups for each in shapes for groups in known.of(each).groups],
        costs=[roles for each in shapes for roles in known.of(each).costs],
    )


def _all_tuples(known: _KnownTuples, shapes: Sequence[TupleShape]) -> Iterator[CellTuple]:
    """Find the tuples of cells of shapes; those of the rules only where no other one of their kind has their cells."""
    for each_side, playable, shared in itertools.product((False, True), repeat=3):
        kind = (shared, playable, each_side)
        alike = [each for each in shapes if (each.shared, each.playable, each.each_side) == kind]
        by_rules = [each for each in alike if isinstance(each, Rules)]
        others = [each for each in alike if not isinstance(each, Rules)]
        found = {frozenset(points): points for each in others for points in known.of(each).cells}
        for each in by_rules:
            more = {frozenset(points): points for points in known.of(each).cells}
            found |= {cells: points for cells, points in more.items() if not any(cells <= other for other in found)}
        for points in found.values():
            yield CellTuple(points, *kind)
