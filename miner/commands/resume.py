"""`miner resume` continues an interrupted run as if nothing had happened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.miner.commands.driving import check_run, conclude, drive
from gdl_miner.miner.commands.workplace import DEFAULT_EXECUTOR, Address, ExecutorKind, Executors, Workers
from gdl_miner.miner.runs.mirror import keep_mirror
from gdl_miner.miner.runs.reporting import reporter_for
from gdl_miner.miner.runs.run_lock import lock_run
from gdl_miner.miner.runs.setup import interrupted_run


def resume(
    run: Annotated[Path, typer.Argument(help="The folder of the run.", metavar="RUN")],
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
) -> None:
    """Continue an interrupted run where it was: after Ctrl-C, a crash, a full disk or a lost machine.

    Game, configuration and seed are those of the run; only where the work is done may change. The results are the same
    bytes that an undisturbed run gives.
    """
    check_run(executor, workers, address)
    go_on(run, executor, workers, address)


def go_on(
    run: Path,
    executor: ExecutorKind,
    workers: int | None,
    address: str | None,
    expected: Mapping[str, Any] | None = None,
    mirror: str | None = None,
) -> None:
    """Continue a run.

    With `mirror` the run has that mirror from here on. Raises ConfigError where it is not the run with the content
    `expected` of config.json, if that is given, and UserError where the mirror is of another run, or ahead of the
    folder.
    """
    with lock_run(run):
        setup = interrupted_run(run)
        if expected is not None:
            setup.check_content(expected, f"give another --out, or continue it as it is with `miner resume {run}`")
        if mirror is not None:
            keep_mirror(run, mirror)
        if setup.is_complete():
            print(f"{run}: the run is complete")
            return
        setup.check()  # here, so that nothing is started for a run that cannot go on
        reporter = reporter_for()
        reporter.note(
            f"resuming {run} in {setup.method.unit} {setup.journal.step}, after {setup.journal.finished} tasks"
        )
        drive(setup, reporter, executor, workers, address)
    conclude(run, reporter)
