"""Finds the boards of a game in its rules: by what its fluents and moves mean, not by their names.

A group of fluents is a board if some of its arguments name cells and the others say what is on them. An argument is a
coordinate because a static relation steps along its values, or because they are integers; because a cell has one
content at most in the states of random matches; and because moves change the cells that they name.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.discovery.cells import CellContents, MadeMoves, made_moves, move_cells, read_cells
from gdl_miner.agent.reasoner.discovery.neighbours import place_cells, steps_between_cells
from gdl_miner.agent.reasoner.discovery.result import BoardKind, DiscoveredMove, Discovery, FoundBoard
from gdl_miner.agent.reasoner.discovery.static_relations import (
    StaticRelations,
    ValueOrder,
    is_integer,
    neighbour_relations,
    order_of_values,
    static_relations,
)
from gdl_miner.agent.reasoner.discovery.terms import TermGroup, group_terms, merged_terms
from gdl_miner.agent.reasoner.sample import SampleMachine, Transitions, sample_transitions

_FEWEST_CELLS = 4
_FEWEST_NAMED = 5  # cells of a graph
_MOST_COORDINATES = 4
_MOST_ARGUMENTS = 6  # of fluents that are looked at
_MOST_GROUPS = 8  # of fluents, the largest ones
_MOST_CONTENTS = 2**25  # of cells in all transitions


@dataclass(frozen=True, eq=False)
class _Candidate:
    cells: CellContents
    kind: BoardKind
    moves: tuple[DiscoveredMove, ...]
    score: tuple[float, ...]


def discover_boards(sheet: RuleSheet, circuit: Circuit, machine: SampleMachine) -> Discovery:
    """Return the boards of a game. The same game always has the same boards."""
    groups = group_terms(enumerate(circuit.fluents))[:_MOST_GROUPS]
    groups = [group for group in groups if len(group.numbers) >= _FEWEST_CELLS and group.arity <= _MOST_ARGUMENTS]
    if not groups:
        return Discovery(())
    relations = static_relations(sheet)
    sample = sample_transitions(circuit, machine)
    if not len(sample):
        return Discovery(())
    made = made_moves(circuit.moves, sample)
    groups = _with_those_in_place_of_each_other(groups, sample)
    best = [
        max(candidates, key=lambda candidate: candidate.score)
        for group in groups
        if (candidates := _with_needed_coordinates(list(_candidates(group, relations, sample, made))))
    ]
    best = [candidate for candidate in best if not _only_marks_what_stacks(candidate, groups)]
    best.sort(key=lambda candidate: candidate.score, reverse=True)
    never = group_terms(enumerate(circuit.never))
    boards = (
        replace(
            _with_neighbours(candidate, sheet, relations),
            closed=candidate.cells.group in groups,
            cells=len(candidate.cells.cells) + _holes(candidate.cells, never),
        )
        for candidate in _together(best)
    )
    return Discovery(tuple(boards))


def _holes(cells: CellContents, never: Sequence[TermGroup]) -> int:
    """Return at how many places within a board, which are none of its cells, the rules name what never comes about."""
    same = (group for group in never if (group.name, group.arity) == cells.group.predicate)
    values = [order.values for order in cells.orders]
    named = {
        tuple(words[place] for place in cells.coordinates)
        for group in same
        for words in group.within(cells.coordinates, values).arguments
    }
    own = {tuple(words[place] for place in cells.coordinates) for words in cells.group.arguments}
    return len(named - own)


def _with_those_in_place_of_each_other(groups: Sequence[TermGroup], sample: Transitions) -> list[TermGroup]:
    """Put relations together of which exactly one holds for each of their arguments, such as blank, cross and nought.

    Together they say what is on cells, and each of them alone only marks some.
    """
    alike: dict[tuple[int, frozenset[tuple[str, ...]]], list[TermGroup]] = defaultdict(list)
    for group in groups:
        alike[group.arity, frozenset(group.arguments)].append(group)
    together: list[TermGroup] = []
    for same_arguments in alike.values():
        together += (
            [merged_terms(same_arguments)]
            if len(same_arguments) > 1 and _exactly_one_holds(same_arguments, sample)
            else same_arguments
        )
    return together


def _exactly_one_holds(groups: Sequence[TermGroup], sample: Transitions) -> bool:
    """Whether one of the groups holds for each of their arguments in every state of the sample, and no other."""
    numbers = np.array(
        [[number for _, number in sorted(zip(group.arguments, group.numbers, strict=True))] for group in groups]
    )
    return all(bool((states[:, numbers].sum(axis=1) == 1).all()) for states in (sample.before, sample.after))


def _only_marks_what_stacks(candidate: _Candidate, groups: Sequence[TermGroup]) -> bool:
    """Whether cells have no contents, and another relation puts some of them on others, as discs and pillars."""
    if candidate.cells.rest or len(candidate.cells.orders) > 1:
        return False
    names = set(candidate.cells.orders[0].values)
    return any(sum(names.issuperset(group.values(place)) for place in range(group.arity)) > 1 for group in groups)


def _together(best: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """Find the main board and the others with contents whose cells moves name, too."""
    for number, candidate in enumerate(best):
        cells = candidate.cells
        alike = candidate.kind == best[0].kind and cells.rest and candidate.score[:2] >= best[0].score[:2]
        alike = alike and len(cells.contents) < len(cells.cells)
        if number == 0 or (alike and candidate.moves):
            yield candidate


def _candidates(
    group: TermGroup, relations: StaticRelations, sample: Transitions, made: Sequence[MadeMoves]
) -> Iterator[_Candidate]:
    numbers = np.array(group.numbers)
    if not (sample.before[:, numbers] != sample.after[:, numbers]).any():
        return
    orders = [_order(group, place, relations) for place in range(group.arity)]
    for size in range(min(group.arity, _MOST_COORDINATES), 0, -1):
        for coordinates in itertools.combinations(range(group.arity), size):
            chosen = [orders[place] for place in coordinates]
            candidate = _candidate(group, coordinates, chosen, relations, sample, made)
            if candidate is not None:
                yield candidate


def _with_needed_coordinates(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Leave out readings with a coordinate that tells no cells apart; it is content, such as a number on a field."""
    cells = {candidate.cells.coordinates: len(candidate.cells.cells) for candidate in candidates}

    def needs_all(candidate: _Candidate) -> bool:
        fewer = itertools.combinations(candidate.cells.coordinates, len(candidate.cells.coordinates) - 1)
        return all(cells.get(coordinates) != len(candidate.cells.cells) for coordinates in fewer)

    return [candidate for candidate in candidates if needs_all(candidate)]


