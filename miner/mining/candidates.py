"""Features that were found elsewhere, with and without conditions, as further columns of the joint fit.

Mining itself finds no conditions for features that stand for images, because what holds in a state does not tell for
which of the images it would have to hold. A candidate names both, so that its images are known: it fires for a move as
often as images of it do. Mining looks for patterns of few shapes; a policy that grows its patterns has others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from gdl_miner.agent.features import (
    Feature,
    FeatureMatrix,
    Itemset,
    MoveBatch,
    WeightedFeature,
    item_masks,
    items_hold,
)
from gdl_miner.agent.geometry import Symmetry, geometry_of
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.sharing import images
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.mining.activity import find_activity
from gdl_miner.miner.mining.sharing import FeatureSharing

Candidate: TypeAlias = tuple[Feature, Itemset | None]


class FitColumns(NamedTuple):
    """The features of a fit, alone or with a condition, and the samples for which they fire."""

    keys: tuple[Candidate, ...]
    start: NDArray[np.int64]  # [sample + 1] into ids
    ids: NDArray[np.int32]  # columns that fire for the sample, ascending, each as often as it fires


def candidates_of(knowledge: Knowledge | None) -> tuple[tuple[Candidate, ...], ...]:
    """Return [role] the features of knowledge, whatever their weights; () without knowledge."""
    if knowledge is None:
        return ()
    return tuple(
        tuple(dict.fromkeys((each.feature, each.itemset) for each in (*winning, *losing)))
        for winning, losing in zip(knowledge.winning, knowledge.losing, strict=True)
    )


def columns_of(
    mined: FeatureMatrix,
    candidates: Sequence[Candidate],
    batch: MoveBatch,
    machine: Machine,
    sharing: FeatureSharing,
    role: int,
    min_count: int,
) -> FitColumns:
    """Return the columns of mined features, and after them those of the candidates that fire for enough samples.

    A candidate without a condition that mining found itself, or an image of which it found, has no second column.

    Args:
        mined: features without conditions and their firings in the batch.
        candidates: features of the role.
        batch: the samples, which are moves of the role, in the order of their states.
        machine: the game.
        sharing: the symmetries under which features of the role stand for their images.
        role: the role.
        min_count: the least number of samples for which a candidate fires.
    """
    keys: list[Candidate] = [(feature, None) for feature in mined.features]
    symmetries, found = [Symmetry.identity(machine), *sharing.keeping(role)], set(keys)
    further = [(each, every) for each in candidates if not found.intersection(every := _images(each, symmetries))]
    if not further:
        return FitColumns(tuple(keys), mined.start, mined.ids)
    samples = [np.repeat(np.arange(len(mined.start) - 1), np.diff(mined.start))]
    ids = [mined.ids]
    firings = _firings([every for _, every in further], batch, machine, role)
    for (candidate, _), fired in zip(further, firings, strict=True):
        if len(np.unique(fired)) >= max(1, min_count):
            samples.append(fired)
            ids.append(np.full(len(fired), len(keys), np.int32))
            keys.append(candidate)
    sample, column = np.concatenate(samples), np.concatenate(ids)
    order = np.lexsort((column, sample))
    start = np.searchsorted(sample[order], np.arange(len(mined.start)))
    return FitColumns(tuple(keys), start.astype(np.int64), column[order])


def _firings(
    images: Sequence[Sequence[Candidate]], batch: MoveBatch, machine: Machine, role: int
) -> list[NDArray[np.int64]]:
    """Return for each candidate the samples for which its images fire, a sample once for each of them."""
    features = list(dict.fromkeys(feature for every in images for feature, _ in every))
    items = tuple(dict.fromkeys(item for every in images for _, itemset in every if itemset for item in itemset.items))
    place = {item: number for number, item in enumerate(items)}
    held = items_hold(batch.states, item_masks(items, geometry_of(machine)))
    fired = csc_matrix(find_activity(features, role, machine, batch))
    fired.sort_indices()
    alone = dict(zip(features, np.split(fired.indices.astype(np.int64), fired.indptr[1:-1]), strict=True))

    def samples_of(image: Candidate) -> NDArray[np.int64]:
        feature, itemset = image
        samples = alone[feature]
        if itemset is None:
            return samples
        wanted = held[:, [place[item] for item in itemset.items]]
        holds: NDArray[np.bool_] = np.all(wanted, axis=1)
        return samples[holds[batch.state_index[samples]]]

    return [np.sort(np.concatenate([samples_of(image) for image in every])) for every in images]


def _images(candidate: Candidate, symmetries: Iterable[Symmetry]) -> list[Candidate]:
    found = images(WeightedFeature(candidate[0], 1.0, candidate[1]), symmetries)
    return [(each.feature, each.itemset) for each in found]
