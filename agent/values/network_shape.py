"""The value network of a game, from the rules and a few words on its shape."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, RuleError
from gdl_miner.agent.geometry import EMPTY, NOWHERE, find_symmetries, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.board_use import blank_of, changing_points, reach_of_moves
from gdl_miner.agent.values.fact_groups import FactGroups, tuples_of_facts
from gdl_miner.agent.values.goal_tuples import goal_tuples
from gdl_miner.agent.values.layout import ValueLayout, find_turns
from gdl_miner.agent.values.rule_tuples import rule_tuples
from gdl_miner.agent.values.shapes import Points, TupleShape, read_shape, tuples_of_shape

__all__ = ["ShapeChoice", "ValueShape", "layout_for", "movers_before"]

ShapeChoice: TypeAlias = Literal["auto", "large"]  # shapes of tuples that depend on the game: see layout_for

_RANDOM_MATCHES = 200
_LINES = ("line 2", "line 3")
_SIMPLE_SHAPES = (  # to try where others do not fit the game or have too many weights
    (*_LINES, "goals"),
    ("line 2", "goals"),
    _LINES,
    ("line 2",),
    ("facts 2",),
)
_BLOCK = "block 2x3"
_BLOCK_ANYWHERE = "block 2x3 anywhere"
_GOALS_ANYWHERE = "goals anywhere"
_LINES_ANYWHERE = ("line 2 anywhere", "line 3 anywhere")
_WALKS = "walks 70x8"
_WALKS_FOR_BLOCKS = "walks 40x6"
_RULES = ("rules 4", "rules 3")
_LONG_LINES = ("line 4", "line 5", "line 6")
_LEAST_REACH = 3  # of moves from which long lines are taken
_MOST_WEIGHTS: dict[ShapeChoice, int] = {"auto": 30_000, "large": 200_000}
_MOST_WEIGHTS_WITH_WALKS = 600_000


@dataclass(frozen=True)
class ValueShape:
    """The facts and tuples that a value network looks at."""

    shapes: tuple[str, ...] | ShapeChoice = ()  # of tuples, such as `line 3`, `block 2x2` and `facts 2`
    stages: tuple[int, ...] = ()  # numbers of pieces from which the next stage begins
    symmetries: bool = True  # whether weights are shared over the symmetries of the board
    levels: bool = False  # whether every number of pieces is a stage of its own
    species: bool = False  # whether every weight belongs to the afterstates of one role alone


@lru_cache(maxsize=4)
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

    Raises ConfigError for a shape that is none, or does not fit the board.
    """
    if isinstance(shape.shapes, tuple):
        return _layout(machine, shape, shape.shapes)
    for shapes in _fitting_shapes(machine, shape.shapes):
        try:
            layout = _layout(machine, shape, shapes)
        except ConfigError:  # more weights than a file may have
            continue
        if layout.n_weights <= (_MOST_WEIGHTS_WITH_WALKS if _has_walks(shapes) else _MOST_WEIGHTS[shape.shapes]):
            return layout
    return _layout(machine, shape, ())


def _fitting_shapes(machine: Machine, choice: ShapeChoice) -> Iterator[tuple[str, ...]]:
    """Yield the shapes to try, without those that do not fit the game."""
    fits: dict[str, bool] = {}
    tried: set[tuple[str, ...]] = {()}
    for shapes in _shapes_to_try(machine, choice):
        fits |= {each: _fits(machine, each) for each in shapes if each not in fits}
        fitting = tuple(each for each in shapes if fits[each])
        if fitting not in tried:
            tried.add(fitting)
            yield fitting


def _fits(machine: Machine, shape: str) -> bool:
    try:
        return bool(_tuples(machine, shape) or _groups(machine, shape, ()))
    except ConfigError:
        return False


def _shapes_to_try(machine: Machine, choice: ShapeChoice) -> tuple[tuple[str, ...], ...]:
    has_goals, has_room = _fits(machine, "goals"), _fits(machine, _BLOCK)
    if has_goals:
        usual: tuple[tuple[str, ...], ...] = ((_GOALS_ANYWHERE, _BLOCK_ANYWHERE), (_GOALS_ANYWHERE,), *_SIMPLE_SHAPES)
    else:
        usual = ((*_LINES, _BLOCK_ANYWHERE) if has_room else _LINES_ANYWHERE, *_SIMPLE_SHAPES)
    if choice == "auto":
        return usual
    if has_room:
        walks = ((_BLOCK, "goals", _WALKS),) if has_goals else ()
        blocks = (*walks, (_BLOCK, "goals"), (_BLOCK,))
        long = tuple((*shapes, *_LONG_LINES) for shapes in blocks) if reach_of_moves(machine) >= _LEAST_REACH else ()
        return (*long, *blocks, *usual)
    lines = tuple((*_LINES, "goals", each) for each in _RULES)
    flat = geometry_of(machine).dimensions == 2
    with_walks = tuple((*shapes, _WALKS_FOR_BLOCKS) for shapes in lines) if flat else ()
    return (*with_walks, *lines, *usual)


def _has_walks(shapes: tuple[str, ...]) -> bool:
    return any(_read(each).kind == "walks" for each in shapes)