def _order(group: TermGroup, place: int, relations: StaticRelations) -> ValueOrder:
    linked = relations.linked.get(("fluent", *group.predicate, place), frozenset())
    return order_of_values(group.values(place), relations, linked)


def _candidate(
    group: TermGroup,
    coordinates: tuple[int, ...],
    orders: Sequence[ValueOrder],
    relations: StaticRelations,
    sample: Transitions,
    made: Sequence[MadeMoves],
) -> _Candidate | None:
    n_cells = len({tuple(words[place] for place in coordinates) for words in group.arguments})
    if n_cells < _FEWEST_CELLS or n_cells * len(sample) > _MOST_CONTENTS:
        return None
    if any(len(order.values) < 2 for order in orders):
        return None
    evidence = min(order.evidence for order in orders)
    cells = read_cells(group, coordinates, orders, sample)
    if evidence and (used := cells.used_orders) != cells.orders:
        part = group.within(coordinates, [order.values for order in used])
        return _candidate(part, coordinates, used, relations, sample, made)
    moves = tuple(move for form in made if (move := move_cells(cells, form)) is not None)
    named = max((2 if None not in move.target else 1 for move in moves), default=0)
    whole = n_cells == int(np.prod([len(order.values) for order in orders]))
    entities = cells.placed or (evidence == 3 and len(cells.contents) <= n_cells)
    lamps = whole and named == 2 and evidence > 0 and bool(cells.rest)  # rules may give a cell two contents at a time
    crowded = entities or lamps or cells.exclusive_before_end
    if not cells.exclusive and not (crowded and len(coordinates) > 1) and not _many_on_names(cells, relations):
        return None
    if len(coordinates) == 1:
        kind = _kind_of_one(cells, relations, named)
    elif (named < 2 and not cells.rest) or (evidence == 0 and not (whole and named == 2 and cells.rest)):
        kind = "none"
    else:
        kind = "torus" if any(order.cyclic for order in orders) else "grid"
    if kind == "none":
        return None
    score = (
        float(cells.exclusive),
        float(named + 2 * (len(coordinates) > 1) * (evidence > 0)),
        float(cells.placed and not cells.exclusive),
        float(cells.filled),
        float(cells.exclusive_before_end),
        float(bool(cells.rest)),
        float(len(coordinates)),
        float(evidence),
        float(n_cells),
        float(-len(cells.contents)),
    )
    return _Candidate(cells, kind, moves, score)


