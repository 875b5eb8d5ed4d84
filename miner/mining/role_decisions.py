"""The decisions of one role over some matches, kept state by state: what itemsets are sought in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import FeatureMatrix, Geometry, MoveBatch, occurrences
from agent.reasoner.machine import Machine
from miner.mining.config import MiningConfig
from miner.mining.decisions import finished_decisions
from miner.mining.outcome import result_shares
from miner.mining.training_data import TrainingData

__all__ = ["RoleDecisions", "read_decisions"]


@dataclass(frozen=True, eq=False)
class RoleDecisions:
    """All decisions of a role, with the features of the moves it made."""

    matrix: FeatureMatrix  # decisions × features
    states: NDArray[np.uint64]  # [decision, word]
    shares: NDArray[np.int64]  # [decision] result share of the match, 0..FULL_SHARE
    held_out: NDArray[np.bool_]  # [decision] the match is kept for testing itemsets


def read_decisions(
    data: TrainingData, machine: Machine, geometry: Geometry, role: int, config: MiningConfig
) -> RoleDecisions:
    """Find the role's decisions in all matches, and the features of the moves it made.

    Matches that were broken off (goals of -1) have no result and are left out.
    """
    record = data.matches
    steps = finished_decisions(record, machine, role)
    batch = MoveBatch(
        states=record.states[steps],
        last_rows=record.last_rows()[steps],
        state_index=np.arange(len(steps), dtype=np.int32),
        row=record.moves[steps, role],
    )
    matrix = occurrences(batch, geometry, config.feature_classes, config.enumeration(1))
    match = record.match_of_step()[steps]
    shares = result_shares(record.goals, config.outcome)[:, role]
    return RoleDecisions(matrix, batch.states, shares[match], data.held_out[match])
