"""The neighbours of cells.

Cells with coordinates: the steps between the pairs of cells that a rule names, where static relations join the two.
Cells with names: their places on a plane lattice, so that every direction of the rules is one step of the lattice.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gdl_miner.agent.gdl.formula import Atom, Formula, atoms, format_formula, formula_variables
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Variable
from gdl_miner.agent.reasoner.discovery.static_relations import StaticRelations, ValueOrder, derive, term_of_atom

Step = tuple[int, ...]
"""A difference of coordinates."""

_MOST_PAIRS = 40  # of cells, with different static relations that join them
_MOST_TICKS = 3  # of the prover, for a pair
_MOST_FREE = 2  # variables of a pair that no static relation binds
_PAIR, _VALUE = "(pair)", "(value)"  # relations that no sheet can name

_Cell = tuple[str, ...]  # the variables that name a cell


def steps_between_cells(
    sheet: RuleSheet,
    relations: StaticRelations,
    coordinates: Sequence[tuple[str, str, int, int]],
    orders: Sequence[ValueOrder],
) -> tuple[Step, ...]:
    """Return the steps from a cell to its neighbours that the rules take, opposite ones included, sorted.

    A rule steps if it names two cells whose coordinates static relations join, and these are neighbours or the same for
    all values of its variables: they differ by 1 at most in every coordinate. The result is empty if no rule steps, or
    if finding all steps would take too long.

    Args:
        sheet: the rules.
        relations: their static relations.
        coordinates: the argument positions of the board relation that name a cell.
        orders: the values of these arguments, in order.
    """
    wanted = [relations.alike.get(place) for place in coordinates]
    pairs: dict[tuple[_Cell, _Cell, frozenset[str]], Rule] = {}  # what they name and what joins them -> a rule
    for rule in sheet.rules:
        cells = [] if rule.predicate in relations.static else _cells_of(rule, wanted, relations)
        joined = frozenset(format_formula(formula) for formula in rule.body if _is_static(formula, relations))
        for one, other in itertools.combinations(cells, 2):
            pairs.setdefault((one, other, joined), rule)
    if len(pairs) > _MOST_PAIRS:
        return ()
    all_steps: set[Step] = set()
    for (one, other, _), rule in pairs.items():
        steps = _steps_of(rule, one, other, relations, orders)
        if steps is None:
            return ()
        if steps and max(abs(x) for step in steps for x in step) == 1:
            all_steps |= steps
    all_steps |= {tuple(-x for x in step) for step in all_steps}
    return tuple(sorted(step for step in all_steps if any(step)))


def _cells_of(
    rule: Rule, wanted: Sequence[tuple[str, str, int, int] | None], relations: StaticRelations
) -> list[_Cell]:
    """Return the cells that the fluents, moves and changing relations of a rule name by variables."""
    cells: dict[_Cell, None] = {}
    for term in (rule.head, *(atom.term for atom, _ in atoms(rule.body))):
        kind, named = term_of_atom(term)
        args = named.args if isinstance(named, Compound) else ()
        if not isinstance(named, Compound) or (kind == "relation" and (named.name, len(args)) in relations.static):
            continue
        at = 0
        while at + len(wanted) <= len(args):
            places = [(kind, named.name, len(args), place) for place in range(at, at + len(wanted))]
            window = args[at : at + len(wanted)]
            names = tuple(argument.name for argument in window if isinstance(argument, Variable))
            fits = len(names) == len(wanted) and all(
                root is not None and relations.alike.get(place) == root
                for place, root in zip(places, wanted, strict=True)
            )
            if fits:
                cells.setdefault(names)
            at += len(wanted) if fits else 1
    return list(cells)


def _steps_of(
    rule: Rule, one: _Cell, other: _Cell, relations: StaticRelations, orders: Sequence[ValueOrder]
) -> set[Step] | None:
    """Return the steps from one cell of a rule to another, None if it takes too long to find them.

    There are none where static relations do not join the coordinates of the cells.
    """
    static = [formula for formula in rule.body if _is_static(formula, relations)]
    joins = [formula for formula in static if isinstance(formula, Atom)]
    if not _joined(joins, one, other):
        return set()
    bound = {variable.name for formula in joins for variable in formula_variables(formula)}
    position = rule.position
    values = [
        Rule(Compound(_VALUE, (Symbol(str(dimension)), Symbol(value))), (), position)
        for dimension, order in enumerate(orders)
        for value in order.values
    ]
    free = {
        name: Atom(Compound(_VALUE, (Symbol(str(dimension)), Variable(name))), position)
        for cell in (one, other)
        for dimension, name in enumerate(cell)
        if name not in bound
    }
    if len(free) > _MOST_FREE:
        return set()
    usable = [formula for formula in static if {v.name for v in formula_variables(formula)} <= bound | free.keys()]
    head = Compound(_PAIR, tuple(map(Variable, (*one, *other))))
    pair = Rule(head, (*usable, *free.values()), position)
    answers = derive((*relations.rules, *values, pair), (_PAIR, len(head.args)), _MOST_TICKS)
    index = [{value: number for number, value in enumerate(order.values)} for order in orders]
    return None if answers is None else set(_differences(answers, index, orders))


def _differences(
    answers: Iterable[tuple[str, ...]], index: Sequence[Mapping[str, int]], orders: Sequence[ValueOrder]
) -> Iterator[Step]:
    for answer in answers:
        start, end = answer[: len(orders)], answer[len(orders) :]
        if all(a in own and b in own for own, a, b in zip(index, start, end, strict=True)):
            differences = [own[b] - own[a] for own, a, b in zip(index, start, end, strict=True)]
            yield tuple(_shortest(step, order) for step, order in zip(differences, orders, strict=True))


def _shortest(difference: int, order: ValueOrder) -> int:
    """Return the shorter way around where the last value is followed by the first."""
    around = len(order.values)
    return (difference + around // 2) % around - around // 2 if order.cyclic else difference


def _is_static(formula: Formula, relations: StaticRelations) -> bool:
    return all(atom.predicate in relations.static for atom, _ in atoms((formula,)))


def _joined(joins: Sequence[Atom], one: _Cell, other: _Cell) -> bool:
    """Whether in every coordinate the variables of two cells are the same, or a chain of static relations joins them.

    Relations of one argument say of which values a variable is, and join nothing.
    """
    groups: list[set[str]] = []
    for formula in joins:
        group = {variable.name for variable in formula_variables(formula)}
        touching = [known for known in groups if known & group]
        groups = [known for known in groups if not known & group] + [group.union(*touching)]
    return all(a == b or any({a, b} <= group for group in groups) for a, b in zip(one, other, strict=True))


_Pairs = frozenset[tuple[str, str]]

_FEWEST_PLACED = 0.8  # share of the cells that must have a place
_MOST_DIRECTIONS = 12


def place_cells(cells: Collection[str], relations: StaticRelations) -> tuple[dict[str, Step], tuple[Step, ...]]:
    """Return the coordinates of named cells, and the steps between neighbours, opposite ones included, sorted.

    A direction is a static relation of two cells, with all other arguments fixed, that leads from a cell to one other
    cell at most and comes from one at most. Two directions are made the axes of a lattice such that every direction is
    the same step everywhere, of at most 1 along each axis, and no two cells have the same place. Cells without
    neighbours get no place. Both results are empty if there are no such axes.
    """
    directions = _directions(set(cells), relations)
    if not 2 <= len(directions) <= _MOST_DIRECTIONS:
        return {}, ()
    for first, second in itertools.combinations(range(len(directions)), 2):
        embedding = _embedded(directions, {first: (1, 0), second: (0, 1)})
        if embedding is None:
            continue
        places, steps = embedding
        if len(places) >= _FEWEST_PLACED * len(cells):
            lowest = [min(place[axis] for place in places.values()) for axis in range(2)]
            moved: dict[str, Step] = {
                cell: (x - lowest[0] + 1, y - lowest[1] + 1) for cell, (x, y) in sorted(places.items())
            }
            return moved, tuple(sorted({*steps, *((-x, -y) for x, y in steps)}))
    return {}, ()


def _directions(cells: set[str], relations: StaticRelations) -> list[_Pairs]:
    """Return the directions, those with most cells first; a direction that others contain is left out."""
    directions: set[_Pairs] = set()
    for predicate, tuples in sorted(relations.tuples.items()):
        for one, other in itertools.combinations(range(predicate[1]), 2):
            directions.update(_functions(tuples, one, other, cells))
    largest = [direction for direction in directions if not any(direction < other for other in directions)]
    return sorted(largest, key=lambda pairs: (-len(pairs), sorted(pairs)))


def _functions(tuples: Collection[tuple[str, ...]], one: int, other: int, cells: set[str]) -> Iterator[_Pairs]:
    by_rest: dict[tuple[str, ...], set[tuple[str, str]]] = defaultdict(set)
    for row in tuples:
        if row[one] in cells and row[other] in cells and row[one] != row[other]:
            by_rest[tuple(value for place, value in enumerate(row) if place not in (one, other))].add(
                (row[one], row[other])
            )
    for pairs in by_rest.values():
        starts, ends = {start for start, _ in pairs}, {end for _, end in pairs}
        if len(pairs) == len(starts) == len(ends) and len(pairs) > 1:
            yield frozenset(pairs)


def _embedded(
    directions: list[_Pairs], axes: Mapping[int, Step]
) -> tuple[dict[str, tuple[int, int]], set[tuple[int, int]]] | None:
    """Return places and steps that follow from two axes, None if they contradict each other or some step is too long.

    Cells and directions are settled one from the other, from the first cell of the first axis on.
    """
    first = min(axes)
    steps = {number: (step[0], step[1]) for number, step in axes.items()}
    places = {min(directions[first])[0]: (0, 0)}
    settled = -1
    while settled != len(places) + len(steps):
        settled = len(places) + len(steps)
        for number, pairs in enumerate(directions):
            for start, end in sorted(pairs):
                if start in places and end in places:
                    between = (places[end][0] - places[start][0], places[end][1] - places[start][1])
                    if steps.setdefault(number, between) != between:
                        return None
                elif number in steps and start in places:
                    places[end] = (places[start][0] + steps[number][0], places[start][1] + steps[number][1])
                elif number in steps and end in places:
                    places[start] = (places[end][0] - steps[number][0], places[end][1] - steps[number][1])
    taken = set(steps.values())
    whole = len(steps) == len(directions) and all(max(map(abs, step)) == 1 for step in taken)
    return (places, taken) if whole and len(set(places.values())) == len(places) else None
