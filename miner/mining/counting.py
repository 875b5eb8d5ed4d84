"""Counts of any number of matches in bounded memory, and the sample of them that fits and itemsets are content with.

Counts are whole-number sums, so they can be made where the records are and merged in any order. Weights and itemsets
need states, but not all of them: whole matches are kept by keys that depend on their names alone, so that the sample is
the same however the records are divided.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from agent.knowledge import Feature, MoveBatch, geometry_of, occurrences
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord, select_places
from miner.mining.config import MiningConfig
from miner.mining.counts import FeatureCounts, count_decisions, merge_counts
from miner.mining.decisions import finished_decisions, match_keys
from miner.mining.outcome import result_shares

__all__ = ["count_matches", "thin_records"]

_CHUNK = 50_000  # states counted at once


def count_matches(
    record: MatchBatchRecord, machine: Machine, config: MiningConfig, role: int
) -> FeatureCounts[Feature]:
    """Which features fired in a role's decisions, and how the matches ended. Broken off matches are left out."""
    return merge_counts(_count(part, machine, config, role) for part in _chunks(record))


def thin_records(records: Sequence[MatchBatchRecord], states: int, seed: int) -> list[MatchBatchRecord]:
    """About `states` states of the records in whole matches, the same ones however the matches are divided."""
    sizes = [np.diff(record.start).astype(np.int64) for record in records]
    if sum(int(each.sum()) for each in sizes) <= states:
        return list(records)
    keys = [match_keys(record, seed) for record in records]
    joined = np.concatenate(keys)
    order = np.argsort(joined, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(np.concatenate(sizes)[order]), states, side="right"))
    most = joined[order[max(0, fitting - 1)]]
    return [select_places(record, np.flatnonzero(own <= most)) for record, own in zip(records, keys, strict=True)]


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
