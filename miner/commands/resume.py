"""`miner resume`: an interrupted run goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from agent.version import program_version
from miner.commands.workplace import (
    Address,
    ExecutorKind,
    Executors,
    Workers,
    check_choice,
    conclude,
    interruptible,
    open_executor,
)
from miner.play.executor import Executor
from miner.runs.reporting import reporter_for
from miner.runs.resumption import read_resumption
from miner.runs.run import Run
from miner.runs.run_lock import possession

__all__ = ["resume"]


def resume(
    run: Annotated[Path, typer.Argument(help="The folder of the run.", metavar="RUN")],
    workers: Workers = None,
    executor: Executors = ExecutorKind.ray,
    address: Address = None,
) -> None:
    """Continue an interrupted run where it was: after Ctrl-C, a crash, a full disk or a lost machine.

    Game, configuration and seed are those of the run; only where the work is done may change. The results are the same
    bytes that an undisturbed run gives.
    """
    check_choice(executor, workers, address)
    with possession(run):
        _resume(run, lambda deadline_s: open_executor(executor, workers, address, deadline_s))


def _resume(run: Path, executor: Callable[[float], Executor]) -> None:
    found = read_resumption(run)
    if found.store.finished:
        print(f"{run}: the run is complete")
        return
    reporter = reporter_for()
    reporter.note(f"resuming {run} in generation {found.state.generation}")
    with interruptible(run, reporter, lambda: executor(found.settings.execution.deadline_s)) as workplace:
        found.cut_tables()
        Run(
            found.game,
            found.settings,
            found.store,
            workplace,
            reporter,
            program_version(),
            found.state,
            found.features_mined,
        ).execute()
        conclude(run, reporter)
