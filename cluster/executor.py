"""The Ray executor: it sends tasks to workers, gathers results and repeats the tasks of lost or hanging workers.

It uses tasks of Ray, not actors: a task holds no state, so a lost worker costs its running tasks and nothing else. The
dispatch decides which task is tried when; this module does it with Ray. Results do not depend on any of this, because
the result of a task depends on the task alone.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import ray
from ray.exceptions import (
    NodeDiedError,
    OutOfDiskError,
    OutOfMemoryError,
    RayError,
    RaySystemError,
    RayTaskError,
    TaskCancelledError,
    WorkerCrashedError,
)

from gdl_miner.agent.errors import first_line
from gdl_miner.cluster.cancellation import Cancellations
from gdl_miner.cluster.dispatch import AHEAD, Attempt, ClusterError, Dispatch
from gdl_miner.cluster.machines import RayLostError, ready_of
from gdl_miner.cluster.session import RaySession
from gdl_miner.cluster.worker import Beat, Job, perform
from gdl_miner.miner.play.executor import MachineProgress, Shared, TaskProgress, Watcher, WorkerTask, WorkProgress

ResultT = TypeVar("ResultT")

_POLL_S = 0.5  # seconds; longest wait between two checks of deadlines and of the nodes of the cluster
_BEAT_S = 2.0  # seconds between heartbeats of a task
_WATCH_S = 1.0  # seconds between two calls of the watcher
_FROZEN_S = 30.0  # seconds after which a monitor that has answered before, and answers no more, is made anew
_PAUSE = 5  # heartbeats; where the monitor was not read for longer, nobody knows what was silent
_FETCH_S = 60.0  # seconds after which a result that is ready but does not arrive is lost

_log = logging.getLogger(__name__)


class RayExecutor:
    """An executor on a Ray session. Close it, or use it as a context manager, to shut down a session started here."""

    def __init__(self, session: RaySession, *, deadline_s: float = 900.0, attempts: int = 5, cpus: float = 1.0) -> None:
        """Send tasks to the machines of a session.

        Args:
            session: the connection to Ray; closing the executor closes it.
            deadline_s: seconds that a task may work, or rest, without getting on.
            attempts: losses of a task after which its run ends.
            cpus: processors of a task; below 1, several tasks share a processor.
        """
        self.session = session
        self.watcher: Watcher | None = None
        self._deadline_s = deadline_s
        self._attempts = attempts
        self._cpus = cpus
        self._cancelled = Cancellations()
        self._mark = secrets.token_hex(4)  # makes the names of its attempts unique on the cluster
        self._sent = 0  # number of attempts
        self._watched = float("-inf")  # time at which the watcher was told last
        self._pulse = _Pulse(session.monitor, self._mark, min(_BEAT_S, deadline_s / 4))

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def workers(self) -> int:
        """Number of tasks that can run at a time, at this moment."""
        return max(1, int(self.session.processors() / self._cpus))

    @property
    def threads(self) -> int:
        """Number of processors that a task finds on its machine, wherever it runs."""
        return min(self.workers, self.session.processors_together())

    def share(self, value: object) -> Shared:
        """Put a value into Ray's object store, once for all tasks. Raises ClusterError where it does not fit."""
        return Shared(self._put(value))

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) once per task, in order of completion.

        Raises what `work` raises, and ClusterError where a task was lost too often.
        """
        ahead = 1 if self.session.bounded else AHEAD  # an attempt that waits must not take a processor beyond the bound
        dispatch = Dispatch(tasks, self._deadline_s, self._attempts, ahead=ahead)
        machines = self.session.machines
        job = Job(work, machines.code_name, self.session.monitor, self._mark, self._deadline_s, self._pulse.every_s)
        common, values = self._put(job), [entry.reference for entry in shared]  # sent once, not with every task
        # Few tasks may have threads, so they should not share machines. Many fill all machines anyway.
        spread = {"scheduling_strategy": "SPREAD"} if len(tasks) < self.workers else {}
        flight, done = _Flight(), Counter[str]()
        try:
            while dispatch.busy:
                machines.check_ray_here()
                for attempt in dispatch.start(self.workers - len(self._cancelled), time.monotonic()):
                    name = self._name(attempt)
                    call = perform.options(num_cpus=self._cpus, name=name, **_elsewhere(machines.barred), **spread)
                    flight.add(attempt, call.remote(common, name, attempt.task.payload, *values), name)
                for reference, attempt in flight.ended():
                    if attempt not in flight:
                        continue  # cancelled a moment ago, because another attempt won
                    node = flight.node(attempt)
                    flight.remove(attempt)
                    machines.check_ray_here()
                    try:
                        node, deviation, result = _fetch(reference)
                    except _LostError as error:
                        gone = error.with_node or not machines.alive(node)
                        what = "lost with its machine" if gone else f"lost{machines.place(node)} ({error})"
                        dispatch.lost(attempt, what, minor=gone)
                        continue
                    if deviation is not None:
                        machines.deviates(node, deviation)
                        dispatch.refused(attempt)
                        continue
                    rivals = dispatch.finished(attempt, time.monotonic())
                    if rivals is not None:
                        self._cancelled.add(dict(flight.remove(each) for each in rivals))
                        done[node] += 1
                        if whole := dispatch.whole(attempt.task, result):
                            yield whole[0].id, whole[1]
                self._cancelled.add(dict(flight.remove(each) for each in self._listen(dispatch, flight, done)))
                self._cancelled.press(0.0 if flight else _POLL_S)
                if len(self._cancelled) >= self.workers:
                    self._cancelled.check_stuck()
        except RayLostError:
            machines.ray_lost = True
            raise
        finally:
            if not machines.ray_lost:
                self._cancelled.add(dict(flight.remove(each) for each in list(flight)))
            if self.watcher is not None:
                self.watcher(WorkProgress(0, (), dispatch.done))

    def close(self) -> None:
        """Shut down a session started here; leave a joined cluster running, without tasks of this executor."""
        if not self.session.machines.ray_lost:
            self._cancelled.finish()
        self.session.close()

    def _put(self, value: object) -> Any:
        self.session.machines.check_ray_here()
        try:
            return ray.put(value)
        except RayError as error:
            what = first_line(error)
            raise ClusterError(
                f"Ray's object store takes no more ({what}); give it more memory (`ray start --object-store-memory`), "
                "or free the disk it spills to"
            ) from error

    def _listen(self, dispatch: Dispatch, flight: _Flight, done: Counter[str]) -> list[Attempt]:
        """Take heartbeats, and tell the watcher of them from time to time. Return attempts to be cancelled."""
        beats, now = self._pulse.take(), time.monotonic()
        if beats is not None and self._pulse.paused:
            dispatch.deaf(now)
        for name, beat in (beats or {}).items():
            attempt = flight.hear(name, beat)
            if attempt is not None:
                dispatch.heard(attempt, now, beat.stalled)
        if self.watcher is not None and now - self._watched >= _WATCH_S:
            self._watched = now
            self.watcher(self._progress(dispatch, flight, done))
        return [] if beats is None else dispatch.overdue(now)

    def _progress(self, dispatch: Dispatch, flight: _Flight, done: Counter[str]) -> WorkProgress:
        beats, machines = flight.beats(), self.session.machines
        running = Counter(beat.node for beat in beats)
        rows = [MachineProgress(machines.name(node), running[node], done[node]) for node in {**running, **done}]
        told = tuple(TaskProgress(*beat.progress) for beat in beats)
        return WorkProgress(dispatch.waiting, told, dispatch.done, tuple(sorted(rows)))

    def _name(self, attempt: Attempt) -> str:
        """Return a name that no other attempt on the cluster has, for the title of the process."""
        self._sent += 1
        return f"{attempt.task.id} attempt-{self._mark}-{self._sent}"


class _Pulse:
    """The monitor of heartbeats, which is read without waiting for it."""

    def __init__(self, monitor: Any, mark: str, every_s: float) -> None:
        self.every_s = every_s
        self.paused = False  # whether the monitor was not read for a while before the last time
        self._monitor = monitor
        self._mark = mark
        self._asked = float("-inf")
        self._taken = float("-inf")
        self._answer: Any = None
        self._answers = False  # whether the monitor has answered since it was made; it may start slowly

    def take(self) -> Mapping[str, Beat] | None:
        """Return new heartbeats, by name of the attempt; None where there is no answer of the monitor now."""
        now = time.monotonic()
        if self._answer is None and now - self._asked >= self.every_s / 2:
            self._answer, self._asked = self._monitor.take.remote(self._mark), now
        if self._answer is None:
            return None
        if not ready_of([self._answer], timeout_s=0.0):
            if self._answers and now - self._asked >= _FROZEN_S:
                _log.warning("the process that hears heartbeats does not answer for %g s; it is made anew", _FROZEN_S)
                ray.kill(self._monitor, no_restart=False)
                self._answer, self._answers = None, False
            return None
        answer, self._answer = self._answer, None
        try:
            beats: Mapping[str, Beat] = ray.get(answer)
        except RayError:
            self._answers = False
            return None  # the monitor is made anew
        self._answers = True
        self.paused = now - self._taken > _PAUSE * self.every_s
        self._taken = now
        return beats


class _Flight:
    """Attempts in flight, Ray's references to them, and their heartbeats."""

    def __init__(self) -> None:
        self._running: dict[Any, Attempt] = {}
        self._known: dict[Attempt, tuple[Any, str]] = {}  # reference and name
        self._named: dict[str, Attempt] = {}
        self._beats: dict[Attempt, Beat] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self._known)

    def __contains__(self, attempt: Attempt) -> bool:
        return attempt in self._known

    def add(self, attempt: Attempt, reference: Any, name: str) -> None:
        """Add an attempt."""
        self._running[reference] = attempt
        self._known[attempt] = reference, name
        self._named[name] = attempt

    def remove(self, attempt: Attempt) -> tuple[Any, str]:
        """Remove an attempt; return its reference and name."""
        reference, name = self._known.pop(attempt)
        del self._running[reference], self._named[name]
        self._beats.pop(attempt, None)
        return reference, name

    def hear(self, name: str, beat: Beat) -> Attempt | None:
        """Keep the heartbeat of an attempt and return the attempt; None where it is not in flight any more."""
        attempt = self._named.get(name)
        if attempt is not None:
            self._beats[attempt] = beat
        return attempt

    def beats(self) -> list[Beat]:
        """Return the latest heartbeats of the attempts that sent one."""
        return list(self._beats.values())

    def node(self, attempt: Attempt) -> str:
        """Return the node of an attempt, empty before its first heartbeat."""
        return self._beats[attempt].node if attempt in self._beats else ""

    def ended(self) -> list[tuple[Any, Attempt]]:
        """Return the attempts that have ended, after a short wait for the first one."""
        ready = ready_of(list(self._running), number=1, timeout_s=_POLL_S)
        if ready:  # everything else that is ready comes in the same round
            ready = ready_of(list(self._running), timeout_s=0.0)
        return [(reference, self._running[reference]) for reference in ready]


