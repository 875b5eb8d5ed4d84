"""The driving of a run by a command, from the first task to the words on its results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from gdl_miner.agent.extras import check_extra, is_installed
from gdl_miner.agent.files.new_file import storing
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.miner.commands.workplace import (
    ExecutorKind,
    check_choice,
    interruptible,
    open_executor,
    said_by_cluster,
)
from gdl_miner.miner.results.store import BEST, RAY_LOG
from gdl_miner.miner.runs.driver import drive_run, plan_in_words
from gdl_miner.miner.runs.interruption import resume_command
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.setup import RunSetup

_ERRORS = 2  # descriptor of the standard error stream


def check_run(kind: ExecutorKind, workers: int | None, address: str | None) -> None:
    """Do as `check_choice` for a command that makes runs, whose libraries are asked for before hours of work.

    Where the library of the pictures is not installed, a line says that there will be none.
    """
    check_extra("learn", "learning")
    check_choice(kind, workers, address)
    if not is_installed("plots"):
        print("runs draw no pictures; pip install 'gdl-miner[plots]' for them, also afterwards", file=sys.stderr)


def drive(setup: RunSetup, reporter: Reporter, kind: ExecutorKind, workers: int | None, address: str | None) -> None:
    """Drive a run to its end on the executor that the command line asks for; see `interruptible`."""
    deadline_s = setup.settings.execution.deadline_s
    resume = resume_command(setup.store.folder)
    local = kind is ExecutorKind.ray and address is None
    if kind is ExecutorKind.ray:
        reporter.working("starting workers" if local else f"joining the cluster at {address}")
    with (
        said_by_cluster(reporter.note),
        interruptible(resume, reporter.close, lambda: open_executor(kind, workers, address, deadline_s)) as workplace,
    ):
        if local:
            reporter.note(f"{workplace.workers} processor{'s'[: workplace.workers > 1]} of this machine")
        if kind is ExecutorKind.ray and (plan := plan_in_words(setup, workplace.workers, workplace.threads)):
            reporter.note(plan)
        with _errors_in(setup.store.folder / RAY_LOG) if kind is ExecutorKind.ray else nullcontext():
            drive_run(setup, workplace, reporter)


@contextmanager
def _errors_in(path: Path) -> Iterator[None]:
    """Append to a file what libraries write as errors: Ray writes pages of its stacks where it loses a machine."""
    sys.stderr.flush()
    usual = os.dup(_ERRORS)
    with storing(path):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    os.dup2(file, _ERRORS)
    os.close(file)
    try:
        yield
    finally:
        os.dup2(usual, _ERRORS)
        os.close(usual)
        if path.stat().st_size == 0:
            path.unlink()


def conclude(folder: Path, reporter: Reporter) -> None:
    """Close the display and print where the results are."""
    reporter.close()
    best = folder / BEST
    print(f"best knowledge: {best}{' (empty: no knowledge helps)' if read_knowledge(best).empty else ''}")
    print(f"report:         {folder / 'report.html'}")
