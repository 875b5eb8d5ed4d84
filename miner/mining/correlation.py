"""Correlations of features with winning, tested for significance (thesis 4.3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import Evidence, FeatureCounts, evidence
from gdl_miner.miner.mining.mined import canonical
from gdl_miner.miner.mining.significance import benjamini_hochberg

__all__ = ["Correlations", "correlate"]


@dataclass(frozen=True, eq=False)
class Correlations:
    """Evidence about the features of one role, and which of them go with winning or losing."""

    decisions: int  # decisions counted
    evidence: Evidence[Feature]
    q_values: NDArray[np.float64]  # [feature] corrected p-values; 1 where there was too little support to test
    significant: tuple[int, ...]  # places of features with a large and significant correlation, largest |phi| first

    @property
    def signs(self) -> dict[Feature, int]:
        """The significant features in their order, +1 for those that go with winning and -1 for the others."""
        found = self.evidence
        return {found.features[i]: int(np.sign(found.phi[i])) for i in self.significant}


def correlate(counts: Sequence[FeatureCounts[Feature]], weights: Sequence[float], config: MiningConfig) -> Correlations:
    """Test every feature that has enough support; a match of `counts[i]` weighs `weights[i]`."""
    found = evidence(counts, weights)
    tested = found.fired >= config.min_support
    q_values = np.ones(len(found.features))
    q_values[tested] = benjamini_hochberg(found.p_value[tested])
    size = np.abs(found.phi)
    places = np.flatnonzero(tested & (size > config.phi_threshold) & (q_values <= config.max_q)).tolist()
    places.sort(key=lambda i: (-round(float(size[i]), 10), canonical(found.features[i])))
    decisions = sum(part.decisions for part in counts)
    return Correlations(decisions, found, q_values, tuple(places[: config.max_features]))