def _many_on_names(cells: CellContents, relations: StaticRelations) -> bool:
    """Whether named cells that have neighbours may hold several contents, each of which every cell may hold."""
    order, n_pairs = cells.orders[0], len(cells.cells) * len(cells.contents)
    return (
        len(cells.orders) == 1
        and order.evidence == 0
        and len(cells.group.numbers) == n_pairs
        and len(cells.contents) < len(cells.cells)
        and bool(cells.rest and neighbour_relations(order.values, relations))
    )


def _kind_of_one(cells: CellContents, relations: StaticRelations, named: int) -> BoardKind:
    """Return the kind of a board whose cells have one coordinate.

    Moves change the cells that they name. Rules step along a line. The cells of a graph have neighbours, or contents
    that are no numbers, as those of heaps are, and no other cells. A walker may go around them without naming them.
    """
    [order] = cells.orders
    if order.cyclic and order.evidence == 3 and cells.placed and not (cells.rest or all(map(is_integer, order.values))):
        return "graph"
    contents = {text for content in cells.contents for text in content}
    if named < 2 or contents & set(order.values):
        return "none"
    if order.evidence == 3 and cells.rest:
        return "line"
    if len(order.values) < _FEWEST_NAMED:
        return "none"
    numbers = all(map(is_integer, contents))
    return "graph" if neighbour_relations(order.values, relations) or (cells.rest and not numbers) else "none"


def _with_neighbours(candidate: _Candidate, sheet: RuleSheet, relations: StaticRelations) -> FoundBoard:
    """Return the board of a candidate with the steps between its cells, and with places of cells that have names."""
    board, group, orders = _board_of(candidate), candidate.cells.group, candidate.cells.orders
    if board.kind == "graph":
        places, neighbours = place_cells(orders[0].values, relations)
        return replace(board, places=places, neighbours=neighbours)
    if board.kind == "line":
        return board
    coordinates = [("fluent", *group.predicate, place) for place in board.coordinates]
    return replace(board, neighbours=steps_between_cells(sheet, relations, coordinates, orders))


def _board_of(candidate: _Candidate) -> FoundBoard:
    cells = candidate.cells
    texts = [content[0] if len(content) == 1 else f"({' '.join(content)})" for content in cells.contents if content]
    relation, arity = cells.group.predicate
    return FoundBoard(
        kind=candidate.kind,
        relation=relation,
        relations=cells.group.relations or (relation,),
        arity=arity,
        coordinates=cells.coordinates,
        names=tuple(order.values for order in cells.orders),
        ordered=tuple(order.evidence > 0 for order in cells.orders),
        cyclic=tuple(order.cyclic for order in cells.orders),
        cells=len(cells.cells),
        content=tuple(place for place in cells.rest if place < arity),
        pieces=tuple(sorted(texts)) or (cells.group.name,),
        exclusive=cells.exclusive_before_end,
        moves=candidate.moves,
    )
