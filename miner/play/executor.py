"""Executors run tasks, in one process or on a cluster; whoever hands out the tasks need not know where.

A task's result depends on the task and the shared values only, so it does not matter where, how often or in which order
tasks run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Shared:
    """A value that many tasks read, kept where the tasks run. `Executor.share` makes it."""

    reference: Any


@dataclass(frozen=True)
class WorkerTask:
    """One piece of work: `id` is its permanent name, and `payload` is its own input beside the shared values."""

    id: str
    payload: Any


class Executor(Protocol):
    """A way to run `work(*shared values, payload)` for many tasks."""

    @property
    def workers(self) -> int:
        """The number of tasks that run at the same time."""

    def share(self, value: object) -> Shared:
        """Put a value where every task can read it."""

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) once per task, in order of completion. Raises what `work` raises."""

    def close(self) -> None:
        """Release the resources of the executor."""


class SerialExecutor:
    """An executor that runs one task after the other in this process."""

    workers = 1

    def share(self, value: object) -> Shared:
        """Keep the value as it is."""
        return Shared(value)

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) in the order of the tasks."""
        values = [entry.reference for entry in shared]
        for task in tasks:
            yield task.id, work(*values, task.payload)

    def close(self) -> None:
        """Do nothing, because there is nothing to release."""
