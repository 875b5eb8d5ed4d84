"""Feature counts of any number of matches in bounded memory, made where the records are."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gdl_miner.agent.features import Feature
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord, select_places
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts, merge_counts
from gdl_miner.miner.mining.role_decisions import read_decisions
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import sharing_of

__all__ = ["count_matches"]

_CHUNK = 50_000  # states counted at once


def count_matches(
    record: MatchBatchRecord, machine: Machine, config: MiningConfig
) -> tuple[FeatureCounts[Feature], ...]:
    """[role] counts of the features that fired in its decisions; matches that were broken off are left out.

    The decisions of a role that has no features of its own count for the role that owns its features.
    """
    sharing = sharing_of(machine, config.symmetries)
    found: list[list[FeatureCounts[Feature]]] = [[] for _ in machine.roles]
    for part in _chunks(record):
        for role in sorted(set(sharing.owners)):
            played = RoleRecord(sharing.pooled(part, role), machine, role)
            found[role].append(read_decisions(played, sharing, config).counts())
    return tuple(merge_counts(counts) for counts in found)


def _chunks(record: MatchBatchRecord) -> Iterator[MatchBatchRecord]:
    """The record in parts of whole matches."""
    bounds = np.searchsorted(record.start, np.arange(0, len(record.states) + _CHUNK, _CHUNK))
    bounds = np.unique(np.minimum(bounds, record.n_matches))
    if len(bounds) <= 2:
        yield record
        return
    for first, end in pairwise(bounds.tolist()):
        yield select_places(record, np.arange(first, end))
