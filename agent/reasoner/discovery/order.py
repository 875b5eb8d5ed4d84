"""The order of the values of an argument: along a chain or a cycle of a static relation, or of integers."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gdl_miner.agent.reasoner.clauses import Predicate
from gdl_miner.agent.reasoner.discovery.static_relations import StaticRelations

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
                found = _walk(pairs, wanted)
                if found is None:
                    continue
                order, cyclic = found
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
    wanted, found = set(values), []
    for predicate, tuples in relations.tuples.items():
        for one, other in itertools.combinations(range(predicate[1]), 2):
            pairs = {(each[one], each[other]) for each in tuples if each[one] in wanted and each[other] in wanted}
            pairs = {pair for pair in pairs if pair[0] != pair[1]}
            touched = {value for pair in pairs for value in pair}
            if len(touched) >= 0.8 * len(wanted) and len(pairs) < 0.7 * len(wanted) * (len(wanted) - 1):
                found.append(predicate)
                break
    return sorted(found)


def _steps(values: Sequence[str]) -> Iterator[frozenset[str]]:
    return (frozenset(pair) for pair in zip(values, (*values[1:], values[0]), strict=True))


def _binary(predicate: Predicate, tuples: Sequence[tuple[str, ...]], wanted: set[str]) -> Iterator[Pairs]:
    """Find the binary relations within a relation: two arguments, with all values of the others fixed."""
    columns = [set(column) for column in zip(*tuples, strict=True)]
    for one, other in itertools.combinations(range(predicate[1]), 2):
        if not wanted <= columns[one] | columns[other]:
            continue
        by_rest: dict[tuple[str, ...], Pairs] = defaultdict(set)
        for each in tuples:
            rest = tuple(value for place, value in enumerate(each) if place not in (one, other))
            by_rest[rest].add((each[one], each[other]))
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
