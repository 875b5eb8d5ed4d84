"""Executors run tasks, in one process or on a cluster; whoever hands out the tasks need not know where.

A task's result depends on the task and the shared values only, so it does not matter where, how often or in which order
tasks run, nor whether one is done in parts. Tasks tell how far they are, and a watcher of the executor hears it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

ResultT = TypeVar("ResultT")

_MACHINES = 4  # most in a line
_TELL_S = 0.5  # seconds; least time between two calls of a watcher


@dataclass(frozen=True)
class Shared:
    """A value that many tasks read, kept where the tasks run. `Executor.share` makes it."""

    reference: Any


@dataclass(frozen=True)
class WorkerTask:
    """One piece of work: `id` is its permanent name, and `payload` is its own input beside the shared values.

    A task with `join` can be done in parts: its payload is a tuple of pieces, and the results of parts of the tuple, in
    order, join to the result of the whole.
    """

    id: str
    payload: Any
    join: Callable[[Sequence[Any]], Any] | None = None


class TaskProgress(NamedTuple):
    """How far a task is."""

    done: int = 0  # pieces that have ended: matches, or parts of a training
    of: int = 0  # pieces; 0: unknown
    moves: int = 0  # joint moves that were made in all matches


class MachineProgress(NamedTuple):
    """What a machine has done of the tasks of `Executor.run`."""

    name: str
    running: int  # tasks
    done: int


class WorkProgress(NamedTuple):
    """How far the tasks of `Executor.run` are."""

    waiting: int  # tasks that nobody has begun
    running: tuple[TaskProgress, ...]
    done: int  # tasks
    machines: tuple[MachineProgress, ...] = ()  # empty where this process does the work

    def in_words(self) -> list[str]:
        """Return texts such as `2 tasks at work, 1 waiting` and `10.0.0.2: 1 at work, 3 done`."""
        said = []
        if self.running:
            more = f", {self.waiting} waiting" if self.waiting else ""
            said.append(f"{len(self.running)} task{'s'[: len(self.running) > 1]} at work{more}")
        if len(self.machines) > 1:
            said += [f"{row.name}: {row.running} at work, {row.done} done" for row in self.machines[:_MACHINES]]
            left = len(self.machines) - _MACHINES
            said += [f"and {left} more machines"] if left > 0 else []
        return said


Listener: TypeAlias = Callable[[TaskProgress], None]
Watcher: TypeAlias = Callable[[WorkProgress], None]

_listener: Listener | None = None


def tell(progress: TaskProgress) -> None:
    """Tell whoever runs the task of this process how far it is."""
    if _listener is not None:
        _listener(progress)


def listen(listener: Listener | None) -> Listener | None:
    """Let `listener` hear how far the tasks of this process are; None: nobody. Return who has heard it so far."""
    global _listener
    before, _listener = _listener, listener
    return before


class Executor(Protocol):
    """A way to run `work(*shared values, payload)` for many tasks."""

    watcher: Watcher | None
    """It is called about once a second while tasks run."""

    @property
    def workers(self) -> int:
        """The number of tasks that run at the same time."""

    @property
    def threads(self) -> int:
        """The number of threads that a task may have where no other tasks wait."""

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

    workers = threads = 1
    watcher: Watcher | None = None

    def share(self, value: object) -> Shared:
        """Keep the value as it is."""
        return Shared(value)

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) in the order of the tasks."""
        values = [entry.reference for entry in shared]
        for number, task in enumerate(tasks):
            hear = self._hearing(number, len(tasks))
            before = listen(hear)
            try:
                if hear is not None:
                    hear(TaskProgress())
                result = work(*values, task.payload)
            finally:
                listen(before)
            yield task.id, result
        if self.watcher is not None:
            self.watcher(WorkProgress(0, (), len(tasks)))

    def close(self) -> None:
        """Do nothing, because there is nothing to release."""

    def _hearing(self, done: int, tasks: int) -> Listener | None:
        """Return who passes on what the next task tells, after `done` of the tasks."""
        watcher, told = self.watcher, float("-inf")
        if watcher is None:
            return None

        def hear(progress: TaskProgress) -> None:
            nonlocal told
            if (now := time.monotonic()) - told >= _TELL_S:
                told = now
                watcher(WorkProgress(tasks - done - 1, (progress,), done))

        return hear
