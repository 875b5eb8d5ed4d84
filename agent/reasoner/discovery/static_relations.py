"""Relations that no move changes, such as `(succ 1 2)`, and what they say of arguments.

The rules join such relations with argument positions of fluents and moves. The values of an argument have an order
along a chain or a cycle of a static relation, or of integers.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.formula import Formula, atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable, format_term, ground
from gdl_miner.agent.reasoner.clauses import Predicate, RuleProgram, ground_text
from gdl_miner.agent.reasoner.tabling import Facts, Prover

Place = tuple[str, str, int, int]
"""An argument position: what it is of (`fluent`, `move` or `relation`), name, arity and number of the argument."""

_RESERVED = {"role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", *EXTENSION}
_MOST_ARGUMENTS = 4  # of a relation that is looked at
_MOST_TUPLES = 50_000  # of a relation
_MOST_DERIVED_ARGUMENTS = 3  # of a relation that rules define
_MOST_TICKS = 8  # of the prover, for a relation that rules define


@dataclass(frozen=True)
class StaticRelations:
    """Extensions of static relations, and their links to argument positions of fluents and moves."""

    tuples: Mapping[Predicate, tuple[tuple[str, ...], ...]]
    """All instances of each relation of two arguments or more, as texts."""
    linked: Mapping[Place, frozenset[Predicate]]
    """Relations with an argument that some rule gives the value of an argument position of fluents or moves."""
    alike: Mapping[Place, Place]
    """For each argument position of fluents, moves and changing relations one of those that rules give its values."""
    static: frozenset[Predicate]
    """All static relations."""
    rules: tuple[Rule, ...]
    """The rules of static relations."""


class _WorkSpentError(Exception):
    """The prover took too many steps."""


def static_relations(sheet: RuleSheet) -> StaticRelations:
    """Find the static relations of a sheet; relations that take too long to derive are left out."""
    static = _static_predicates(sheet)
    linked, alike = _links(sheet, static)
    rules = tuple(rule for rule in sheet.rules if rule.predicate in static)
    tuples = _extensions(sheet, static, set().union(*linked.values()))
    return StaticRelations(tuples, linked, alike, frozenset(static), rules)


def _static_predicates(sheet: RuleSheet) -> set[Predicate]:
    uses: dict[Predicate, set[Predicate]] = defaultdict(set)
    for rule in sheet.rules:
        uses[rule.predicate] |= {atom.predicate for atom, _ in atoms(rule.body)}
    changing: set[Predicate] = {("true", 1), ("does", 2)}
    grown = True
    while grown:
        fresh = {head for head, used in uses.items() if head not in changing and used & changing}
        changing |= fresh
        grown = bool(fresh)
    return {head for head in uses if head not in changing and head[0] not in _RESERVED}


def _extensions(
    sheet: RuleSheet, static: set[Predicate], linked: set[Predicate]
) -> dict[Predicate, tuple[tuple[str, ...], ...]]:
    """Return the instances of relations; those that rules define are derived only where they are linked and small."""
    wanted = {predicate for predicate in static if 2 <= predicate[1] <= _MOST_ARGUMENTS}
    derived = {rule.predicate for rule in sheet.rules if rule.body or not ground(rule.head)}
    extensions: dict[Predicate, tuple[tuple[str, ...], ...]] = {}
    listed: dict[Predicate, dict[tuple[str, ...], None]] = defaultdict(dict)
    for rule in sheet.rules:
        if rule.predicate in wanted - derived and isinstance(rule.head, Compound):
            listed[rule.predicate].setdefault(tuple(map(format_term, rule.head.args)))
    extensions |= {predicate: tuple(sorted(tuples)) for predicate, tuples in listed.items()}
    rules = [rule for rule in sheet.rules if rule.predicate in static]
    for predicate in sorted(wanted & derived & linked):
        if predicate[1] <= _MOST_DERIVED_ARGUMENTS:
            tuples = derive(rules, predicate)
            if tuples:
                extensions[predicate] = tuples
    return {predicate: tuples for predicate, tuples in extensions.items() if len(tuples) <= _MOST_TUPLES}


def derive(
    rules: Iterable[Rule], predicate: Predicate, most_ticks: int = _MOST_TICKS
) -> tuple[tuple[str, ...], ...] | None:
    """Return the instances of a relation that rules define, None if that takes too many steps or is not defined.

    `most_ticks` bounds the steps, in ticks of the prover.
    """
    clauses, facts = RuleProgram.of(rules)
    left = most_ticks

    def tick() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _WorkSpentError

    prover = Prover(
        clauses,
        {head: Facts(tuples) for head, tuples in facts.items()},
        {head: {} for head in (*clauses, *facts, predicate)},
        tick,
    )
    try:
        answers = prover.answers(predicate, *[None] * predicate[1])
        return tuple(sorted(tuple(map(ground_text, answer)) for answer in answers))
    except (_WorkSpentError, RuleError, KeyError):
        return None


class _Classes:
    """A union-find over argument positions."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}

    def find(self, place: Place) -> Place:
        root = place
        while (parent := self._parent.setdefault(root, root)) != root:
            root = parent
        while self._parent[place] != root:
            self._parent[place], place = root, self._parent[place]
        return root

    def join(self, one: Place, other: Place) -> None:
        self._parent[self.find(one)] = self.find(other)


