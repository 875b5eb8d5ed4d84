"""The cells of a board: what is on them, and which of them moves name.

A group of fluents may be read so that some arguments name a cell and the others say what is there. What changes when
moves are made shows which of their arguments name the cell that a piece comes from and the cell that it goes to.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.discovery.result import DiscoveredMove
from gdl_miner.agent.reasoner.discovery.static_relations import ValueOrder
from gdl_miner.agent.reasoner.discovery.terms import TermGroup, words_of
from gdl_miner.agent.reasoner.sample import Transitions

NOTHING = -1
_MOST_BARE = 0.2  # share of cells that change without a content before or after, in a game that fills empty cells


@dataclass(frozen=True, eq=False)
class CellContents:
    """Cells and their contents in the states of a sample."""

    group: TermGroup
    coordinates: tuple[int, ...]
    orders: tuple[ValueOrder, ...]  # of each coordinate
    cells: NDArray[np.int32]  # [cell, coordinate] places of its values in the orders
    number_of_cell: NDArray[np.int32]  # [value of each coordinate, …] cell, -1 if no fluent names it
    contents: tuple[tuple[str, ...], ...]  # values of the other arguments
    before: NDArray[np.int64]  # [transition, cell] content, NOTHING if none
    after: NDArray[np.int64]  # [transition, cell]
    exclusive: bool  # whether a cell had one content at most
    exclusive_before_end: bool  # whether that is so in all states but last ones of matches, where two walkers may meet
    placed: bool  # whether a content was on one cell at most

    @cached_property
    def changed(self) -> NDArray[np.bool_]:
        """[transition, cell] whether the content changed."""
        return np.asarray(self.before != self.after)

    @cached_property
    def blank(self) -> int:
        """The content of empty cells, the most common one before and after changes; NOTHING if those have none."""
        shown = np.concatenate([self.before[self.changed], self.after[self.changed]])
        if not len(shown) or (shown == NOTHING).mean() > _MOST_BARE:
            return NOTHING
        shown = shown[shown != NOTHING]
        contents, counts = np.unique(shown, return_counts=True)
        return int(contents[counts.argmax()])

    @cached_property
    def filled(self) -> bool:
        """Whether every cell has one content in the initial state."""
        return bool(((self.before[0] >= 0) & (self.before[0] < len(self.contents))).all())

    @property
    def used_orders(self) -> tuple[ValueOrder, ...]:
        """The orders without first and last values that no state uses.

        Rules can name cells that a board does not have, such as the one above the highest. The cells between the values
        that are used must all be used, so that cells which matches seldom reach stay on the board.
        """
        used = ((self.before != NOTHING) | (self.after != NOTHING)).any(axis=0)
        if not used.any():
            return self.orders
        low, high = self.cells[used].min(axis=0), self.cells[used].max(axis=0)
        within = ((self.cells >= low) & (self.cells <= high)).all(axis=1)
        if not used[within].all():
            return self.orders
        spans = zip(self.orders, low.tolist(), high.tolist(), strict=True)
        return tuple(order.between(first, last) for order, first, last in spans)

    @property
    def rest(self) -> tuple[int, ...]:
        """Positions of the other arguments."""
        return tuple(place for place in range(self.group.arity) if place not in self.coordinates)


def read_cells(
    group: TermGroup, coordinates: Sequence[int], orders: Sequence[ValueOrder], sample: Transitions
) -> CellContents:
    """Read the cells and contents of fluents; contents of a cell with several have one number for all together."""
    index = [{value: number for number, value in enumerate(order.values)} for order in orders]
    places = [tuple(own[words[at]] for own, at in zip(index, coordinates, strict=True)) for words in group.arguments]
    cells = sorted(set(places))
    number = {place: cell for cell, place in enumerate(cells)}
    cell_of = np.array([number[place] for place in places], np.int64)
    rest = [place for place in range(group.arity) if place not in coordinates]
    texts = [tuple(words[at] for at in rest) for words in group.arguments]
    contents = sorted(set(texts))
    code = {text: content for content, text in enumerate(contents)}
    content_of = np.array([code[text] for text in texts], np.int64)
    table = np.full([len(order.values) for order in orders], -1, np.int32)
    for place, cell in number.items():
        table[place] = cell
    fluents = np.array(group.numbers)
    readings, singles, placed = [], [], True
    for states in (sample.before, sample.after):
        step, which = np.nonzero(states[:, fluents])
        cell_keys = step * len(cells) + cell_of[which]
        content_keys = step * len(contents) + content_of[which]
        placed &= len(np.unique(content_keys)) == len(content_keys)
        count = np.bincount(cell_keys, minlength=len(sample) * len(cells))
        single = count[cell_keys] == 1
        singles.append(bool(single.all()))
        reading = np.where(count > 0, 0, NOTHING)
        several = (content_of[which] + 1) * 1_000_003 + content_of[which] ** 2 + len(contents)
        np.add.at(reading, cell_keys, np.where(single, content_of[which], several))
        readings.append(reading.reshape(len(sample), len(cells)))
    return CellContents(
        group=group,
        coordinates=tuple(coordinates),
        orders=tuple(orders),
        cells=np.array(cells, np.int32),
        number_of_cell=table,
        contents=tuple(contents),
        before=readings[0],
        after=readings[1],
        exclusive=all(singles),
        exclusive_before_end=singles[0],
        placed=placed,
    )


_LEAST_CHANGED = 0.6  # share of the moves whose named cell changes
_LEAST_MOVED = 0.5  # share of the moves that carry the piece of the source to the target
_LEAST_PIECE = 0.8  # share of the moves whose argument is the piece on the target
_LEAST_LINE = 0.95  # share of the moves that change a cell of the row or column they name
_ENOUGH_ALIKE = 20  # moves after which arguments that were always the same count as the same
_MOST_CHOICES = 5000  # of positions


@dataclass(frozen=True, eq=False)
class MadeMoves:
    """The moves of one name and number of arguments that were made in a sample."""

    functor: str
    arity: int
    steps: NDArray[np.int64]  # [made] transition
    arguments: tuple[tuple[str, ...], ...]  # [made]


def made_moves(names: Sequence[str], sample: Transitions) -> list[MadeMoves]:
    """Return the moves of a sample by name and number of arguments, without those of no arguments."""
    split: dict[int, list[str]] = {}
    by_form: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for step, joint in enumerate(sample.rows.tolist()):
        for row in joint:
            if row not in split:
                split[row] = words_of(names[row])
            name, *arguments = split[row]
            if arguments:
                by_form[name, len(arguments)].append((step, tuple(arguments)))
    return [
        MadeMoves(
            name, arity, np.array([step for step, _ in made], np.int64), tuple(arguments for _, arguments in made)
        )
        for (name, arity), made in sorted(by_form.items())
    ]


@dataclass(frozen=True, eq=False)
class _Named:
    """The cells that some argument positions of moves name."""

    positions: tuple[int, ...]
    cell: NDArray[np.int64]  # [made] -1: none
    share: float  # of the named cells that change
    weight: float  # share of all moves that name a cell which changes


def move_cells(cells: CellContents, made: MadeMoves) -> DiscoveredMove | None:
    """Return the source and the target of moves of one form, None if they do not change the cells they name."""
    named = _named_cells(cells, made)
    pair = _source_and_target(cells, made, named)
    if pair is not None:
        return _described(cells, made, pair[0].positions, pair[1])
    if named:
        alone = _only_best([(_weight_of_target(cells, made, cell), (cell,)) for cell in named])
        return None if alone is None else _described(cells, made, (), alone[0])
    line = _line_target(cells, made)
    return None if line is None else DiscoveredMove(made.functor, made.arity, (), line, None)


def _values(cells: CellContents, made: MadeMoves) -> list[list[NDArray[np.int64]]]:
    """Return [coordinate][position][made] the place of the argument among the values of the coordinate, -1: none."""
    columns = list(zip(*made.arguments, strict=True))
    places = []
    for order in cells.orders:
        index = {value: number for number, value in enumerate(order.values)}
        places.append([np.array([index.get(value, -1) for value in column], np.int64) for column in columns])
    return places


def _choices(values: list[list[NDArray[np.int64]]]) -> Iterator[tuple[int, ...]]:
    fitting = [[place for place, own in enumerate(of) if (own >= 0).any()] for of in values]
    choices = (positions for positions in itertools.product(*fitting) if len(set(positions)) == len(positions))
    return itertools.islice(choices, _MOST_CHOICES)


def _named_cells(cells: CellContents, made: MadeMoves) -> list[_Named]:
    values, changed = _values(cells, made), cells.changed
    all_named = []
    for positions in _choices(values):
        chosen = [values[coordinate][place] for coordinate, place in enumerate(positions)]
        whole = np.logical_and.reduce([own >= 0 for own in chosen])
        cell = np.where(whole, cells.number_of_cell[tuple(np.maximum(own, 0) for own in chosen)], -1)
        there = cell >= 0
        if there.sum() < min(3, len(cell)):
            continue
        hits = changed[made.steps[there], cell[there]]
        share = float(hits.mean())
        if share >= _LEAST_CHANGED:
            all_named.append(_Named(positions, cell, share, float(hits.sum() / len(cell))))
    return all_named


def _source_and_target(cells: CellContents, made: MadeMoves, named: list[_Named]) -> tuple[_Named, ...] | None:
    """Return the cells between which a piece moves."""
    pairs: list[tuple[float, tuple[_Named, ...]]] = []
    blank = cells.blank
    for source, target in itertools.permutations(named, 2):
        if set(source.positions) & set(target.positions):
            continue
        both = (source.cell >= 0) & (target.cell >= 0) & (source.cell != target.cell)
        if not both.any():
            continue
        steps, start, end = made.steps[both], source.cell[both], target.cell[both]
        piece = cells.before[steps, start]
        arrived = (
            (piece != NOTHING)
            & (piece != blank)
            & (cells.after[steps, end] == piece)
            & (cells.after[steps, start] != piece)
        )
        arrived &= cells.before[steps, end] != piece
        share = float(arrived.mean())
        weight = float(arrived.sum() / len(both))
        if share >= _LEAST_MOVED:
            pairs.append((weight, (source, target)))
    return _only_best(pairs)


def _weight_of_target(cells: CellContents, made: MadeMoves, named: _Named) -> float:
    """Return how well cells fit as the only target; of cells that always change, those left empty fit worse."""
    there = named.cell >= 0
    after = cells.after[made.steps[there], named.cell[there]]
    most_common = np.unique(after, return_counts=True)[1].max() / len(after)
    return named.weight * named.share - 0.001 * float(most_common)


def _only_best(weighted: Sequence[tuple[float, tuple[_Named, ...]]]) -> tuple[_Named, ...] | None:
    """Return the cells of the largest weight, None if there are none, or if too few moves were seen to tell them apart.

    Arguments that are always the same, such as the columns of a piece that moves straight, name the same cells: the
    first of them count.
    """
    most = max((weight for weight, _ in weighted), default=0.0)
    best = sorted(
        (named for weight, named in weighted if weight == most), key=lambda cells: [n.positions for n in cells]
    )
    if not best:
        return None
    same = all(
        np.array_equal(one.cell, other.cell) for named in best for one, other in zip(named, best[0], strict=True)
    )
    enough = len(best[0][0].cell) >= _ENOUGH_ALIKE
    return best[0] if len(best) == 1 or (enough and (same or len(best[0]) == 1)) else None


def _described(cells: CellContents, made: MadeMoves, source: tuple[int, ...], target: _Named) -> DiscoveredMove:
    there = target.cell >= 0
    steps = made.steps[there]
    after = cells.after[steps, target.cell[there]]
    piece = None
    if cells.exclusive and len(cells.rest) == 1:
        arguments = [words for words, named in zip(made.arguments, there, strict=True) if named]
        known = {(), *cells.contents}
        shares = []
        for place in range(made.arity):
            if place in source or place in target.positions:
                continue
            equal = [
                content != NOTHING and words[place] == cells.contents[content][0]
                for words, content in zip(arguments, after.tolist(), strict=True)
            ]
            fits = all((words[place],) in known for words in arguments)
            shares.append((sum(equal) / len(equal) if fits else 0.0, -place))
        if shares and max(shares)[0] >= _LEAST_PIECE:
            piece = -max(shares)[1]
    return DiscoveredMove(made.functor, made.arity, source, target.positions, piece)


def _line_target(cells: CellContents, made: MadeMoves) -> tuple[int | None, ...] | None:
    """Return the coordinates of the changed cell that the moves name, such as the column of connect four."""
    values, changed = _values(cells, made), cells.changed
    target: list[int | None] = []
    for coordinate, order in enumerate(cells.orders):
        touched = np.zeros((len(changed), len(order.values)), np.bool_)
        step, cell = np.nonzero(changed)
        touched[step, cells.cells[cell, coordinate]] = True
        best: tuple[float, int] | None = None
        few = touched[made.steps].sum(axis=1).mean() <= max(1.0, len(order.values) / 2)
        for place, own in enumerate(values[coordinate]):
            there = own >= 0
            if few and len(order.values) > 2 and there.mean() >= _LEAST_LINE and len(set(own.tolist())) > 2:
                share = float(touched[made.steps[there], own[there]].mean())
                if share >= _LEAST_LINE and (best is None or share > best[0]) and place not in target:
                    best = share, place
        target.append(None if best is None else best[1])
    return tuple(target) if any(place is not None for place in target) else None
