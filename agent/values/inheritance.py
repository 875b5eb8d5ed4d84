"""Weights that a value network takes over from others of the same game, in place of learning them anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.values.layout import ValueLayout
from gdl_miner.agent.values.training import LearnedWeights


def inherited(layout: ValueLayout, parents: Sequence[tuple[ValueLayout, LearnedWeights]]) -> LearnedWeights:
    """Return the mean of the weights of the parents, in the places that they have in a layout.

    A fact or tuple that a parent does not have counts 0 in the mean, so a network with all tuples of its parents begins
    with the mean of their sums. Tuples that no parent has begin with 0; those of a parent that the layout does not
    have are left out. Without parents all weights are 0.

    Args:
        layout: the network that inherits.
        parents: networks of the same game, with their weights.
    """
    result = LearnedWeights.new(layout)
    for theirs, learned in parents:
        places = _shared_places(layout, theirs)
        for to, of in zip(result, learned, strict=True):
            to[places[:, 0]] += of[places[:, 1]] / np.float32(len(parents))
    return result


def _shared_places(layout: ValueLayout, other: ValueLayout) -> NDArray[np.int64]:
    """Return the places of weights that both layouts have: [weight, 2], the first in `layout`."""
    parts = {(part.turn, part.stage, part.role): part for part in other.parts}
    found: list[NDArray[np.int64]] = [np.empty((0, 2), np.int64)]
    for part in layout.parts:
        same = parts.get((part.turn, part.stage, part.role))
        if same is None:
            continue
        facts = [(place, same.facts[fluent]) for fluent, place in part.facts.items() if fluent in same.facts]
        found.append(np.array(facts, np.int64).reshape(-1, 2))
        known = {their.identity: their for their in same.tuples}
        for own in part.tuples:
            their = known.get(own.identity)
            if their is not None and their.fluents == own.fluents:
                found.append(np.arange(own.size)[:, None] + np.array([own.first, their.first]))
    return np.concatenate(found)
