"""The execution of commands: the choice of an executor, the handling of interruptions, the display of progress."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from gdl_miner.agent.commands.program import INTERRUPTED
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.new_file import storing
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.miner.play.executor import Executor, SerialExecutor
from gdl_miner.miner.results.store import BEST, RAY_LOG
from gdl_miner.miner.runs.driver import drive_run, plan_in_words
from gdl_miner.miner.runs.interruption import interrupt_on_termination, resume_command
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.setup import RunSetup

_ERRORS = 2  # descriptor of the standard error stream


class ExecutorKind(StrEnum):
    """The kinds of executor."""

    ray = "ray"
    serial = "serial"


Executors = Annotated[
    ExecutorKind, typer.Option("--executor", help="ray: many processes or machines; serial: this one.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=MAX_COUNT, help="Tasks at a time.", show_default="one per processor")
]
Address = Annotated[
    str | None, typer.Option(help="Join a Ray cluster: auto, HOST:PORT or ray://HOST:10001, instead of starting one.")
]


def check_choice(kind: ExecutorKind, workers: int | None, address: str | None) -> None:
    """Raise UserError where the options contradict each other."""
    if kind is ExecutorKind.serial and (address is not None or (workers or 1) > 1):
        raise UserError("--executor serial runs everything in this process; leave --workers and --address out")


def open_executor(kind: ExecutorKind, workers: int | None, address: str | None, deadline_s: float) -> Executor:
    """Open the executor that the command line asks for; from then on SIGTERM acts as Ctrl-C does."""
    interrupt_on_termination()
    if kind is ExecutorKind.serial:
        return SerialExecutor()
    from gdl_miner.cluster.launch import open_ray  # Ray takes seconds to import; only this path needs it

    return open_ray(workers, address, deadline_s)


@contextmanager
def interruptible(resume: str, end_display: Callable[[], None], executor: Callable[[], Executor]) -> Iterator[Executor]:
    """Open an executor, and close it and end the display at the end of the block in any case.

    After a user error, Ctrl-C or SIGTERM (exit status 130) the message says how to go on: `resume`.
    """
    with ExitStack() as opened:
        opened.callback(end_display)
        try:
            yield opened.enter_context(closing(executor()))
        except KeyboardInterrupt:
            end_display()
            print(f"interrupted; continue with: {resume}", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except UserError as error:
            raise UserError(f"{error}\nwhat is finished is kept; continue with: {resume}") from error


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


@contextmanager
def said_by_cluster(note: Callable[[str], None]) -> Iterator[None]:
    """Pass on to `note` what the cluster says of its machines and of lost tasks."""
    log, handler = logging.getLogger("gdl_miner.cluster"), _Said(note)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
        log.propagate = True


class _Said(logging.Handler):
    """It passes messages on."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__()
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on the message."""
        self._note(record.getMessage())


def conclude(folder: Path, reporter: Reporter) -> None:
    """Close the display and print where the results are."""
    reporter.close()
    best = folder / BEST
    print(f"best knowledge: {best}{' (empty: no knowledge helps)' if read_knowledge(best).empty else ''}")
    print(f"report:         {folder / 'report.html'}")


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on the standard error stream if it is a terminal."""
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        yield progress
