"""An executor without Ray, whose processes share nothing but the machine: a bound for workers on that machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

from gdl_miner.miner.play.executor import Shared, Task

__all__ = ["ApartExecutor"]

ResultT = TypeVar("ResultT")


class ApartExecutor:
    """An executor of `workers` processes on this machine, without Ray. It does not survive a lost process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._processes = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))

    def share(self, value: object) -> Shared:
        """Keep the value, which travels with every task."""
        return Shared(value)

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[Task]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) once per task, in order of completion."""
        values = [entry.reference for entry in shared]
        running = {self._processes.submit(work, *values, task.payload): task.id for task in tasks}
        for finished in as_completed(running):
            yield running[finished], finished.result()

    def close(self) -> None:
        """End the processes."""
        self._processes.shutdown()
