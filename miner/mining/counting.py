"""Counts of any number of matches in bounded memory: sums of whole numbers, made where the records are."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from agent.knowledge import Feature, MoveBatch, geometry_of, occurrences
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord, select_places
from miner.mining.config import MiningConfig
from miner.mining.counts import FeatureCounts, count_decisions, merge_counts
from miner.mining.decisions import finished_decisions
from miner.mining.outcome import result_shares

__all__ = ["count_matches"]

_CHUNK = 50_000  # states counted at once


def count_matches(
    record: MatchBatchRecord, machine: Machine, config: MiningConfig, role: int
) -> FeatureCounts[Feature]:
    """Which features fired in a role's decisions, and how the matches ended. Broken off matches are left out."""
    return merge_counts(_count(part, machine, config, role) for part in _chunks(record))


def _chunks(record: MatchBatchRecord) -> Iterator[MatchBatchRecord]:
    """The record in parts of whole matches."""
    bounds = np.searchsorted(record.start, np.arange(0, len(record.states) + _CHUNK, _CHUNK))
    bounds = np.unique(np.minimum(bounds, record.n_matches))
    if len(bounds) <= 2:
        yield record
        return
    for first, end in pairwise(bounds.tolist()):
        yield select_places(record, np.arange(first, end))


def _count(record: MatchBatchRecord, machine: Machine, config: MiningConfig, role: int) -> FeatureCounts[Feature]:
    steps = finished_decisions(record, machine, role)
    batch = MoveBatch(
        states=record.states[steps],
        last_rows=record.last_rows()[steps],
        state_index=np.arange(len(steps), dtype=np.int32),
        row=record.moves[steps, role],
    )
    matrix = occurrences(batch, geometry_of(machine), config.feature_classes, config.enumeration(1))
    match = record.match_of_step()[steps].astype(np.int64)
    shares = result_shares(record.goals, config.outcome)[:, role]
    return count_decisions(matrix.features, matrix.start, matrix.ids, match, shares)