def _links(sheet: RuleSheet, static: set[Predicate]) -> tuple[dict[Place, frozenset[Predicate]], dict[Place, Place]]:
    """Return the static relations that share a variable with each argument position, or with one joined with it.

    The second result has for each position one of those that it is joined with.

    Positions of fluents, moves and changing relations that share a variable are joined. A static relation that rules
    define links to what its own rules link its argument to.
    """
    classes = _Classes()
    touched: dict[Place, set[Place]] = defaultdict(set)
    for rule in sheet.rules:
        of_variable: dict[str, list[Place]] = defaultdict(list)
        for name, place in _occurrences(rule):
            of_variable[name].append(place)
        head_is_static = rule.predicate in static
        for places in of_variable.values():
            own = [place for place in places if not _is_static(place, static)]
            if head_is_static:
                own = [place for place in places if place[1:3] == rule.predicate and place[0] == "relation"]
            for place in own:
                if not head_is_static:
                    classes.join(own[0], place)
                touched[place] |= {other for other in places if _is_static(other, static)} - {place}
    joined: dict[Place, set[Place]] = defaultdict(set)
    for place, used in touched.items():
        joined[classes.find(place)] |= used
    linked = {
        place: frozenset(_reached(joined[classes.find(place)], touched)) for place in touched if place[0] != "relation"
    }
    return linked, {place: classes.find(place) for place in touched}


def _is_static(place: Place, static: set[Predicate]) -> bool:
    return place[0] == "relation" and (place[1], place[2]) in static


def _reached(first: set[Place], touched: Mapping[Place, set[Place]]) -> set[Predicate]:
    seen, pending = set(first), list(first)
    while pending:
        fresh = touched.get(pending.pop(), set()) - seen
        seen |= fresh
        pending += fresh
    return {(name, arity) for _, name, arity, _ in seen}


def _occurrences(rule: Rule) -> Iterator[tuple[str, Place]]:
    yield from _of_term(rule.head)
    formulas: tuple[Formula, ...] = rule.body
    for atom, _ in atoms(formulas):
        yield from _of_term(atom.term)


def _of_term(term: Symbol | Compound) -> Iterator[tuple[str, Place]]:
    """Find the variables of an atom that are arguments of its relation, fluent or move."""
    kind, inner = term_of_atom(term)
    if isinstance(inner, Compound):
        for number, argument in enumerate(inner.args):
            if isinstance(argument, Variable):
                yield argument.name, (kind, inner.name, len(inner.args), number)


