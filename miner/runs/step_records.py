"""Records of finished steps, kept in memory and in the run's folder as long as they are mined."""

from __future__ import annotations

from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.results.store import KeptKind, RunStore

__all__ = ["StepRecords"]


class StepRecords:
    """The records of one kind, by step."""

    def __init__(self, store: RunStore, kind: KeptKind) -> None:
        self._store = store
        self._kind = kind
        self._known: dict[int, MatchBatchRecord] = {}

    def keep(self, step: int, record: MatchBatchRecord) -> None:
        """Keep the record of a finished step."""
        self._known[step] = record
        self._store.keep_record(step, record, self._kind)

    def of(self, step: int) -> MatchBatchRecord:
        """Return the record of a step, from the folder where it is no longer in memory.

        Raises RecordError where the file is missing or damaged.
        """
        if step not in self._known:
            self._known[step] = self._store.kept_record(step, self._kind)
        return self._known[step]

    def forget(self, before: int) -> None:
        """Release the memory of the records of steps before `before`."""
        self._known = {step: kept for step, kept in self._known.items() if step >= before}
