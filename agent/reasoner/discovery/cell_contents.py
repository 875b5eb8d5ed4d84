"""One reading of a group of fluents: some arguments name a cell, the others say what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.discovery.order import ValueOrder
from gdl_miner.agent.reasoner.discovery.sample import Transitions
from gdl_miner.agent.reasoner.discovery.terms import TermGroup

__all__ = ["CellContents", "read_cells"]

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
    places = [tuple(own[each[at]] for own, at in zip(index, coordinates, strict=True)) for each in group.arguments]
    cells = sorted(set(places))
    number = {place: cell for cell, place in enumerate(cells)}
    cell_of = np.array([number[place] for place in places], np.int64)
    rest = [place for place in range(group.arity) if place not in coordinates]
    texts = [tuple(each[at] for at in rest) for each in group.arguments]
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
