"""Places of named cells on a plane lattice, so that every direction of the rules is one step of the lattice."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from gdl_miner.agent.reasoner.discovery.static_relations import StaticRelations
from gdl_miner.agent.reasoner.discovery.steps import Step

__all__ = ["place_cells"]

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
        found = _embedded(directions, {first: (1, 0), second: (0, 1)})
        if found is None:
            continue
        places, steps = found
        if len(places) >= _FEWEST_PLACED * len(cells):
            lowest = [min(place[axis] for place in places.values()) for axis in range(2)]
            moved: dict[str, Step] = {
                cell: (x - lowest[0] + 1, y - lowest[1] + 1) for cell, (x, y) in sorted(places.items())
            }
            return moved, tuple(sorted({*steps, *((-x, -y) for x, y in steps)}))
    return {}, ()


def _directions(cells: set[str], relations: StaticRelations) -> list[_Pairs]:
    """Return the directions, those with most cells first; a direction that others contain is left out."""
    found: set[_Pairs] = set()
    for predicate, tuples in sorted(relations.tuples.items()):
        for one, other in itertools.combinations(range(predicate[1]), 2):
            found.update(_functions(tuples, one, other, cells))
    largest = [each for each in found if not any(each < other for other in found)]
    return sorted(largest, key=lambda pairs: (-len(pairs), sorted(pairs)))


def _functions(tuples: Collection[tuple[str, ...]], one: int, other: int, cells: set[str]) -> Iterator[_Pairs]:
    by_rest: dict[tuple[str, ...], set[tuple[str, str]]] = defaultdict(set)
    for each in tuples:
        if each[one] in cells and each[other] in cells and each[one] != each[other]:
            by_rest[tuple(value for place, value in enumerate(each) if place not in (one, other))].add(
                (each[one], each[other])
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
