"""Values between their two forms: named weights in a knowledge file, and a network with an array of weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.geometry import EMPTY, Geometry, Symmetry, geometry_of
from gdl_miner.agent.geometry.symmetry import symmetries_named
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.contents_table import ContentsTable
from gdl_miner.agent.values.fact_groups import FactGroups
from gdl_miner.agent.values.layout import ValueLayout
from gdl_miner.agent.values.named_values import TuplePattern, ValuePart, Values
from gdl_miner.agent.values.tuple_weights import TupleIdentity, TupleWeights, ViewKey, sum_over_contents

__all__ = [
    "WEIGHT_UNIT",
    "compile_values",
    "identity_of",
    "layout_of",
    "places_of",
    "value_function",
    "values_of",
    "weights_of",
]

WEIGHT_UNIT = 1 / 65536  # searches count in whole units

Weights = NDArray[np.float32]


def values_of(layout: ValueLayout, weights: Weights, digits: int = 3) -> Values:
    """Return the weights of a layout by name, rounded to so many decimal places; those that are 0 then are left out."""
    rounded = np.asarray(np.round(weights.astype(np.float64), digits), np.float64)
    keys = sorted({*(each.key for each in layout.fact_weights), *(each.key for each in layout.tuple_weights)})
    return Values(
        symmetries=tuple(each.name for each in layout.symmetries if not each.is_identity),
        constant_sum=layout.constant_sum,
        blank=layout.geometry.pieces[layout.blank - 1] if layout.blank != EMPTY else "",
        stages=tuple(layout.stages),
        parts=tuple(_part(layout, rounded, key) for key in keys),
    )


def _part(layout: ValueLayout, weights: NDArray[np.float64], key: ViewKey) -> ValuePart:
    names = layout.machine.fluents
    facts = {each.fluent: float(weights[each.place]) for each in layout.fact_weights if each.key == key}
    patterns = (_pattern(layout, weights, each) for each in layout.tuple_weights if each.key == key)
    return ValuePart(
        turn=key.turn,
        stage=key.stage,
        role=key.role,
        facts={names[fluent]: weight for fluent, weight in facts.items() if weight},
        tuples=tuple(each for each in patterns if each.weights),
    )


def _pattern(layout: ValueLayout, weights: NDArray[np.float64], own: TupleWeights) -> TuplePattern:
    choices = layout.choices(own)
    table = ContentsTable(choices, weights[own.first : own.first + own.size])
    if not own.points:
        return TuplePattern((), table, groups=tuple(each[1:] for each in choices))
    cells = tuple(tuple(layout.geometry.points[point].tolist()) for point in own.points)
    return TuplePattern(cells, table, anywhere=own.anywhere)


def layout_of(values: Values, machine: Machine) -> ValueLayout:
    """Return the layout in which all weights of some values have a place.

    Raises:
        KnowledgeError: the values name symmetries, pieces or cells that the game does not have.
    """
    geometry, where = geometry_of(machine), values.place or "values"
    if values.blank and values.blank not in geometry.piece_code:
        raise KnowledgeError(f"{where}: {values.blank} is to count as nothing; the game has no such piece")
    if values.constant_sum and len(machine.roles) != 2:
        raise KnowledgeError(f"{where}: goals of a constant sum are those of two roles; remove constantSum")
    if list(values.stages) != sorted(set(values.stages)):
        raise KnowledgeError(f"{where}: the stages {' '.join(map(str, values.stages))} do not ascend; sort them")
    named = [pattern for part in values.parts for pattern in part.tuples]
    patterns = [pattern for pattern in named if pattern.cells]
    points = [[geometry.point_index.get(cell) for cell in pattern.cells] for pattern in patterns]
    for pattern, found in zip(patterns, points, strict=True):
        if None in found:
            missing = " ".join(map(str, pattern.cells[found.index(None)]))
            raise KnowledgeError(f"{pattern.place or 'values'}: the board has no cell ({missing}); mend the tuple")
    known = [
        (tuple(each for each in found if each is not None), pattern.anywhere)
        for found, pattern in zip(points, patterns, strict=True)
    ]
    try:
        return ValueLayout(
            machine=machine,
            symmetries=_symmetries(values, machine),
            tuples=list(dict.fromkeys(cells for cells, anywhere in known if not anywhere)),
            anywhere=list(dict.fromkeys(cells for cells, anywhere in known if anywhere)),
            constant_sum=values.constant_sum,
            blank=geometry.piece_code.get(values.blank, EMPTY),
            stages=values.stages,
            groups=list(dict.fromkeys(_groups(pattern, geometry) for pattern in named if pattern.groups)),
        )
    except ConfigError as problem:
        raise KnowledgeError(f"{where}: {problem}") from None


def _groups(pattern: TuplePattern, geometry: Geometry) -> FactGroups:
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


def _symmetries(values: Values, machine: Machine) -> list[Symmetry]:
    found = symmetries_named(machine, values.symmetries)
    missing = [name for name in values.symmetries if name not in {each.name for each in found}]
    if missing:
        raise KnowledgeError(
            f"{values.place or 'values'}: the symmetry '{missing[0]}' renames to facts that the game does not have; "
            "remove it"
        )
    return found


def weights_of(values: Values, layout: ValueLayout) -> Weights:
    """Return the weights of some values as an array in the order of a layout.

    Raises:
        KnowledgeError: the values name facts, pieces or tuples that the layout has no place for.
    """
    weights = np.zeros(layout.n_weights, np.float32)
    facts = {(each.key, layout.machine.fluents[each.fluent]): each.place for each in layout.fact_weights}
    tuples = {(each.key, each.identity): each for each in layout.tuple_weights}
    keys = {each.key for each in layout.fact_weights} | {each.key for each in layout.tuple_weights}
    for part in values.parts:
        key, where = ViewKey(part.turn, part.stage, part.role), part.place or "values"
        if key not in keys:
            raise KnowledgeError(
                f"{where}: the layout has no turn {key.turn}, stage {key.stage} of this role; remove it"
            )
        for fact, weight in part.facts.items():
            if (key, fact) not in facts:
                raise KnowledgeError(f"{where}: the fact {fact} has no weight of its own here; remove it")
            weights[facts[key, fact]] = weight
        for pattern in part.tuples:
            own = tuples.pop((key, identity_of(pattern, layout)), None)
            if own is None:
                raise KnowledgeError(
                    f"{pattern.place or where}: the tuple or its image is named before; remove one of them"
                )
            if isinstance(pattern.weights, ContentsTable):
                weights[_places_of_table(layout, own, pattern.weights, pattern.place or where)] = (
                    pattern.weights.weights
                )
            else:
                places = places_of(layout, own, pattern.weights, pattern.place or where)
                weights[places] = list(pattern.weights.values())
    return weights


def identity_of(pattern: TuplePattern, layout: ValueLayout) -> TupleIdentity:
    """Return the key by which a layout of the same game finds a tuple."""
    if pattern.groups:
        return _groups(pattern, layout.geometry), False
    return tuple(layout.geometry.point_index[cell] for cell in pattern.cells), pattern.anywhere


def places_of(
    layout: ValueLayout, own: TupleWeights, contents: Iterable[Sequence[str]], where: str = "values"
) -> list[int]:
    """Return the places of the weights of contents. Raises KnowledgeError for what cannot stand at a cell."""
    terms = _terms(layout, own)
    return [
        own.first + sum(_term(term, name, where) for term, name in zip(terms, named, strict=True)) for named in contents
    ]


def _terms(layout: ValueLayout, own: TupleWeights) -> list[dict[str, int]]:
    """Return for each cell what its contents add to the place of a weight."""
    return [
        {name: step * digit for digit, name in reversed(list(enumerate(names)))}
        for step, names in zip(own.steps, layout.choices(own), strict=True)
    ]


def _places_of_table(layout: ValueLayout, own: TupleWeights, table: ContentsTable, where: str) -> NDArray[np.int32]:
    terms = zip(_terms(layout, own), table.choices, strict=True)
    moved = [np.array([_term(term, name, where) for name in names], np.int32) for term, names in terms]
    return own.first + sum_over_contents(moved)


def _term(terms: dict[str, int], name: str, where: str) -> int:
    if name not in terms:
        raise KnowledgeError(f"{where}: no {name} can stand there; give {', '.join(reversed(terms))}")
    return terms[name]


def value_function(layout: ValueLayout, weights: Weights) -> _native.ValueFunction:
    """Return the native function of a layout with weights in units of log-odds."""
    whole = np.round(weights.astype(np.float64) / WEIGHT_UNIT).astype(np.int32)
    return _native.ValueFunction(layout.machine.native, layout.network, whole)


def compile_values(values: Values, machine: Machine) -> _native.ValueFunction:
    """Return the native function of values.

    Raises:
        KnowledgeError: the values do not fit the game.
    """
    layout = layout_of(values, machine)
    return value_function(layout, weights_of(values, layout))
