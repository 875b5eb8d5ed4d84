"""Which features, and which of their images under symmetries, fire for many pairs of state and move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from gdl_miner.agent.features import BatchView, Feature, FeatureRelPattern, MoveBatch, WeightedFeature
from gdl_miner.agent.features.pattern import ANY, EMPTY_FIELD, OFF
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, geometry_of
from gdl_miner.agent.geometry.geometry import OFF_BOARD
from gdl_miner.agent.knowledge.firing import firing
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.mining.sharing import FeatureSharing

PackedSamples = NDArray[np.uint8]


@dataclass(frozen=True)
class FeatureImages:
    """The distinct images of some features under the symmetries that keep a role: the instances of the features."""

    instances: tuple[Feature, ...]
    owners: NDArray[np.int64]  # [instance] number of its feature

    @classmethod
    def of(cls, features: Sequence[Feature], role: int, sharing: FeatureSharing) -> FeatureImages:
        """Return all images; those of a feature stand together, the feature itself first."""
        keeping = sharing.keeping(role)
        images = [tuple(dict.fromkeys([each, *(each.image(symmetry) for symmetry in keeping)])) for each in features]
        owners = np.repeat(np.arange(len(features)), [len(each) for each in images])
        return cls(tuple(image for each in images for image in each), owners)

    @property
    def to_features(self) -> csr_matrix:
        """The matrix [instance, feature] that adds up instances of a feature."""
        n_features = int(self.owners[-1]) + 1 if len(self.owners) else 0
        ones = np.ones(len(self.owners))
        return csr_matrix((ones, (np.arange(len(self.owners)), self.owners)), (len(self.owners), n_features))


def count_activity(
    features: Sequence[Feature], role: int, sharing: FeatureSharing, machine: Machine, batch: MoveBatch
) -> csr_matrix:
    """Return [sample, feature] how many images of each feature fire for each sample, as they count in play."""
    images = FeatureImages.of(features, role, sharing)
    counts = csr_matrix(find_activity(images.instances, role, machine, batch) @ images.to_features)
    counts.sort_indices()
    return counts


def find_activity(instances: Sequence[Feature], role: int, machine: Machine, batch: MoveBatch) -> csr_matrix:
    """Return [sample, instance] 1 where a feature, itself and not its images, fires for a sample; zeros are left out.

    The samples of the batch are in the order of their states.
    """
    geometry = geometry_of(machine)
    patterns = [number for number, each in enumerate(instances) if _tells_pieces(each, geometry)]
    others = [number for number, each in enumerate(instances) if not _tells_pieces(each, geometry)]
    found: dict[int, NDArray[np.int64]] = {}
    if patterns:
        fields = _Fields(BatchView(batch, geometry))
        found |= {number: fields.samples_with(instances[number]) for number in patterns}
    if others:
        native = csc_matrix(firing([WeightedFeature(instances[each], 1.0) for each in others], role, machine, batch))
        native.sort_indices()
        found |= {
            number: native.indices[native.indptr[column] : native.indptr[column + 1]].astype(np.int64)
            for column, number in enumerate(others)
        }
    samples = [found[number] for number in range(len(instances))]
    starts = np.cumsum([0, *map(len, samples)])
    shape = (len(batch.row), len(instances))
    matrix = csc_matrix((np.ones(starts[-1]), np.concatenate([np.zeros(0, np.int64), *samples]), starts), shape)
    rows = csr_matrix(matrix)
    rows.sort_indices()
    return rows


def _tells_pieces(feature: Feature, geometry: Geometry) -> bool:
    """Whether a feature is a pattern of pieces, not of whose they are."""
    return isinstance(feature, FeatureRelPattern) and not feature.is_relative(geometry)


class _Fields:
    """The fields around the targets of a batch, as one bit for each sample, field and possible content."""

    def __init__(self, view: BatchView) -> None:
        self._geometry = view.geometry
        self._samples = view.n_samples
        self._aims = view.target != NOWHERE
        self._target = view.target
        self._occupants = view.occupants.reshape(-1)
        self._place = view.state_index.astype(np.int64) * view.occupants.shape[1]
        self._known: dict[tuple[int, int, str], PackedSamples] = {}

    def samples_with(self, pattern: Feature) -> NDArray[np.int64]:
        """Return the samples for which a pattern fires, ascending."""
        assert isinstance(pattern, FeatureRelPattern)
        compared = [(place, entry) for place, entry in enumerate(pattern.entries) if entry != ANY]
        bits = [self._bits(pattern.radius, place, entry) for place, entry in compared] or [np.packbits(self._aims)]
        return np.flatnonzero(np.unpackbits(reduce(np.bitwise_and, bits), count=self._samples))

    def _bits(self, radius: int, place: int, entry: str) -> PackedSamples:
        """Return the samples that show an entry at a place of a pattern of this radius."""
        key = (radius, place, entry)
        if key not in self._known:
            points = self._geometry.neighbours(radius)[self._target, place]
            shown = self._occupants[self._place + points] == self._code(entry)
            self._known[key] = np.packbits(shown & self._aims)
        return self._known[key]

    def _code(self, entry: str) -> int:
        special = {EMPTY_FIELD: EMPTY, OFF: OFF_BOARD}
        return special[entry] if entry in special else self._geometry.piece_code[entry.removeprefix("piece:")]
