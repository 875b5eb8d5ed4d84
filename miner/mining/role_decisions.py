"""The decisions of one role that led to a result, with the features of the moves it made."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, FeatureMatrix, occurrences
from gdl_miner.agent.geometry import Geometry
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts, count_decisions
from gdl_miner.miner.mining.outcome import result_shares
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import FeatureSharing

__all__ = ["RoleDecisions", "read_decisions"]


@dataclass(frozen=True, eq=False)
class RoleDecisions:
    """All decisions of a role in some matches. Matches that were broken off have no result and are left out."""

    geometry: Geometry
    states: NDArray[np.uint64]  # [decision, word]
    matrix: FeatureMatrix  # decisions × features of the moves made
    match: NDArray[np.int64]  # [decision] number of the match
    shares: NDArray[np.int64]  # [match] result share, 0..FULL_SHARE

    def counts(self) -> FeatureCounts[Feature]:
        """Count how often the features fired, and how the matches ended."""
        return count_decisions(self.matrix.features, self.matrix.start, self.matrix.ids, self.match, self.shares)


def read_decisions(played: RoleRecord, sharing: FeatureSharing, config: MiningConfig) -> RoleDecisions:
    """Find the role's decisions in all matches of a record, and the features that fired for its moves."""
    steps = played.finished_decisions
    batch = played.moves_made(steps)
    fired = occurrences(batch, played.geometry, config.feature_classes, config.enumeration(1))
    return RoleDecisions(
        geometry=played.geometry,
        states=batch.states,
        matrix=sharing.tied(fired, played.role).once(),
        match=played.matches_of(steps),
        shares=result_shares(played.record.goals, config.outcome)[:, played.role],
    )
