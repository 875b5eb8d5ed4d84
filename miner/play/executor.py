"""Where work runs. The evolution hands out tasks and takes results; one process or a cluster, it does not know.

A task's result depends on the task and the shared values only, so it does not matter where, how often or in which order
tasks run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

__all__ = ["Executor", "SerialExecutor", "Shared", "Task"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Shared:
    """A value that many tasks read, kept where the tasks run. Made by `Executor.share`."""

    reference: Any


@dataclass(frozen=True)
class Task:
    """One piece of work: `id` names it for good, `payload` is what differs from task to task."""

    id: str
    payload: Any


class Executor(Protocol):
    """Runs `work(*shared values, payload)` for many tasks."""

    @property
    def workers(self) -> int:
        """Tasks that run at the same time."""

    def share(self, value: object) -> Shared:
        """Puts a value where every task can read it."""

    def run(
        self, work: Callable[..., Result], shared: Sequence[Shared], tasks: Sequence[Task]
    ) -> Iterator[tuple[str, Result]]:
        """Yields (task id, result) once per task, in order of completion. Raises what `work` raises."""

    def close(self) -> None:
        """Gives back what the executor holds."""


class SerialExecutor:
    """Runs one task after the other in this process."""

    workers = 1

    def share(self, value: object) -> Shared:
        """Keeps the value as it is."""
        return Shared(value)

    def run(
        self, work: Callable[..., Result], shared: Sequence[Shared], tasks: Sequence[Task]
    ) -> Iterator[tuple[str, Result]]:
        """Yields (task id, result) in the order of the tasks."""
        values = [entry.reference for entry in shared]
        for task in tasks:
            yield task.id, work(*values, task.payload)

    def close(self) -> None:
        """Nothing to give back."""