def _elsewhere(nodes: Sequence[str]) -> dict[str, Any]:
    """Return options of Ray that keep a task away from nodes."""
    return {"label_selector": {"ray.io/node-id": f"!in({','.join(nodes)})"}} if nodes else {}


_REASONS: Mapping[type[Exception], str] = {
    WorkerCrashedError: "its process ended",
    OutOfMemoryError: "its machine had no memory left",
    OutOfDiskError: "its machine had no room on the disk",
}


class _LostError(Exception):
    """An attempt failed through no fault of the task; the message says how."""

    def __init__(self, what: str, *, with_node: bool = False) -> None:
        super().__init__(what)
        self.with_node = with_node  # whether its whole node was lost


def _fetch(reference: Any) -> Any:
    """Return the result of a finished task. Raises _LostError where it is gone, and what the task raised."""
    try:
        return ray.get(reference, timeout=_FETCH_S)
    except TaskCancelledError:
        raise _LostError("it was cancelled") from None
    except RaySystemError as error:
        raise ClusterError(f"the cluster cannot be reached any more ({error}); start it again") from error
    except RayTaskError as error:
        raise error.cause if isinstance(error.cause, Exception) else error from None
    except RayError as error:
        raise _LostError(
            _REASONS.get(type(error), type(error).__name__), with_node=isinstance(error, NodeDiedError)
        ) from None
    except OSError as error:
        raise RayLostError(error) from error
