"""The bookkeeping of when and how often each task is tried, without Ray and without a clock of its own.

At most two tasks per worker are in flight, so that a cluster that shrinks loses little and one that grows gets work at
once. Attempts are assumed to begin in the order in which they were sent. Once begun, an attempt sends heartbeats: one
that is silent or gets on no more is lost, one that is slow is not. One that is still silent long after attempts that
were sent later have begun is lost, too. A lost task is tried again in two halves where it can be done in parts; what is
finished of it is kept. A loss whose reason may lie elsewhere counts less: with the whole machine, or before the first
heartbeat. When no task waits any more, a free worker takes a copy of the task that has taken unusually long (a
straggler: Dean & Ghemawat 2004). The first result of a task wins.

The cost of a step hardly grows with the number of tasks.
"""

from __future__ import annotations

import logging
from bisect import insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.play.executor import WorkerTask

AHEAD = 2  # tasks in flight per worker: one runs while the next one waits beside it
_STRAGGLES = 1.5  # a task that takes so many times the median is copied to a free worker
_HALVES = 2
_COPIES = 3  # most attempts at one task at the same time
_LEAST_S = 1.0  # seconds; a task that has taken less is no straggler
_SILENT_S = 60.0  # seconds without a heartbeat after which an attempt is lost
_OVERTAKEN_S = 120.0  # seconds after which an attempt is lost that others have overtaken; a process may start slowly
_LATE_S = 600.0  # seconds after which an attempt that no worker begins is sent again
_MINOR = 3  # losses whose reason may lie elsewhere that count as one loss

_log = logging.getLogger(__name__)


class ClusterError(UserError):
    """The cluster cannot be reached, or keeps losing the same task."""


class _Losses(NamedTuple):
    """Counts of the losses of a task."""

    major: int = 0
    minor: int = 0  # for a reason that may lie elsewhere

    @property
    def counted(self) -> int:
        """The number that counts."""
        return self.major + self.minor // _MINOR


@dataclass(eq=False)
class Attempt:
    """One try at a task."""

    task: WorkerTask
    sent: float  # seconds of the clock that the driver uses
    begun: float | None = None  # when a worker became free for it; None while it waits for one
    heard: float | None = None  # time of its last heartbeat; None before the first one
    overtaken: float | None = None  # when an attempt that was sent later was heard, and this one was not
    stalled: float = 0.0  # seconds of work, or of rest, since it last got on


