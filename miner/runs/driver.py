"""The driver of a run: it does the tasks that the learner yields and keeps their results in the run's journal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.play.executor import Executor, WorkProgress
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.mirror import kept_mirror, mirrored
from gdl_miner.miner.runs.report import RunReport
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.task import Task

if TYPE_CHECKING:
    from gdl_miner.miner.runs.setup import RunSetup

_ALONE = 0.4  # share of a training that only one of its threads can do
_WRITE_S = 5.0  # seconds between two writings of how far the work is


def drive_run(setup: RunSetup, executor: Executor, reporter: Reporter) -> None:
    """Drive a new or interrupted run to its end.

    The tables are cut back to the end of the last task in the journal. Raises ConfigError where the journal is damaged,
    or the learner asks for other tasks than those of the journal, for none or for what is no task; then nothing is
    changed. Raises UserError where the run has a mirror that is of another run, or ahead of the folder.
    """
    store, (learner, task) = setup.store, setup.replayed
    if task is None and not setup.journal.finished:
        raise ConfigError(f"the learner {setup.method.name} yielded no task; it has to keep and measure a player")
    report = RunReport(store.folder, setup.game.machine())
    run = Run(setup.game, setup.method.unit, setup.settings, store, executor, reporter, report.draw)
    setup.cut_tables()
    with mirrored(kept_mirror(store.folder), store.folder, reporter.note) as copy:
        copy()
        try:
            executor.watcher = _Watch(reporter, store)
            run.service(BaselineMatches).tune()
            while task is not None:
                if not isinstance(task, Task):
                    raise ConfigError(f"the learner {setup.method.name} yielded {task!r:.200}; a learner yields tasks")
                result = setup.journal.append(task, task.run(run), store.marks())
                store.forget_tasks()
                copy()
                task = learner.send(result)
        except StopIteration:
            pass
        finally:
            executor.watcher = None
        report.finish()
        store.end()


def plan_in_words(setup: RunSetup, workers: int, threads: int) -> str:
    """Return how many processors the tasks that train keep busy, empty where nothing is known of them.

    Args:
        setup: the run.
        workers: tasks that run at the same time.
        threads: most threads of a task.
    """
    trainings = setup.method.trainings(setup.settings)
    if not trainings:
        return ""
    elapsed = 0.0
    for tasks, seconds in trainings:
        team = max(1, min(threads, workers // tasks))
        elapsed += -(-tasks // workers) * seconds * (_ALONE + (1 - _ALONE) / team)
    busy = sum(tasks * seconds for tasks, seconds in trainings) / (workers * elapsed)
    most, last, unit = max(trainings), trainings[-1], setup.method.unit
    largest, least = f"{_tasks(*most)} in the largest {unit}", f"{elapsed / 60:.1f} min in all at least"
    share = f"{100 * busy:.0f} % of {workers} processor{'s'[: workers > 1]}"
    return f"offers {largest} and {_tasks(*last)} in the last, {least}: they keep {share} busy"


def _tasks(number: int, seconds: float) -> str:
    return f"{number} task{'s'[: number > 1]} of {seconds:g} s"


class _Watch:
    """The watcher of a run. It reports how far the work is, and now and then writes it where others can read it."""

    def __init__(self, reporter: Reporter, store: RunStore) -> None:
        self._reporter = reporter
        self._store = store
        self._written = time.monotonic()

    def __call__(self, work: WorkProgress) -> None:
        """Report and perhaps write it."""
        self._reporter.progress(work)
        if (now := time.monotonic()) - self._written >= _WRITE_S:
            self._store.write_work(work)
            self._written = now
