"""The Ray executor: ships tasks to workers, gathers results, replays what a lost or hanging worker left.

Tasks, not actors: a task holds no state, so a lost worker costs its running tasks and nothing else. At most a bounded
number of tasks is in flight; each has a deadline, after which it is cancelled and submitted again under the same id.
The first result of an id wins, later ones are ignored. None of this shows in the results, because a task's result
depends on nothing but the task.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from agent.errors import UserError
from cluster.session import Session
from miner.evolution.executor import Shared, Task

__all__ = ["ClusterError", "RayExecutor"]

Result = TypeVar("Result")

_log = logging.getLogger(__name__)
_POLL_S = 0.5  # longest wait between two looks at deadlines and at the nodes of the cluster
_AHEAD = 2  # tasks in flight per processor: one runs while the next one waits beside it


class ClusterError(UserError):
    """The cluster cannot be reached, or keeps losing the same task."""


@ray.remote(num_cpus=1, max_retries=0)
def _perform(work: Callable[..., Any], payload: Any, *values: Any) -> Any:
    return work(*values, payload)


class RayExecutor:
    """Runs tasks on a Ray session. Close it, or use it as a context manager, to shut down a session started here."""

    def __init__(self, session: Session, *, deadline_s: float = 900.0, attempts: int = 5) -> None:
        self.session = session
        self._deadline_s = deadline_s
        self._attempts = attempts

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def workers(self) -> int:
        """Processors that the session has at this moment."""
        return self.session.processors()

    def share(self, value: object) -> Shared:
        """Puts a value into Ray's object store, once for all tasks."""
        return Shared(ray.put(value))

    def run(
        self, work: Callable[..., Result], shared: Sequence[Shared], tasks: Sequence[Task]
    ) -> Iterator[tuple[str, Result]]:
        """Yields (task id, result) once per task, in order of completion.

        Raises what `work` raises, and ClusterError where a task was lost or overdue too often.
        """
        flight = _Flight(work, [entry.reference for entry in shared], tasks, self._deadline_s, self._attempts)
        try:
            while flight.busy:
                flight.submit(_AHEAD * self.workers)
                yield from flight.collect()
                flight.resubmit_overdue()
        finally:
            flight.abandon()

    def close(self) -> None:
        """Shuts down a session started here; leaves a joined cluster running."""
        self.session.close()


@dataclass
class _Running:
    """An attempt at a task."""

    task: Task
    started: float


@dataclass
class _Flight:
    """The attempts of one run."""

    work: Callable[..., Any]
    values: list[Any]
    tasks: Sequence[Task]
    deadline_s: float
    attempts: int
    waiting: deque[Task] = field(init=False)
    code: Any = field(init=False)
    running: dict[Any, _Running] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.waiting = deque(self.tasks)
        self.code = ray.put(self.work)  # travels once, not with every task

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return len(self.done) < len(self.tasks)

    def submit(self, bound: int) -> None:
        """Starts waiting tasks while fewer than `bound` are in flight."""
        while self.waiting and len(self.running) < bound:
            task = self.waiting.popleft()
            if task.id in self.done:
                continue
            reference = _perform.remote(self.code, task.payload, *self.values)
            self.running[reference] = _Running(task, time.monotonic())
            self.tried[task.id] = self.tried.get(task.id, 0) + 1

    def collect(self) -> Iterator[tuple[str, Any]]:
        """Results that came in; waits a moment for the first."""
        ready, _ = ray.wait(list(self.running), num_returns=1, timeout=_POLL_S)
        if ready:  # whatever else is ready comes in the same round
            ready, _ = ray.wait(list(self.running), num_returns=len(self.running), timeout=0)
        for reference in ready:
            task = self.running.pop(reference).task
            if task.id in self.done:
                continue
            try:
                result = ray.get(reference)
            except RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None
            except RayError as error:
                self._again(task, f"lost ({type(error).__name__})")
                continue
            self.done.add(task.id)
            yield task.id, result

    def resubmit_overdue(self) -> None:
        """Cancels attempts past their deadline and queues their tasks once more."""
        now = time.monotonic()
        for reference, attempt in list(self.running.items()):
            if now - attempt.started < self.deadline_s:
                continue
            del self.running[reference]
            ray.cancel(reference, force=True)
            if attempt.task.id not in self.done:
                self._again(attempt.task, f"not finished after {self.deadline_s:g} s")

    def abandon(self) -> None:
        """Cancels whatever still runs."""
        for reference in self.running:
            ray.cancel(reference, force=True)
        self.running.clear()

    def _again(self, task: Task, what: str) -> None:
        tried = self.tried[task.id]
        if tried >= self.attempts:
            raise ClusterError(
                f"task {task.id} was {what}, {tried} times; look at the workers' memory and logs (`ray status`, "
                "`ray logs`)"
            )
        _log.warning("task %s was %s; attempt %d of %d", task.id, what, tried + 1, self.attempts)
        self.waiting.appendleft(task)