class Dispatch:
    """The attempts at a list of tasks. Times are seconds of any clock that never goes back."""

    def __init__(
        self, tasks: Sequence[WorkerTask], deadline_s: float, losses: int, *, ahead: int = AHEAD, copies: bool = True
    ) -> None:
        self._left = len(tasks)
        self._done = 0
        self._waiting = deque(tasks)
        self._deadline_s = deadline_s  # an attempt that gets on no more for so long is lost
        self._silent_s = min(_SILENT_S, deadline_s)
        self._losses = losses  # losses of one task after which the run is given up
        self._ahead = ahead  # tasks in flight per worker
        self._copies = copies  # whether stragglers are copied
        self._lost: dict[str, _Losses] = {}
        self._running: dict[Attempt, None] = {}  # oldest first
        self._unheard: dict[Attempt, None] = {}  # running attempts without a heartbeat, oldest first
        self._beside: deque[Attempt] = deque()  # running attempts that wait for a worker, and some ended ones
        self._begun = 0  # number of running attempts that have begun
        self._attempts: dict[str, list[Attempt]] = {}  # running attempts of tasks that are not done
        self._seconds: list[float] = []  # durations of finished attempts, ascending
        self._halves: dict[str, tuple[WorkerTask, int]] = {}  # by id of a half: the task it is of, its number
        self._results: dict[str, dict[int, Any]] = {}  # by id of a task in halves: results of the halves, by number

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return self._left > 0

    @property
    def done(self) -> int:
        """Number of tasks and halves that are done."""
        return self._done

    @property
    def waiting(self) -> int:
        """Number of tasks that no worker has begun, as far as is known."""
        return len(self._waiting) + len(self._unheard)

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
                _log.debug("task %s takes long; a free worker tries it too", task.id)
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
        self._done += 1
        insort(self._seconds, now - (attempt.sent if attempt.begun is None else attempt.begun))
        for each in rivals:
            self._end(each)
        return [each for each in rivals if each is not attempt]

    def whole(self, task: WorkerTask, result: Any) -> tuple[WorkerTask, Any] | None:
        """Return the task that was asked for, with its result; None while the other half of the task is not done."""
        while task.id in self._halves:
            half, (task, number) = result, self._halves.pop(task.id)
            results = self._results.setdefault(task.id, {})
            results[number] = half
            if len(results) < _HALVES:
                return None
            assert task.join is not None
            result = task.join([results[number] for number in range(_HALVES)])
            del self._results[task.id]
        return task, result

    def lost(self, attempt: Attempt, what: str, *, minor: bool = False) -> None:
        """Note a loss, after which the task is tried again. Raises ClusterError where the task was lost too often.

        A `minor` loss is one whose reason may lie elsewhere than in the task.
        """
        if not self._drop(attempt):
            return
        task = attempt.task
        before = self._lost.get(task.id, _Losses())
        lost = self._lost[task.id] = _Losses(before.major + (not minor), before.minor + minor)
        if lost.counted >= self._losses:
            raise ClusterError(
                f"task {task.id} was {what}, {sum(lost)} times; look at the workers' memory and logs, and at what "
                "else holds their processors (`ray status`, `ray logs`)"
            )
        again = "it is tried again"
        if task.id not in self._attempts:
            halves = self._cut(task, lost) if lost.counted > before.counted else []
            again = "its halves are tried" if halves else again
            self._waiting.extendleft(reversed(halves or [task]))
        if lost.counted > before.counted:
            _log.warning("task %s was %s; %s (%d of %d)", task.id, what, again, lost.counted + 1, self._losses)

    def refused(self, attempt: Attempt) -> None:
        """Note that a worker must not do the task, which does not count as a loss; it is tried elsewhere."""
        if self._drop(attempt) and attempt.task.id not in self._attempts:
            self._waiting.appendleft(attempt.task)

    def heard(self, attempt: Attempt, now: float, stalled: float) -> None:
        """Note a heartbeat, and for how many seconds the attempt has not got on."""
        if attempt.heard is None:
            for other in self._unheard:
                if other is attempt:
                    break
                if other.overtaken is None:
                    other.overtaken = now
            self._unheard.pop(attempt, None)
        attempt.heard, attempt.stalled = now, stalled

    def deaf(self, now: float) -> None:
        """Note that no heartbeats could be heard for a while."""
        for attempt in self._running:
            attempt.heard = None if attempt.heard is None else now
            attempt.overtaken = None if attempt.overtaken is None else now

    def overdue(self, now: float) -> list[Attempt]:
        """Return attempts to be cancelled, because they are silent, get on no more or were never begun.

        Their tasks are tried again. Raises as `lost` does.
        """
        silent, stuck, missed, late = [], [], [], []
        for attempt in self._running:
            if attempt.heard is not None and now - attempt.heard >= self._silent_s:
                silent.append(attempt)
            elif attempt.stalled >= self._deadline_s:
                stuck.append(attempt)
            elif attempt.heard is not None:
                continue
            elif attempt.overtaken is not None and now - attempt.overtaken >= _OVERTAKEN_S:
                missed.append(attempt)
            elif attempt.begun is not None and now - attempt.begun >= _LATE_S:
                late.append(attempt)
        for attempt in silent:
            self.lost(attempt, f"not heard of for {self._silent_s:g} s")
        for attempt in stuck:
            self.lost(attempt, f"at work without progress for {self._deadline_s:g} s")
        unbegun = [(attempt, f"not begun {_OVERTAKEN_S:g} s after later ones") for attempt in missed]
        unbegun += [(attempt, f"not begun by any worker for {_LATE_S:g} s") for attempt in late]
        for attempt, what in unbegun:
            _log.warning("task %s was %s; it is sent again", attempt.task.id, what)
            self.lost(attempt, what, minor=True)
        return [*silent, *stuck, *missed, *late]

    def _drop(self, attempt: Attempt) -> bool:
        """End an attempt; return whether its task still needs a result."""
        self._end(attempt)
        others = self._attempts.get(attempt.task.id)
        if others is None or attempt not in others:
            return False
        others.remove(attempt)
        if not others:
            del self._attempts[attempt.task.id]
        return True

    def _cut(self, task: WorkerTask, losses: _Losses) -> list[WorkerTask]:
        """Return the halves of a task that was lost; none where it cannot be done in parts."""
        if task.join is None or len(task.payload) < _HALVES:
            return []
        middle = len(task.payload) // _HALVES
        parts = task.payload[:middle], task.payload[middle:]
        halves = [replace(task, id=f"{task.id}.{number + 1}", payload=part) for number, part in enumerate(parts)]
        for number, half in enumerate(halves):
            self._halves[half.id] = task, number
            self._lost[half.id] = losses
        self._left += _HALVES - 1
        return halves

    def _send(self, task: WorkerTask, now: float) -> Attempt:
        attempt = Attempt(task, now)
        self._running[attempt] = self._unheard[attempt] = None
        self._beside.append(attempt)
        self._attempts.setdefault(task.id, []).append(attempt)
        return attempt

    def _end(self, attempt: Attempt) -> None:
        if attempt in self._running:
            del self._running[attempt]
            self._unheard.pop(attempt, None)
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