def term_of_atom(term: Symbol | Compound) -> tuple[str, Term]:
    """Return the fluent or the move of an atom, or the relation itself, and which of the three it is."""
    if isinstance(term, Compound) and term.name in ("true", "init", "next") and len(term.args) == 1:
        return "fluent", term.args[0]
    if isinstance(term, Compound) and term.name in ("does", "legal") and len(term.args) == 2:
        return "move", term.args[1]
    return "relation", term


_INTEGER = re.compile(r"-?\d+")

Pairs = set[tuple[str, str]]


@dataclass(frozen=True)
class ValueOrder:
    """Values in order, and the reason for it."""

    values: tuple[str, ...]
    cyclic: bool
    evidence: int
    """3: a relation that the rules join with the argument; 2: another relation; 1: integers; 0: none, by name."""

    def between(self, first: int, last: int) -> ValueOrder:
        """Return the order of the values from one place to another, both included."""
        values = self.values[first : last + 1]
        return ValueOrder(values, self.cyclic and values == self.values, self.evidence)


def is_integer(text: str) -> bool:
    """Whether a text is an integer."""
    return _INTEGER.fullmatch(text) is not None


def order_of_values(
    values: Collection[str], relations: StaticRelations, linked: Collection[Predicate], least: int = 3
) -> ValueOrder:
    """Return the order of values. A chain may have more values, but a cycle has exactly these.

    Relations that the rules join with the argument come first, then the others; a cycle counts before a chain. Without
    any, integers have their own order.
    """
    wanted = set(values)
    best: tuple[tuple[int, bool], ValueOrder] | None = None
    if len(wanted) >= least:
        for predicate, tuples in relations.tuples.items():
            evidence = 3 if predicate in linked else 2
            for pairs in _binary(predicate, tuples, wanted):
                chain = _walk(pairs, wanted)
                if chain is None:
                    continue
                order, cyclic = chain
                if cyclic and evidence < 3:
                    continue
                rank = (evidence, cyclic)
                if best is None or rank > best[0] or (rank == best[0] and order < best[1].values):
                    best = rank, ValueOrder(order, cyclic, evidence)
    integers = all(map(is_integer, wanted))
    if best is not None:
        return _by_number(best[1]) if integers else best[1]
    if integers:
        return ValueOrder(tuple(sorted(wanted, key=int)), cyclic=False, evidence=1)
    return ValueOrder(tuple(sorted(wanted)), cyclic=False, evidence=0)


def _by_number(order: ValueOrder) -> ValueOrder:
    """Return an order of integers that starts with the smallest one, where it goes up or down."""
    ascending = tuple(sorted(order.values, key=int))
    same = set(_steps(order.values)) == set(_steps(ascending)) if order.cyclic else order.values[::-1] == ascending
    return ValueOrder(ascending, order.cyclic, order.evidence) if same else order


def neighbour_relations(values: Collection[str], relations: StaticRelations) -> list[Predicate]:
    """Return the relations with two arguments or more that are values, over most of the values."""
    wanted, relations_of_most = set(values), []
    for predicate, tuples in relations.tuples.items():
        for one, other in itertools.combinations(range(predicate[1]), 2):
            pairs = {(row[one], row[other]) for row in tuples if row[one] in wanted and row[other] in wanted}
            pairs = {pair for pair in pairs if pair[0] != pair[1]}
            touched = {value for pair in pairs for value in pair}
            if len(touched) >= 0.8 * len(wanted) and len(pairs) < 0.7 * len(wanted) * (len(wanted) - 1):
                relations_of_most.append(predicate)
                break
    return sorted(relations_of_most)


def _steps(values: Sequence[str]) -> Iterator[frozenset[str]]:
    return (frozenset(pair) for pair in zip(values, (*values[1:], values[0]), strict=True))


