"""Values by name, as knowledge files hold them (docs/formats.md, `<Values>`), and their way to a network and back."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.geometry import EMPTY, Geometry, Points, geometry_of
from gdl_miner.agent.geometry.symmetry import symmetries_named
from gdl_miner.agent.values.fact_groups import FactGroups
from gdl_miner.agent.values.layout import PartLayout, ValueLayout, value_function
from gdl_miner.agent.values.tuples import CellTuple, TupleLayout, sum_over_contents

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

LARGEST_WEIGHT = 1000  # of a value, without its sign


@dataclass(frozen=True, eq=False)
class ContentsTable(Mapping[tuple[str, ...], float]):
    """A mapping from contents of cells to weights; contents of the weight 0 are left out.

    Raises:
        ValueError: the numbers of weights and of contents differ, or a weight is out of range.
    """

    choices: tuple[tuple[str, ...], ...]  # [cell] what may be there
    weights: NDArray[np.float64]  # [contents], the choice of the first cell counts fastest

    def __post_init__(self) -> None:
        if self.weights.shape != (math.prod(map(len, self.choices)),):
            raise ValueError(f"{self.weights.size} weights for contents of {len(self.choices)} cells")
        wrong = np.flatnonzero(~(np.abs(self.weights) <= LARGEST_WEIGHT))
        if len(wrong):
            raise ValueError(
                f"the weight {self.weights[wrong[0]]:g} of a value is not a number from -{LARGEST_WEIGHT} to "
                f"{LARGEST_WEIGHT}"
            )

    def __getitem__(self, contents: tuple[str, ...]) -> float:
        return self._named[contents]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._named)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.weights))

    @cached_property
    def _named(self) -> dict[tuple[str, ...], float]:
        places = np.flatnonzero(self.weights)
        digits = np.unravel_index(places, [len(each) for each in reversed(self.choices)])[::-1]
        columns = [[own[digit] for digit in found.tolist()] for own, found in zip(self.choices, digits, strict=True)]
        return dict(zip(zip(*columns, strict=True), self.weights[places].tolist(), strict=True))


@dataclass(frozen=True)
class TupleWeights:
    """Weights of the contents of some cells, of some groups of facts of which at most one holds, or of some costs.

    Contents that are not named have the weight 0. Those of costs are numbers: `3` means three moves, MOST_COST so many
    or more.
    """

    cells: tuple[tuple[int, ...], ...]
    weights: Mapping[tuple[str, ...], float]  # pieces or facts, NOTHING for none; a ContentsTable if there are many
    place: str = field(default="", compare=False)  # file:line from which the tuple was read
    groups: tuple[tuple[str, ...], ...] = ()  # facts of each group; then there are no cells
    costs: tuple[str, ...] = ()  # roles whose costs it looks at; then there are no cells and no groups
    anywhere: bool = False  # whether the same arrangement of cells has the same weights all over the board
    playable: bool = False  # whether an empty cell to which a role may move is another content
    each_side: bool = False  # whether each side to move has weights of its own

    def __post_init__(self) -> None:
        kinds = [("cells", self.cells), ("groups of facts", self.groups), ("costs", self.costs)]
        given = [(len(each), name) for name, each in kinds if each]
        if len(given) != 1:
            raise ValueError("a tuple needs either cells or groups of facts or costs")
        [(size, places)] = given
        if self.anywhere and not self.cells:
            raise ValueError(f"a tuple of {places} has no place on the board, and so cannot be anywhere")
        if self.playable and not self.cells:
            raise ValueError(f"a tuple of {places} has no cells to which roles may move")
        if self.each_side and not self.cells:
            raise ValueError(f"a tuple of {places} is the same for each side")
        if isinstance(self.weights, ContentsTable):
            if len(self.weights.choices) != size:
                raise ValueError(f"choices of {len(self.weights.choices)} for {size} {places}")
            return
        for contents, weight in self.weights.items():
            if len(contents) != size:
                raise ValueError(f"{len(contents)} contents for {size} {places}: {' '.join(contents)}")
            _check(weight)


@dataclass(frozen=True)
class ValuePart:
    """The weights that count in the states of one turn and stage, for one role.

    A weight is in units of log-odds: the value of a state is the logistic function of the sum of its weights.
    """

    turn: int  # whose turn it is: the place in the cycle of turns, 0 where there are no turns
    stage: int  # the stage of the match, from 0
    role: int  # role to which the state is worth it
    facts: Mapping[str, float]  # weight of each fact; by symmetry, its images have the same
    tuples: tuple[TupleWeights, ...]
    place: str = field(default="", compare=False)  # file:line from which the part was read

    def __post_init__(self) -> None:
        for weight in self.facts.values():
            _check(weight)


@dataclass(frozen=True)
class Values:
    """Weights that tell the value of a state to each role."""

    symmetries: tuple[str, ...]  # names of the symmetries over which weights are shared, the identity left out
    constant_sum: bool  # whether the value to the second of two roles is one minus the value to the first
    blank: str  # piece that counts as nothing, empty if there is none
    stages: tuple[int, ...]  # numbers of pieces from which the next stage begins, ascending
    parts: tuple[ValuePart, ...]
    place: str = field(default="", compare=False)  # file:line from which the values were read

    @property
    def n_weights(self) -> int:
        """Number of weights that are given."""
        return sum(len(part.facts) + sum(len(each.weights) for each in part.tuples) for part in self.parts)


def values_of(layout: ValueLayout, weights: NDArray[np.float32], digits: int = 3) -> Values:
    """Return the weights of a layout by name, rounded to so many decimal places; those that are 0 then are left out."""
    rounded = np.asarray(np.round(weights.astype(np.float64), digits), np.float64)
    named = [(part, _named(layout, part, rounded)) for part in layout.parts if part.facts or part.tuples]
    return Values(
        symmetries=tuple(each.name for each in layout.symmetries if not each.is_identity),
        constant_sum=layout.constant_sum,
        blank=layout.geometry.pieces[layout.blank - 1] if layout.blank != EMPTY else "",
        stages=tuple(layout.stages),
        # Without the tuples that are left out, a side whose facts are those of the other one has no part.
        parts=tuple(each for part, each in named if part.facts or each.tuples),
    )


def _named(layout: ValueLayout, part: PartLayout, weights: NDArray[np.float64]) -> ValuePart:
    facts = {layout.machine.fluents[fluent]: float(weights[place]) for fluent, place in part.facts.items()}
    tuples = (_named_tuple(layout, weights, own) for own in part.tuples)
    return ValuePart(
        turn=part.turn,
        stage=part.stage,
        role=part.role,
        facts={fact: weight for fact, weight in facts.items() if weight},
        tuples=tuple(each for each in tuples if each.weights),
    )


def _named_tuple(layout: ValueLayout, weights: NDArray[np.float64], own: TupleLayout) -> TupleWeights:
    choices = layout.choices(own)
    table = ContentsTable(choices, weights[own.first : own.first + own.size])
    if roles := layout.roles_of(own):
        return TupleWeights((), table, costs=tuple(layout.machine.roles[role] for role in roles))
    if not own.points:
        return TupleWeights((), table, groups=tuple(each[1:] for each in choices))
    cells = tuple(tuple(layout.geometry.points[point].tolist()) for point in own.points)
    return TupleWeights(cells, table, anywhere=own.anywhere, playable=own.playable, each_side=own.each_side)


def layout_of(values: Values, machine: Machine) -> ValueLayout:
    """Return the layout in which all weights of some values have a place.

    Raises:
        KnowledgeError: the values name symmetries, pieces or cells that the game does not have.
    """
    geometry, where = geometry_of(machine), values.place or "values"
    if values.blank and values.blank not in geometry.piece_code:
        raise KnowledgeError(f"{where}: {values.blank} is to count as nothing; the game has no such piece")
    if values.constant_sum and len(machine.circuit.choosing_roles) != 2:
        raise KnowledgeError(f"{where}: goals of a constant sum are those of two roles that choose; remove constantSum")
    if list(values.stages) != sorted(set(values.stages)):
        raise KnowledgeError(f"{where}: the stages {' '.join(map(str, values.stages))} do not ascend; sort them")
    symmetries = symmetries_named(machine, values.symmetries)
    missing = set(values.symmetries) - {each.name for each in symmetries}
    if missing:
        name = next(name for name in values.symmetries if name in missing)
        raise KnowledgeError(f"{where}: the symmetry '{name}' renames to facts that the game does not have; remove it")
    patterns = [pattern for part in values.parts for pattern in part.tuples]
    cells = dict.fromkeys(_cell_tuple(pattern, geometry) for pattern in patterns if pattern.cells)
    try:
        return ValueLayout(
            machine=machine,
            symmetries=symmetries,
            tuples=list(cells),
            constant_sum=values.constant_sum,
            blank=geometry.piece_code.get(values.blank, EMPTY),
            stages=values.stages,
            groups=list(dict.fromkeys(_groups(pattern, geometry) for pattern in patterns if pattern.groups)),
            costs=list(dict.fromkeys(_roles(pattern, machine) for pattern in patterns if pattern.costs)),
        )
    except ConfigError as problem:
        raise KnowledgeError(f"{where}: {problem}") from None


def _cell_tuple(pattern: TupleWeights, geometry: Geometry) -> CellTuple:
    return CellTuple(_points(pattern, geometry), pattern.anywhere, pattern.playable, pattern.each_side)


def _points(pattern: TupleWeights, geometry: Geometry) -> Points:
    """Return the points of a tuple of cells. Raises KnowledgeError where one is not on the board."""
    for cell in pattern.cells:
        if cell not in geometry.point_index:
            missing = " ".join(map(str, cell))
            raise KnowledgeError(f"{pattern.place or 'values'}: the board has no cell ({missing}); mend the tuple")
    return tuple(geometry.point_index[cell] for cell in pattern.cells)


def _groups(pattern: TupleWeights, geometry: Geometry) -> FactGroups:
    """Return the fluents of a tuple of groups of facts. Raises KnowledgeError where they make no sense."""
    facts = [fact for group in pattern.groups for fact in group]
    where = pattern.place or "values"
    missing = [fact for fact in facts if fact not in geometry.fluent_index]
    if missing:
        raise KnowledgeError(f"{where}: the game has no fact {missing[0]} that changes; mend the tuple")
    twice = [fact for number, fact in enumerate(facts) if fact in facts[:number]]
    if twice:
        raise KnowledgeError(f"{where}: the fact {twice[0]} is in the tuple twice; name it once")
    return tuple(tuple(geometry.fluent_index[fact] for fact in group) for group in pattern.groups)


def _roles(pattern: TupleWeights, machine: Machine) -> tuple[int, ...]:
    """Return the roles of a tuple of costs. Raises KnowledgeError where it names one twice, or another one."""
    where = pattern.place or "values"
    for number, role in enumerate(pattern.costs):
        if role not in machine.roles:
            raise KnowledgeError(f"{where}: the game has no role {role}, which is to have costs; mend the tuple")
        if role in pattern.costs[:number]:
            raise KnowledgeError(f"{where}: the costs of {role} are in the tuple twice; name them once")
    return tuple(map(machine.roles.index, pattern.costs))


def weights_of(values: Values, layout: ValueLayout) -> NDArray[np.float32]:
    """Return the weights of some values as an array in the order of a layout.

    Raises:
        KnowledgeError: the values name facts, pieces or tuples that the layout has no place for.
    """
    weights = np.zeros(layout.n_weights, np.float32)
    laid = {(part.turn, part.stage, part.role): part for part in layout.parts if part.facts or part.tuples}
    tuples = {key: {own.identity: own for own in part.tuples} for key, part in laid.items()}
    for part in values.parts:
        key, where = (part.turn, part.stage, part.role), part.place or "values"
        if key not in laid:
            raise KnowledgeError(
                f"{where}: the layout has no turn {part.turn}, stage {part.stage} of this role; remove it"
            )
        for fact, weight in part.facts.items():
            place = laid[key].facts.get(layout.geometry.fluent_index.get(fact, -1))
            if place is None:
                raise KnowledgeError(f"{where}: the fact {fact} has no weight of its own here; remove it")
            weights[place] = weight
        for pattern in part.tuples:
            where = pattern.place or part.place or "values"
            own = tuples[key].pop(identity_of(pattern, layout), None)
            if own is None:
                raise KnowledgeError(f"{where}: the tuple or its image is named before; remove one of them")
            if isinstance(pattern.weights, ContentsTable):
                weights[_places_of_table(layout, own, pattern.weights, where)] = pattern.weights.weights
            else:
                weights[places_of(layout, own, pattern.weights, where)] = list(pattern.weights.values())
    return weights


def identity_of(pattern: TupleWeights, layout: ValueLayout) -> Hashable:
    """Return the key by which a layout of the same game finds a tuple."""
    if pattern.groups:
        return _groups(pattern, layout.geometry), False, False, False
    if pattern.costs:
        return layout.facts_of_costs(_roles(pattern, layout.machine)), False, False, False
    return tuple(_cell_tuple(pattern, layout.geometry))


def places_of(
    layout: ValueLayout, own: TupleLayout, contents: Iterable[Sequence[str]], where: str = "values"
) -> list[int]:
    """Return the places of the weights of contents. Raises KnowledgeError for what cannot stand at a cell."""
    terms = _terms(layout, own)
    return [
        own.first + sum(_term(term, name, where) for term, name in zip(terms, named, strict=True)) for named in contents
    ]


def _terms(layout: ValueLayout, own: TupleLayout) -> list[dict[str, int]]:
    """Return for each cell what its contents add to the place of a weight."""
    return [
        {name: step * digit for digit, name in reversed(list(enumerate(names)))}
        for step, names in zip(own.steps, layout.choices(own), strict=True)
    ]


def _places_of_table(layout: ValueLayout, own: TupleLayout, table: ContentsTable, where: str) -> NDArray[np.int32]:
    terms = zip(_terms(layout, own), table.choices, strict=True)
    moved = [np.array([_term(term, name, where) for name in names], np.int32) for term, names in terms]
    return own.first + sum_over_contents(moved)


def _term(terms: dict[str, int], name: str, where: str) -> int:
    if name not in terms:
        raise KnowledgeError(f"{where}: no {name} can stand there; give {', '.join(reversed(terms))}")
    return terms[name]


def compile_values(values: Values, machine: Machine) -> _native.ValueFunction:
    """Return the native function of values.

    Raises:
        KnowledgeError: the values do not fit the game.
    """
    layout = layout_of(values, machine)
    return value_function(layout, weights_of(values, layout))


def _check(weight: float) -> None:
    if not math.isfinite(weight) or abs(weight) > LARGEST_WEIGHT:
        raise ValueError(f"the weight {weight} of a value is not a number from -{LARGEST_WEIGHT} to {LARGEST_WEIGHT}")
