"""Features with conditions that were found elsewhere, as further columns of the joint fit.

Mining itself finds no conditions for features that stand for images, because what holds in a state does not tell for
which of the images it would have to hold. A candidate names both, so that its images are known: it fires for a move as
often as images of it do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import (
    Enumeration,
    Feature,
    FeatureMatrix,
    Itemset,
    MoveBatch,
    WeightedFeature,
    item_masks,
    items_hold,
    occurrences,
)
from gdl_miner.agent.geometry import Symmetry, geometry_of
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.sharing import images
from gdl_miner.agent.reasoner.machine import Machine

Candidate: TypeAlias = tuple[Feature, Itemset]


class FitColumns(NamedTuple):
    """The features of a fit, alone or with a condition, and the samples for which they fire."""

    keys: tuple[tuple[Feature, Itemset | None], ...]
    start: NDArray[np.int64]  # [sample + 1] into ids
    ids: NDArray[np.int32]  # columns that fire for the sample, ascending, each as often as it fires


def candidates_of(knowledge: Knowledge | None) -> tuple[tuple[Candidate, ...], ...]:
    """Return [role] the features of knowledge that have conditions, whatever their weights; () without knowledge."""
    if knowledge is None:
        return ()
    return tuple(
        tuple(dict.fromkeys((each.feature, each.itemset) for each in (*winning, *losing) if each.itemset is not None))
        for winning, losing in zip(knowledge.winning, knowledge.losing, strict=True)
    )


def columns_of(
    mined: FeatureMatrix,
    candidates: Sequence[Candidate],
    batch: MoveBatch,
    machine: Machine,
    keeping: Sequence[Symmetry],
    enumeration: Enumeration,
) -> FitColumns:
    """Return the columns of mined features, and after them those of the candidates that fire for enough samples.

    Args:
        mined: features without conditions and their firings in the batch.
        candidates: features with conditions, of the role whose moves these are.
        batch: the samples.
        machine: the game.
        keeping: the symmetries under which features of the role stand for their images.
        enumeration: the sizes of features, and the least number of samples for which a candidate fires.
    """
    keys: list[tuple[Feature, Itemset | None]] = [(feature, None) for feature in mined.features]
    if not candidates:
        return FitColumns(tuple(keys), mined.start, mined.ids)
    samples = [np.repeat(np.arange(len(mined.start) - 1), np.diff(mined.start))]
    ids = [mined.ids]
    firings = _firings(candidates, batch, machine, keeping, replace(enumeration, min_count=1))
    for candidate, fired in zip(candidates, firings, strict=True):
        if len(np.unique(fired)) >= max(1, enumeration.min_count):
            samples.append(fired)
            ids.append(np.full(len(fired), len(keys), np.int32))
            keys.append(candidate)
    sample, column = np.concatenate(samples), np.concatenate(ids)
    order = np.lexsort((column, sample))
    start = np.searchsorted(sample[order], np.arange(len(mined.start)))
    return FitColumns(tuple(keys), start.astype(np.int64), column[order])


def _firings(
    candidates: Sequence[Candidate],
    batch: MoveBatch,
    machine: Machine,
    keeping: Sequence[Symmetry],
    enumeration: Enumeration,
) -> list[NDArray[np.int64]]:
    """Return for each candidate the samples for which its images fire, a sample once for each of them."""
    geometry, symmetries = geometry_of(machine), [Symmetry.identity(machine), *keeping]
    every = [_images(each, symmetries) for each in candidates]
    features = list(dict.fromkeys(feature for found in every for feature, _ in found))
    items = tuple(dict.fromkeys(item for found in every for _, itemset in found for item in itemset.items))
    place = {item: number for number, item in enumerate(items)}
    held = items_hold(batch.states, item_masks(items, geometry))
    classes = list(dict.fromkeys(type(each) for each in features))
    samples = occurrences(batch, geometry, classes, enumeration).samples_with(features)
    alone = dict(zip(features, samples, strict=True))

    def samples_of(image: Candidate) -> NDArray[np.int64]:
        feature, itemset = image
        samples = alone[feature]
        wanted = held[:, [place[item] for item in itemset.items]]
        holds: NDArray[np.bool_] = np.all(wanted, axis=1)
        return samples[holds[batch.state_index[samples]]]

    return [np.sort(np.concatenate([samples_of(image) for image in found])) for found in every]


def _images(candidate: Candidate, symmetries: Iterable[Symmetry]) -> list[Candidate]:
    found = images(WeightedFeature(candidate[0], 1.0, candidate[1]), symmetries)
    return [(each.feature, each.itemset) for each in found if each.itemset is not None]
