"""The decisions of one role over some records, kept state by state: what itemsets are sought in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature, FeatureMatrix, Geometry, MoveBatch, occurrences
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord
from miner.mining.config import MiningConfig
from miner.mining.decisions import finished_decisions
from miner.mining.outcome import result_shares
from miner.mining.sampling import held_out_matches

__all__ = ["RoleDecisions", "read_decisions"]


@dataclass(frozen=True)
class RoleDecisions:
    """Decisions of all records, one after another."""

    matrices: tuple[FeatureMatrix, ...]  # [record] decisions × features
    states: tuple[NDArray[np.uint64], ...]  # [record] [decision, word]
    shares: NDArray[np.int64]  # [decision] result share of the match, 0..FULL_SHARE
    held_out: NDArray[np.bool_]  # [decision] the match is kept for testing itemsets

    def fired(self, wanted: Sequence[Feature]) -> list[NDArray[np.int64]]:
        """Decisions in which each of the wanted features fired, ascending."""
        number = {feature: i for i, feature in enumerate(wanted)}
        found: list[list[NDArray[np.int64]]] = [[] for _ in wanted]
        offset = 0
        for matrix in self.matrices:
            decision = np.repeat(np.arange(len(matrix.start) - 1, dtype=np.int64), np.diff(matrix.start))
            order = np.argsort(matrix.ids, kind="stable")
            bounds = np.searchsorted(matrix.ids[order], np.arange(len(matrix.features) + 1))
            for i, feature in enumerate(matrix.features):
                if feature in number:
                    found[number[feature]].append(offset + decision[order[bounds[i] : bounds[i + 1]]])
            offset += len(matrix.start) - 1
        return [np.concatenate([np.zeros(0, dtype=np.int64), *parts]) for parts in found]

    def states_of(self, decisions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Packed states of decisions, which ascend."""
        ends = np.cumsum([len(states) for states in self.states])
        parts = np.split(decisions, np.searchsorted(decisions, ends[:-1]))
        return np.concatenate(
            [states[part - (end - len(states))] for states, part, end in zip(self.states, parts, ends, strict=True)]
        )


def read_decisions(
    records: Sequence[MatchBatchRecord],
    machine: Machine,
    geometry: Geometry,
    role: int,
    config: MiningConfig,
    seed: int,
) -> RoleDecisions:
    """Find the role's decisions in all records, and the features of the moves it made.

    Matches that were broken off (goals of -1) have no result and are left out.
    """
    matrices, states, shares, held_out = [], [], [], []
    for record in records:
        steps = finished_decisions(record, machine, role)
        batch = MoveBatch(
            states=record.states[steps],
            last_rows=record.last_rows()[steps],
            state_index=np.arange(len(steps), dtype=np.int32),
            row=record.moves[steps, role],
        )
        matrix = occurrences(batch, geometry, config.feature_classes, config.enumeration(1))
        match = record.match_of_step()[steps].astype(np.int64)
        match_shares = result_shares(record.goals, config.outcome)[:, role]
        matrices.append(matrix)
        states.append(batch.states)
        shares.append(match_shares[match])
        held_out.append(held_out_matches(record, config.itemsets.held_out, seed)[match])
    return RoleDecisions(tuple(matrices), tuple(states), np.concatenate(shares), np.concatenate(held_out))
