"""The plain definition of a move's score, which the native scorer must equal (thesis 5.1.5).

Effective weights are rounded once, to multiples of 1/256. All later arithmetic is in integers, so scores are exact and
the same on every machine.
"""

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, Itemset
from gdl_miner.agent.geometry import Position
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameters import Parameters

UNIT = 256  # integer weights are multiples of 1 / UNIT
_BEYOND = 2.0**40  # limit of a weight, in units; products of parameters may be infinite
FLOOR = 1  # smallest score of a move, so that every move stays possible
EXPONENTIAL_LIMIT = 10 * UNIT  # sums are clamped to ± this before the exponential


class Phase(IntEnum):
    """The part of a search that uses a score."""

    PLAYOUT = 0
    SELECTION = 1


class EffectiveFeature(NamedTuple):
    """A feature with its signed integer weight."""

    feature: Feature
    itemset: Itemset | None
    weight: int  # multiple of 1 / UNIT; negative in a losing list
    place: str


def quantise(weight: float) -> int:
    """Return the nearest multiple of 1 / UNIT as an integer, ties to even; weights beyond all sums are clamped."""
    return round(max(-_BEYOND, min(_BEYOND, weight * UNIT)))


def effective_features(knowledge: Knowledge, role: int, phase: Phase) -> tuple[EffectiveFeature, ...]:
    """Return the features that act for a role in a phase: the winning list, then the losing list, in file order.

    For first-feature scoring they are sorted by absolute weight, largest first; equal weights keep the file order.
    """
    parameters = knowledge.parameters
    playouts = phase is Phase.PLAYOUT
    if not (parameters.features_in_playouts if playouts else parameters.features_in_selection):
        return ()
    acting = list(_all_effective(knowledge, role))
    if parameters.first_feature:
        acting.sort(key=lambda each: -abs(each.weight))
    return tuple(acting)


def _all_effective(knowledge: Knowledge, role: int) -> Iterator[EffectiveFeature]:
    parameters = knowledge.parameters
    winning = (knowledge.winning[role], parameters.winning_weight, 1)
    losing = (knowledge.losing[role], parameters.losing_weight, -1)
    for features, side_weight, sign in (winning, losing):
        for each in features:
            classes = parameters.itemset_class_weights if each.itemset else parameters.class_weights
            weight = each.weight * classes.get(each.feature.element, 1.0) * side_weight * parameters.impact
            yield EffectiveFeature(each.feature, each.itemset, sign * quantise(weight), each.place)


def firing_features(
    knowledge: Knowledge, position: Position, role: int, rows: Sequence[int], phase: Phase
) -> Iterator[tuple[EffectiveFeature, list[int]]]:
    """Yield the features with a weight that fire for some of the moves of a role, and the rows of these moves.

    The knowledge has no symmetries (`written_out`).
    """
    for each in effective_features(knowledge, role, phase):
        if each.weight and (each.itemset is None or each.itemset.holds(position)):
            found = [row for row in rows if each.feature.fires(position, row)]
            if found:
                yield each, found


def score(knowledge: Knowledge, position: Position, role: int, row: int, phase: Phase) -> int:
    """Return the integer weight of a move, at least 1; playouts choose moves in proportion to this weight.

    The knowledge has no symmetries (`written_out`).
    """
    matching = (
        each.weight
        for each in effective_features(knowledge, role, phase)
        if each.feature.fires(position, row) and (each.itemset is None or each.itemset.holds(position))
    )
    return weight_of(knowledge.parameters, next(matching, 0) if knowledge.parameters.first_feature else sum(matching))


def weight_of(parameters: Parameters, total: int) -> int:
    """Return the weight of a move whose features sum up to `total`.

    Additive scoring adds the base value. Exponential scoring ignores it, since a factor that all moves share changes
    no choice.
    """
    if parameters.scoring == "exponential":
        clamped = min(max(total, -EXPONENTIAL_LIMIT), EXPONENTIAL_LIMIT)
        return int(exponential_weights()[clamped + EXPONENTIAL_LIMIT])
    return max(FLOOR, quantise(parameters.base_value) + total)


@lru_cache(maxsize=1)
def exponential_weights() -> NDArray[np.uint32]:
    """Return [sum + EXPONENTIAL_LIMIT] exp(sum / UNIT), scaled so that the smallest weight is 1.

    Decimal arithmetic makes the weights the same on every processor.
    """
    with localcontext(Context(prec=40, rounding=ROUND_HALF_EVEN)):
        step = (Decimal(1) / UNIT).exp()
        weights = np.empty(2 * EXPONENTIAL_LIMIT + 1, dtype=np.uint32)
        value = Decimal(1)
        for index in range(len(weights)):
            weights[index] = int(value.to_integral_value(ROUND_HALF_EVEN))
            value *= step
    weights.flags.writeable = False
    return weights
