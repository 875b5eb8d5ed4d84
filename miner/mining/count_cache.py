"""A cache of feature counts, which the workers make part by part, once for each generation."""

from __future__ import annotations

import numpy as np

from gdl_miner.agent.features import Feature
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts, merge_counts
from gdl_miner.miner.mining.tasks import count_part
from gdl_miner.miner.play.executor import Executor, Shared, Task

__all__ = ["CountCache"]

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
                Task(f"g{generation:03d}-count-{number:04d}", (bounds[number], bounds[number + 1]))
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
