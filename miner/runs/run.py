"""A run, as its tasks see it: the game, the settings, the folder, and the executor that does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records, select_matches
from gdl_miner.miner.play.executor import Executor, Shared, WorkerTask
from gdl_miner.miner.play.match_tasks import FEWEST, cut_into_tasks
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.results.tables import StepPart, timing_row
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.settings import LearnerSettings

ServiceT = TypeVar("ServiceT")


class Run:
    """One run, new or continued."""

    def __init__(
        self,
        game: PreparedGame,
        unit: str,
        settings: LearnerSettings,
        store: RunStore,
        executor: Executor,
        reporter: Reporter,
        draw: Callable[[], None],
    ) -> None:
        """Begin with nothing done.

        Args:
            game: the game.
            unit: the name of a step.
            settings: the configuration.
            store: the run's folder.
            executor: where tasks do their work.
            reporter: it is told how the run goes.
            draw: draws the pictures and the report from the files in the folder.
        """
        self.game = game
        self.unit = unit
        self.settings = settings
        self.store = store
        self.executor = executor
        self.reporter = reporter
        self.draw = draw
        self.shared_game: Shared = executor.share(game)
        self._services: dict[Callable[..., Any], Any] = {}

    @property
    def roles(self) -> int:
        """The number of roles that have players: all but the one that moves by chance."""
        return len(self.choosing_roles)

    @property
    def choosing_roles(self) -> tuple[int, ...]:
        """The roles that have players."""
        return self.game.circuit.choosing_roles

    @property
    def machine(self) -> Machine:
        """The machine of the game."""
        return self.game.machine()

    def service(self, kind: Callable[[Run], ServiceT]) -> ServiceT:
        """Return the one object of a class that the tasks of this run share, such as a cache, made on first use."""
        if kind not in self._services:
            self._services[kind] = kind(self)
        service: ServiceT = self._services[kind]
        return service

    def on_workers(
        self, work: Callable[..., ServiceT], shared: Sequence[object], pieces: Sequence[WorkerTask]
    ) -> list[ServiceT]:
        """Return the results of `work(game, *shared, payload)` for all pieces, in their order.

        The results do not depend on the order in which workers end.
        """
        values = (self.shared_game, *(self.executor.share(each) for each in shared))
        results = dict(self.executor.run(work, values, pieces))
        return [results[piece.id] for piece in pieces]

    def threads(self, tasks: int) -> int:
        """Return how many threads each of so many tasks may have, so that as few processors as possible idle."""
        return max(1, min(self.executor.threads, self.executor.workers // tasks))

    def kept_tasks(self, name: str, pieces: Sequence[object], largest: int, fewest: int = FEWEST) -> KeptTasks:
        """Return tasks of at most `largest` pieces each; their results survive an interruption.

        Where there are as many, a task has at least `fewest`.
        """
        tasks = cut_into_tasks(name, pieces, largest, max(1, self.executor.workers), fewest)
        return KeptTasks(self.store, self.machine.circuit, tasks)

    def write_time(self, part: StepPart, matches: int | None, playouts: int | None, seconds: float) -> None:
        """Write to timings.csv how long a part of a step took; a part without matches or playouts gives None."""
        self.store.timings.append([timing_row(part, matches, playouts, seconds)])


class KeptTasks:
    """Tasks for workers that each make a record; an interruption loses only those in progress.

    The payload of a task is a tuple of pieces, and its record has a match for each.
    """

    def __init__(self, store: RunStore, circuit: Circuit, tasks: Sequence[WorkerTask]) -> None:
        self._store = store
        self._tasks = tasks
        self._parts = {task.id: kept for task in tasks if (kept := _kept(store, circuit, task)) is not None}
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


def _kept(store: RunStore, circuit: Circuit, task: WorkerTask) -> MatchBatchRecord | None:
    """Return the record of a task that was finished before an interruption; None where its pieces were others."""
    kept = store.kept_task(task.id, circuit)
    return kept if kept is not None and kept.ids == tuple(piece.id for piece in task.payload) else None
