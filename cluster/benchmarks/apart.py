"""Processes that have nothing in common but the machine: the most that more workers on it can give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

from miner.play.executor import Shared, Task

__all__ = ["ApartExecutor"]

Result = TypeVar("Result")


class ApartExecutor:
    """Runs each task in one of so many processes, without Ray; of no use beyond one machine, nor where one is lost."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._processes = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))

    def share(self, value: object) -> Shared:
        """Keeps the value; it travels with every task."""
        return Shared(value)

    def run(
        self, work: Callable[..., Result], shared: Sequence[Shared], tasks: Sequence[Task]
    ) -> Iterator[tuple[str, Result]]:
        """Yields (task id, result) once per task, in order of completion."""
        values = [entry.reference for entry in shared]
        running = {self._processes.submit(work, *values, task.payload): task.id for task in tasks}
        for finished in as_completed(running):
            yield running[finished], finished.result()

    def close(self) -> None:
        """Ends the processes."""
        self._processes.shutdown()
