"""Tasks that keep their results in the run's folder, so that an interruption loses only the tasks in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records, select_matches
from gdl_miner.miner.play.executor import Executor, Shared, Task
from gdl_miner.miner.results.store import RunStore

__all__ = ["KeptTasks"]


class KeptTasks:
    """Tasks that each make a record. The payload of a task is a tuple of pieces; its record has a match for each."""

    def __init__(self, store: RunStore, tasks: Sequence[Task]) -> None:
        self._store = store
        self._tasks = tasks
        self._parts = {task.id: kept for task in tasks if (kept := _kept(store, task)) is not None}
        # The ids of matches that were played before an interruption.
        self.known = tuple(match for part in self._parts.values() for match in part.ids)

    def run(
        self, executor: Executor, work: Callable[..., MatchBatchRecord], shared: Sequence[Shared]
    ) -> Iterator[MatchBatchRecord]:
        """Run the tasks that have no result yet; yield every new record once it is kept."""
        left = [task for task in self._tasks if task.id not in self._parts]
        for name, record in executor.run(work, shared, left):
            self._store.keep_task(name, record)
            self._parts[name] = record
            yield record

    def record(self, ids: Sequence[str]) -> MatchBatchRecord:
        """Return the matches of all tasks, in the order of `ids`."""
        return select_matches(concatenate_records([self._parts[task.id] for task in self._tasks]), ids)


def _kept(store: RunStore, task: Task) -> MatchBatchRecord | None:
    """Return the record of a task that was finished before an interruption; None where its pieces were others."""
    kept = store.kept_task(task.id)
    return kept if kept is not None and kept.ids == tuple(piece.id for piece in task.payload) else None