def _binary(predicate: Predicate, tuples: Sequence[tuple[str, ...]], wanted: set[str]) -> Iterator[Pairs]:
    """Find the binary relations within a relation: two arguments, with all values of the others fixed."""
    columns = [set(column) for column in zip(*tuples, strict=True)]
    for one, other in itertools.combinations(range(predicate[1]), 2):
        if not wanted <= columns[one] | columns[other]:
            continue
        by_rest: dict[tuple[str, ...], Pairs] = defaultdict(set)
        for row in tuples:
            rest = tuple(value for place, value in enumerate(row) if place not in (one, other))
            by_rest[rest].add((row[one], row[other]))
        for pairs in (*by_rest.values(), *_common_way(list(by_rest.values()), wanted)):
            if len(pairs) >= len(wanted) - 1 and wanted <= {value for pair in pairs for value in pair}:
                yield pairs


def _common_way(ways: Sequence[Pairs], wanted: set[str]) -> Iterator[Pairs]:
    """Find the way that others follow, each without some values, such as the way of each role, who skips a pit."""
    touched = [{value for pair in way for value in pair} for way in ways]
    if len(ways) < 2 or any(len(own) < 0.8 * len(wanted) for own in touched):
        return
    if any(_walk(way, own) is None for way, own in zip(ways, touched, strict=True)):
        return
    pairs = set().union(*ways)
    following: dict[str, set[str]] = defaultdict(set)
    for one, other in pairs:
        following[one].add(other)
    yield pairs - {(one, last) for one, other in pairs if one != other for last in following[other] if last != other}


def _walk(pairs: Pairs, wanted: set[str]) -> tuple[tuple[str, ...], bool] | None:
    """Return the values in the order of a chain or cycle of neighbours, and whether it is a cycle."""
    within = {pair for pair in pairs if pair[0] in wanted and pair[1] in wanted}
    for chosen in (within, pairs) if within != pairs else (within,):
        neighbours: dict[str, set[str]] = defaultdict(set)
        for one, other in chosen:
            if one != other:
                neighbours[one].add(other)
                neighbours[other].add(one)
        if not wanted <= set(neighbours):
            continue
        start = min(wanted)
        component = _component(start, neighbours)
        if not wanted <= component or any(len(neighbours[value]) > 2 for value in component):
            continue
        ends = sorted(value for value in component if len(neighbours[value]) == 1)
        if ends:
            first = ends[0] if _leads(ends[0], chosen) else ends[-1]
            order = _follow(first, neighbours)
            return tuple(value for value in order if value in wanted), False
        directed = {one for one, _ in chosen}
        if component == wanted and (len(wanted) > 3 or (len(wanted) == 3 and len(chosen) == 3 and len(directed) == 3)):
            return _cycle(start, neighbours, chosen), True
    return None


def _component(start: str, neighbours: dict[str, set[str]]) -> set[str]:
    seen, pending = {start}, [start]
    while pending:
        fresh = neighbours[pending.pop()] - seen
        seen |= fresh
        pending += fresh
    return seen


def _leads(end: str, pairs: Pairs) -> bool:
    """Whether the chain leaves from an end: its pair has the end first, and only so."""
    return any(one == end for one, _ in pairs) and not any(other == end for _, other in pairs if _ != end)


def _follow(first: str, neighbours: dict[str, set[str]]) -> list[str]:
    order, last = [first], ""
    while True:
        onward = [value for value in neighbours[order[-1]] if value != last]
        if not onward:
            return order
        last = order[-1]
        order.append(onward[0])


def _cycle(start: str, neighbours: dict[str, set[str]], pairs: Pairs) -> tuple[str, ...]:
    second = min(neighbours[start], key=lambda value: ((start, value) not in pairs, value))
    order = [start, second]
    while True:
        onward = [value for value in neighbours[order[-1]] if value != order[-2]]
        if not onward or onward[0] == start:
            return tuple(order)
        order.append(onward[0])
