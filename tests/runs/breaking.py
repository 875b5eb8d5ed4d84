"""Runs in this process that break off, and go on until they are complete."""

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gdl_miner.miner.play.executor import Executor, SerialExecutor, Shared, WorkerTask
from gdl_miner.miner.runs.driver import drive_run
from gdl_miner.miner.runs.reporting import LogReporter
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run

__all__ = ["BreakError", "Breaking", "drive", "drive_with_breaks"]


def drive(setup: RunSetup, executor: Executor | None = None) -> str:
    """Drive a run to its end, and return its log."""
    log = io.StringIO()
    drive_run(setup, executor or SerialExecutor(), LogReporter(log))
    return log.getvalue()


def drive_with_breaks(setup: RunSetup, folder: Path, lasts: int) -> int:
    """Drive a run that breaks off after `lasts` tasks, then after one more, and so on; return the number of breaks."""
    breaks = 0
    while True:
        try:
            drive(setup, Breaking(lasts + breaks))
        except BreakError:
            breaks += 1
            setup = interrupted_run(folder)
        else:
            return breaks


class BreakError(Exception):
    """The error that ends an executor which breaks off."""


class Breaking(SerialExecutor):
    """An executor that ends with an error after `lasts` tasks."""

    def __init__(self, lasts: int) -> None:
        self._lasts = lasts

    def run(
        self, work: Callable[..., Any], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, Any]]:
        for result in super().run(work, shared, tasks):
            yield result
            self._lasts -= 1
            if self._lasts <= 0:
                raise BreakError
