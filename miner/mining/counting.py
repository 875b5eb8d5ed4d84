"""Feature counts of any number of matches in bounded memory, made where the records are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gdl_miner.agent.features import Feature
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord, select_places
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts, merge_counts
from gdl_miner.miner.mining.role_record import RoleRecord, read_decisions
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import Executor, Shared, WorkerTask

if TYPE_CHECKING:
    from gdl_miner.miner.play.prepared_game import PreparedGame

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


def count_part(
    game: PreparedGame, record: MatchBatchRecord, config: MiningConfig, bounds: tuple[int, int]
) -> tuple[FeatureCounts[Feature], ...]:
    """[role] counts of the matches of a record from the first of the bounds to before the second."""
    return count_matches(select_places(record, np.arange(*bounds)), game.machine(), config)


_PART = 20_000  # states that one task counts, about


class CountCache:
    """Feature counts by generation, kept while the generation is still mined."""

    def __init__(self, executor: Executor, game: Shared, config: MiningConfig) -> None:
        self._executor = executor
        self._game = game
        self._config = config
        self._known: dict[int, tuple[FeatureCounts[Feature], ...]] = {}

    def of(self, generation: int, record: MatchBatchRecord) -> tuple[FeatureCounts[Feature], ...]:
        """[role] counts of a generation's matches; the same bytes however many workers make them."""
        if generation not in self._known:
            parts = max(1, min(record.n_matches, -(-len(record.states) // _PART)))
            bounds = np.linspace(0, record.n_matches, parts + 1).astype(np.int64).tolist()
            tasks = [
                WorkerTask(f"g{generation:03d}-count-{number:04d}", (bounds[number], bounds[number + 1]))
                for number in range(parts)
            ]
            shared = (self._game, self._executor.share(record), self._executor.share(self._config))
            found = dict(self._executor.run(count_part, shared, tasks))
            by_role = zip(*(found[task.id] for task in tasks), strict=True)
            self._known[generation] = tuple(merge_counts(counts) for counts in by_role)
        return self._known[generation]

    def forget(self, before: int) -> None:
        """Drop the counts of generations before `before`."""
        self._known = {generation: kept for generation, kept in self._known.items() if generation >= before}