def _layout(machine: Machine, shape: ValueShape, shapes: tuple[str, ...]) -> ValueLayout:
    geometry = geometry_of(machine)
    symmetries = find_symmetries(machine) if shape.symmetries else ()
    blank = blank_of(machine)
    is_blank = (geometry.fluent_point != NOWHERE) & (geometry.fluent_piece == blank)
    blanks = np.flatnonzero(is_blank).tolist() if blank != EMPTY else []
    return ValueLayout(
        machine=machine,
        symmetries=[each for each in symmetries if each.keeps_roles or not shape.species],
        tuples=_all_tuples(machine, [each for each in shapes if not _read(each).anywhere]),
        anywhere=_all_tuples(machine, [each for each in shapes if _read(each).anywhere]),
        constant_sum=_has_constant_sum(machine) and not (shape.species and movers_before(machine) is None),
        blank=blank,
        stages=range(1, geometry.n_points + 1) if shape.levels else shape.stages,
        groups=[groups for each in shapes for groups in _groups(machine, each, blanks)],
    )


def movers_before(machine: Machine) -> tuple[int, int] | None:
    """Return, for each turn of a game of two roles that move in turn, the role that moved before.

    None for other games, and where the initial state does not show who moves.
    """
    turns = find_turns(machine)
    if len(turns) != 1 or len(machine.roles) != 2:
        return None
    initial = machine.initial()
    choosing = [role for role, rows in enumerate(machine.legal(initial)) if len(rows) > 1]
    if len(choosing) != 1:
        return None
    [mover] = choosing
    is_first = bool(initial[turns[0] // 64] >> np.uint64(turns[0] % 64) & np.uint64(1))
    return (1 - mover, mover) if is_first else (mover, 1 - mover)


def _read(shape: str) -> TupleShape:
    try:
        return read_shape(shape)
    except ValueError as problem:
        raise ConfigError(str(problem)) from None


def _all_tuples(machine: Machine, shapes: Collection[str]) -> list[Points]:
    """Return the tuples of cells of all shapes; those of the rules only where they are not part of another tuple."""
    by_rules = [each for each in shapes if _read(each).kind == "rules"]
    found = {frozenset(points): points for each in shapes if each not in by_rules for points in _tuples(machine, each)}
    for shape in by_rules:
        more = {frozenset(points): points for points in _tuples(machine, shape)}
        found |= {cells: points for cells, points in more.items() if not any(cells <= other for other in found)}
    return list(found.values())


@lru_cache(maxsize=1)
def _goal_tuples(machine: Machine) -> list[Points]:
    return goal_tuples(machine.circuit, geometry_of(machine))


def _tuples(machine: Machine, shape: str) -> list[Points]:
    kind, sides, _ = _read(shape)
    geometry = geometry_of(machine)
    match kind:
        case "goals":
            found = _goal_tuples(machine)
        case "rules":
            found = rule_tuples(machine.circuit, geometry, *sides)
        case _:
            found = tuples_of_shape(geometry, shape, changing_points(machine))
    if not found and kind == "goals":
        raise ConfigError(f"shape '{shape}': the goals name no 2 to 6 cells of a board together; leave the shape out")
    if not found and kind == "rules":
        raise ConfigError(
            f"shape '{shape}': no part of the rules depends on 2 to {sides[0]} cells of a board and on no others; "
            "leave the shape out"
        )
    if not found and kind != "facts":
        raise ConfigError(f"shape '{shape}': no such cells are on the board of the game; leave the shape out")
    return found


def _groups(machine: Machine, shape: str, without: Collection[int]) -> list[FactGroups]:
    kind, sides, _ = _read(shape)
    if kind != "facts":
        return []
    found = tuples_of_facts(machine, sides[0], without)
    if not found:
        raise ConfigError(
            f"shape '{shape}': the game has too few groups of facts that exclude each other and change, or too large "
            "ones; leave the shape out, or take fewer facts"
        )
    return found


def _has_constant_sum(machine: Machine) -> bool:
    """Whether the goals of the two roles add up to 100 in many random matches."""
    if len(machine.roles) != 2:
        return False
    batch, dice = _native.StateBatch(machine.native), np.random.default_rng(0)
    states = np.repeat(machine.initial()[None, :], _RANDOM_MATCHES, axis=0)
    while len(states):
        over = batch.terminal(states).astype(np.bool_)
        if (batch.goals(states[over]).sum(axis=1) != 100).any():
            return False
        states = states[~over]
        states = batch.next(states, _random_moves(machine, batch.legal(states), len(states), dice))
    return True


def _random_moves(
    machine: Machine, legal: tuple[NDArray[np.int64], NDArray[np.int32]], n_states: int, dice: np.random.Generator
) -> NDArray[np.int32]:
    """Return [state, role] rows drawn among the legal ones, which are given as [state + 1] offsets into rows."""
    start, rows = legal
    state = np.repeat(np.arange(n_states), np.diff(start))
    joint = np.empty((n_states, len(machine.roles)), np.int32)
    for role, name in enumerate(machine.roles):
        of_role = machine.rows(role)
        own = (rows >= of_role.start) & (rows < of_role.stop)
        numbers = np.bincount(state[own], minlength=n_states)
        if not numbers.all():
            raise RuleError(
                f"{machine.sheet.source}: {name} has no legal move in a state that is not terminal; mend the rules"
            )
        joint[:, role] = rows[own][np.cumsum(numbers) - numbers + dice.integers(numbers)]
    return joint
