"""Tuples of cells that searches suggest: where a deeper search values positions otherwise than a network does.

Positions are baskets of facts. They are desirable where the search raised the value, and undesirable where it lowered
it. Dual-basket Apriori finds the sets of facts that are frequent in one and not in the other, phi ranks them, and their
cells become tuples. A tuple grows by cells of other sets as long as it foresees more of the difference in positions
from which it was not learned. It is accepted if it foresees any in positions that have decided nothing before.

Source: thesis algorithm 4.3; boosting on residuals: Friedman 2001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import NOWHERE, Points, geometry_of
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.values import ValueLayout
from gdl_miner.miner.mining.apriori import FoundItemsets, Thresholds, dual_basket_apriori
from gdl_miner.miner.mining.statistics import phi_coefficient

_SHARE = 0.25  # of the positions that are desirable, and as many undesirable ones
_SUPPORT = 0.03  # share of the desirable baskets that hold an itemset
_MOST_CANDIDATES = 400_000
_LARGEST_ITEMSET = 3
_MOST_SETS = 60  # that phi ranks first
_LONGEST = 6  # cells of a tuple
_MOST_CONTENTS = 2**16  # of a tuple
_FEWEST_POSITIONS = 32
_SHRINK = 10.0  # positions of no difference that the mean of a content counts beside its own
_TAUGHT, _GROWN, _HELD_OUT = range(3)  # parts of the positions
_LEAST_GAIN = 1e-3  # share of the squared difference in held-out positions


@dataclass(frozen=True, eq=False)
class _Seen:
    """Positions as one turn sees them, with all images under the symmetries that share weights."""

    facts: NDArray[np.bool_]  # [position, fluent]
    contents: NDArray[np.int64]  # [position, point] number of the piece there, 0 for none
    residual: NDArray[np.float64]  # [position] value by search minus value by the network
    part: NDArray[np.int64]  # [position] _TAUGHT, _GROWN or _HELD_OUT
    pieces: int


@dataclass(frozen=True)
class MinedTuples:
    """Tuples of cells, the most useful first."""

    tuples: tuple[Points, ...]
    gain: float  # share of the squared difference in held-out positions that they foresee together


def mine_tuples(
    layout: ValueLayout, states: NDArray[np.uint64], residual: NDArray[np.float64], most: int
) -> MinedTuples:
    """Return at most so many tuples.

    Args:
        layout: the network.
        states: [position, word] packed.
        residual: [position] value of a state to the first role by search, minus that by the network.
        most: number of tuples.
    """
    if len(states) < _FEWEST_POSITIONS:
        return MinedTuples((), 0.0)
    seen = _seen(layout, states, residual)
    known = [frozenset(each.points) for each in layout.tuples]
    left = seen.residual.copy()
    held_out = seen.part == _HELD_OUT
    before = float(left[held_out] @ left[held_out])
    found: list[Points] = []
    seeds = list(_ranked_cells(layout, seen))
    cells = sorted({point for points in seeds for point in points})
    for seed in seeds:
        if len(found) == most or before == 0:
            break
        if seen.pieces ** len(seed) > _MOST_CONTENTS:
            continue
        points = _grown(seen, left, seed, cells)
        if _gain(seen, left, points, _HELD_OUT) < _LEAST_GAIN * before or any(
            frozenset(points) <= other for other in known
        ):
            continue
        found.append(points)
        known.append(frozenset(points))
        left -= _predicted(seen, left, points)
    after = float(left[held_out] @ left[held_out])
    return MinedTuples(tuple(found), 1 - after / before if before else 0.0)


def _seen(layout: ValueLayout, states: NDArray[np.uint64], residual: NDArray[np.float64]) -> _Seen:
    machine, geometry = layout.machine, geometry_of(layout.machine)
    facts = unpack_states(states, len(machine.fluents))
    signed = residual.astype(np.float64)
    exchange = layout.exchange
    if exchange is not None:
        turn = np.column_stack([facts[:, list(layout.turns)], np.ones(len(facts), np.bool_)]).argmax(axis=1)
        other = (np.array(layout.exchanged_turns) < np.arange(len(layout.turns) + 1))[turn]
        moved = np.empty_like(facts)
        moved[:, exchange.fluents] = facts
        facts = np.where(other[:, None], moved, facts)
        signed = np.where(other, -signed, signed)
    images = [facts]
    for symmetry in layout.symmetries:
        if symmetry.keeps_roles and not symmetry.is_identity:
            image = np.empty_like(facts)
            image[:, symmetry.fluents] = facts
            images.append(image)
    everything: NDArray[np.bool_] = np.concatenate(images)
    contents = np.zeros((len(everything), geometry.n_points), np.int64)
    piece = (geometry.fluent_point != NOWHERE) & (geometry.fluent_piece != layout.blank)
    for fluent in np.flatnonzero(piece):
        contents[everything[:, fluent], geometry.fluent_point[fluent]] = geometry.fluent_piece[fluent]
    part = np.array([_TAUGHT, _TAUGHT, _GROWN, _HELD_OUT])[np.arange(len(facts)) % 4]
    return _Seen(
        everything,
        contents,
        np.tile(signed, len(images)),
        np.tile(part, len(images)),
        len(geometry.pieces) + 1,
    )


def _ranked_cells(layout: ValueLayout, seen: _Seen) -> Iterator[Points]:
    """Yield the cells of itemsets that tell positions whose value rose from those whose value fell, the best first."""
    geometry = geometry_of(layout.machine)
    taught = seen.part == _TAUGHT
    facts, residual = seen.facts[taught], seen.residual[taught]
    piece = (geometry.fluent_point != NOWHERE) & (geometry.fluent_piece != layout.blank)
    items = np.flatnonzero(piece & (facts.any(axis=0)) & ~facts.all(axis=0))
    low, high = np.quantile(residual, [_SHARE, 1 - _SHARE])
    raised, lowered = facts[residual >= high][:, items], facts[residual <= low][:, items]
    ranked: list[tuple[float, Points]] = []
    for desirable, undesirable in ((raised, lowered), (lowered, raised)):
        support = max(1, round(_SUPPORT * len(desirable)))
        limits = Thresholds(support, len(undesirable), _LARGEST_ITEMSET, _MOST_CANDIDATES)
        sets = dual_basket_apriori(desirable, undesirable, limits)
        ranked += _with_phi(sets, len(desirable), len(undesirable), geometry.fluent_point[items])
    ranked.sort(key=lambda each: (-each[0], each[1]))
    yield from list(dict.fromkeys(points for _, points in ranked))[:_MOST_SETS]


def _with_phi(
    found: FoundItemsets, desirable: int, undesirable: int, point: NDArray[np.int32]
) -> Iterator[tuple[float, Points]]:
    one, other = np.array(found.desirable, np.float64), np.array(found.undesirable, np.float64)
    phi = phi_coefficient(one, other, desirable - one, undesirable - other)
    for items, strength in zip(found.itemsets, np.abs(phi).tolist(), strict=True):
        points = tuple(sorted({int(point[item]) for item in items}))
        if len(points) > 1:
            yield strength, points


def _grown(seen: _Seen, left: NDArray[np.float64], seed: Points, cells: Sequence[int]) -> Points:
    """Add the cell that brings the largest gain as long as there is one."""
    points, gain = seed, _gain(seen, left, seed, _GROWN)
    while len(points) < _LONGEST and seen.pieces ** (len(points) + 1) <= _MOST_CONTENTS:
        tried = [tuple(sorted((*points, cell))) for cell in cells if cell not in points]
        gains = [_gain(seen, left, each, _GROWN) for each in tried]
        if not gains or max(gains) <= gain:
            break
        gain = max(gains)
        points = tried[gains.index(gain)]
    return points


def _gain(seen: _Seen, left: NDArray[np.float64], points: Points, part: int) -> float:
    """Return by how much a table of the contents lowers the squared difference in a part of the positions."""
    chosen = seen.part == part
    predicted, known = _predicted(seen, left, points)[chosen], left[chosen]
    return float(2 * (known @ predicted) - predicted @ predicted)


def _predicted(seen: _Seen, left: NDArray[np.float64], points: Points) -> NDArray[np.float64]:
    """Return the mean difference of the positions with the same contents, learned where they are not held out."""
    number = np.zeros(len(left), np.int64)
    for point in points:
        number = number * seen.pieces + seen.contents[:, point]
    values, place = np.unique(number, return_inverse=True)
    taught = seen.part == _TAUGHT
    count = np.bincount(place[taught], minlength=len(values))
    total = np.bincount(place[taught], left[taught], minlength=len(values))
    means: NDArray[np.float64] = (total / (count + _SHRINK))[place]
    return means
