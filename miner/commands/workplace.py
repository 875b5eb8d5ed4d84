"""The executor of a command: its choice, the handling of interruptions, the display of progress."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from gdl_miner.agent.commands.program import INTERRUPTED
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.extras import check_extra, is_installed
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.miner.play.executor import Executor, SerialExecutor
from gdl_miner.miner.runs.interruption import interrupt_on_termination


class ExecutorKind(StrEnum):
    """The kinds of executor."""

    ray = "ray"
    serial = "serial"


DEFAULT_EXECUTOR = ExecutorKind.ray if is_installed("cluster") else ExecutorKind.serial

Executors = Annotated[
    ExecutorKind,
    typer.Option(
        "--executor",
        help="ray: many processes or machines; serial: this one, also where Ray is not installed.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=MAX_COUNT, help="Tasks at a time.", show_default="one per processor")
]
Address = Annotated[
    str | None, typer.Option(help="Join a Ray cluster: auto, HOST:PORT or ray://HOST:10001, instead of starting one.")
]


def check_choice(kind: ExecutorKind, workers: int | None, address: str | None) -> None:
    """Raise UserError where the options contradict each other, or ask for Ray where it is not installed."""
    many = address is not None or (workers or 1) > 1
    if kind is ExecutorKind.ray or many:
        check_extra("cluster", "more processes than one" if many else "--executor ray")
    if kind is ExecutorKind.serial and many:
        raise UserError("--executor serial runs everything in this process; leave --workers and --address out")


def open_executor(kind: ExecutorKind, workers: int | None, address: str | None, deadline_s: float) -> Executor:
    """Open the executor that the command line asks for; from then on SIGTERM acts as Ctrl-C does."""
    interrupt_on_termination()
    if kind is ExecutorKind.serial:
        if not is_installed("cluster"):
            print("this process does all the work; pip install 'gdl-miner[cluster]' for more of them", file=sys.stderr)
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


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on the standard error stream if it is a terminal."""
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        yield progress
