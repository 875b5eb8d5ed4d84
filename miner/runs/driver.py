"""The driver of a run: it does the tasks that the learner yields and keeps their results in the run's journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl_miner.miner.play.executor import Executor
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.report import RunReport
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.run import Run

if TYPE_CHECKING:
    from gdl_miner.miner.runs.setup import RunSetup


def drive_run(setup: RunSetup, executor: Executor, reporter: Reporter) -> None:
    """Drive a new or interrupted run to its end.

    The tables are cut back to the end of the last task in the journal. Raises ConfigError where the journal is damaged,
    or the learner asks for other tasks than those of the journal; then nothing is changed.
    """
    store, (learner, task) = setup.store, setup.replayed
    report = RunReport(store.folder, setup.game.machine())
    run = Run(setup.game, setup.method.unit, setup.settings, store, executor, reporter, report.draw)
    executor.watcher = reporter.progress
    setup.cut_tables()
    run.service(BaselineMatches).tune()
    try:
        while task is not None:
            result = setup.journal.append(task, task.run(run), store.marks())
            store.forget_tasks()
            task = learner.send(result)
    except StopIteration:
        pass
    report.finish()
    store.end()
