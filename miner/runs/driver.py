"""The driver of a run: it does the tasks that the learner yields and keeps their results in the run's journal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gdl_miner.miner.play.executor import Executor, WorkProgress
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.report import RunReport
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.run import Run

if TYPE_CHECKING:
    from gdl_miner.miner.runs.setup import RunSetup

_WRITE_S = 5.0  # seconds between two writings of how far the work is


def drive_run(setup: RunSetup, executor: Executor, reporter: Reporter) -> None:
    """Drive a new or interrupted run to its end.

    The tables are cut back to the end of the last task in the journal. Raises ConfigError where the journal is damaged,
    or the learner asks for other tasks than those of the journal; then nothing is changed.
    """
    store, (learner, task) = setup.store, setup.replayed
    report = RunReport(store.folder, setup.game.machine())
    run = Run(setup.game, setup.method.unit, setup.settings, store, executor, reporter, report.draw)
    executor.watcher = _Watch(reporter, store)
    setup.cut_tables()
    try:
        run.service(BaselineMatches).tune()
        while task is not None:
            result = setup.journal.append(task, task.run(run), store.marks())
            store.forget_tasks()
            task = learner.send(result)
    except StopIteration:
        pass
    finally:
        executor.watcher = None
    report.finish()
    store.end()


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
