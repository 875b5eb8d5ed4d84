"""The bookkeeping of when and how often each task is tried, without Ray and without a clock of its own.

At most two tasks per worker are in flight, so that a cluster that shrinks loses little and one that grows gets work at
once. Attempts are assumed to begin in the order in which they were sent. A task whose attempt is lost or overdue is
tried again. When no task waits any more, a free worker takes a copy of the task that has taken unusually long (a
straggler: Dean & Ghemawat 2004). The first result of a task wins.

The cost of a step hardly grows with the number of tasks.
"""

from __future__ import annotations

import logging
from bisect import insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.play.executor import WorkerTask

AHEAD = 2  # tasks in flight per worker: one runs while the next one waits beside it
_STRAGGLES = 1.5  # a task that takes so many times the median is copied to a free worker
_COPIES = 3  # most attempts at one task at the same time
_LEAST_S = 1.0  # seconds; a task that has taken less is no straggler

_log = logging.getLogger(__name__)


class ClusterError(UserError):
    """The cluster cannot be reached, or keeps losing the same task."""


@dataclass(eq=False)
class Attempt:
    """One try at a task."""

    task: WorkerTask
    sent: float  # seconds of the clock that the driver uses
    begun: float | None = None  # when a worker became free for it; None while it waits for one


class Dispatch:
    """The attempts at a list of tasks. Times are seconds of any clock that never goes back."""

    def __init__(
        self, tasks: Sequence[WorkerTask], deadline_s: float, losses: int, *, ahead: int = AHEAD, copies: bool = True
    ) -> None:
        self._left = len(tasks)
        self._waiting = deque(tasks)
        self._deadline_s = deadline_s
        self._losses = losses  # losses of one task after which the run is given up
        self._ahead = ahead  # tasks in flight per worker
        self._copies = copies  # whether stragglers are copied
        self._lost: dict[str, int] = {}
        self._running: dict[Attempt, None] = {}  # oldest first
        self._beside: deque[Attempt] = deque()  # running attempts that wait for a worker, and some ended ones
        self._begun = 0  # number of running attempts that have begun
        self._attempts: dict[str, list[Attempt]] = {}  # running attempts of tasks that are not done
        self._seconds: list[float] = []  # durations of finished attempts, ascending

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return self._left > 0

    @property
    def in_flight(self) -> int:
        """Number of attempts that run or wait for a worker."""
        return len(self._running)

    def start(self, workers: int, now: float) -> list[Attempt]:
        """Return the attempts to start now, with that number of workers."""
        sent = []
        while self._waiting and len(self._running) < self._ahead * workers:
            sent.append(self._send(self._waiting.popleft(), now))
        if not self._waiting and not sent:
            for task in self._stragglers(workers - len(self._running), now):
                _log.info("task %s takes long; a free worker tries it too", task.id)
                sent.append(self._send(task, now))
        while self._beside and self._begun < workers:
            attempt = self._beside.popleft()
            if attempt in self._running:
                attempt.begun = now
                self._begun += 1
        return sent

    def finished(self, attempt: Attempt, now: float) -> list[Attempt] | None:
        """Note a success; return the other attempts at the task, to be cancelled, or None where one was faster."""
        rivals = self._attempts.pop(attempt.task.id, None)
        if rivals is None:
            return None
        self._left -= 1
        insort(self._seconds, now - (attempt.sent if attempt.begun is None else attempt.begun))
        for each in rivals:
            self._end(each)
        return [each for each in rivals if each is not attempt]

    def lost(self, attempt: Attempt, what: str) -> None:
        """Note a loss, after which the task is tried again. Raises ClusterError where the task was lost too often."""
        if not self._drop(attempt):
            return
        name = attempt.task.id
        count = self._lost[name] = self._lost.get(name, 0) + 1
        if count >= self._losses:
            raise ClusterError(
                f"task {name} was {what}, {count} times; look at the workers' memory and logs (`ray status`, "
                "`ray logs`)"
            )
        _log.warning("task %s was %s; it is tried again (%d of %d)", name, what, count + 1, self._losses)
        self._again(attempt)

    def refused(self, attempt: Attempt) -> None:
        """Note that a worker must not do the task; it is tried elsewhere, and nothing counts against it."""
        if self._drop(attempt):
            self._again(attempt)

    def overdue(self, now: float) -> list[Attempt]:
        """Return attempts past their deadline, to be cancelled; their tasks are tried again. Raises as `lost` does."""
        late = []
        for attempt in self._running:
            if attempt.begun is None or now - attempt.begun < self._deadline_s:
                break
            late.append(attempt)
        for attempt in late:
            self.lost(attempt, f"not finished after {self._deadline_s:g} s")
        return late

    def _drop(self, attempt: Attempt) -> bool:
        """End an attempt; return whether its task still needs a result."""
        self._end(attempt)
        others = self._attempts.get(attempt.task.id)
        if others is None or attempt not in others:
            return False
        others.remove(attempt)
        return True

    def _again(self, attempt: Attempt) -> None:
        """Let a task wait for another try, unless one is still going on."""
        if not self._attempts[attempt.task.id]:
            del self._attempts[attempt.task.id]
            self._waiting.appendleft(attempt.task)

    def _send(self, task: WorkerTask, now: float) -> Attempt:
        attempt = Attempt(task, now)
        self._running[attempt] = None
        self._beside.append(attempt)
        self._attempts.setdefault(task.id, []).append(attempt)
        return attempt

    def _end(self, attempt: Attempt) -> None:
        if attempt in self._running:
            del self._running[attempt]
            self._begun -= attempt.begun is not None

    def _stragglers(self, free: int, now: float) -> list[WorkerTask]:
        """Return tasks whose latest attempt takes unusually long, longest first; at most one per free worker."""
        if not self._copies or free <= 0 or not self._seconds or len(self._seconds) < self._left:
            return []
        patience = max(_LEAST_S, _STRAGGLES * self._seconds[len(self._seconds) // 2])
        late: list[WorkerTask] = []
        for attempt in self._running:
            if len(late) == free or attempt.begun is None or now - attempt.begun < patience:
                break
            attempts = self._attempts[attempt.task.id]
            if attempts[-1] is attempt and len(attempts) < _COPIES:
                late.append(attempt.task)
        return late
