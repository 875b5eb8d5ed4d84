"""The Ray executor: it sends tasks to workers, gathers results and repeats the tasks of lost or hanging workers.

It uses tasks of Ray, not actors: a task holds no state, so a lost worker costs its running tasks and nothing else. The
dispatch decides which task is tried when; this module does it with Ray. Results do not depend on any of this, because
the result of a task depends on the task alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RaySystemError, RayTaskError, TaskCancelledError

from gdl_miner.cluster.cancellation import GRACE_S, Cancellations
from gdl_miner.cluster.dispatch import AHEAD, Attempt, ClusterError, Dispatch
from gdl_miner.cluster.session import RaySession
from gdl_miner.cluster.worker import perform
from gdl_miner.miner.play.executor import Shared, WorkerTask

ResultT = TypeVar("ResultT")

_POLL_S = 0.5  # seconds; longest wait between two checks of deadlines and of the nodes of the cluster
_FETCH_S = 60.0  # seconds after which a result that is ready but does not arrive is lost


class RayExecutor:
    """An executor on a Ray session. Close it, or use it as a context manager, to shut down a session started here."""

    def __init__(self, session: RaySession, *, deadline_s: float = 900.0, attempts: int = 5, cpus: float = 1.0) -> None:
        self.session = session
        self._deadline_s = deadline_s
        self._attempts = attempts
        self._cpus = cpus  # processors of a task; below 1, several tasks share a processor
        self._cancelled = Cancellations()
        self._mark = secrets.token_hex(4)  # makes the names of its attempts unique on the cluster
        self._sent = 0  # number of attempts

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def workers(self) -> int:
        """Number of tasks that can run at a time, at this moment."""
        return max(1, int(self.session.processors() / self._cpus))

    def share(self, value: object) -> Shared:
        """Put a value into Ray's object store, once for all tasks. Raises ClusterError where it does not fit."""
        return Shared(_put(value))

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) once per task, in order of completion.

        Raises what `work` raises, and ClusterError where a task was lost or overdue too often.
        """
        ahead = 1 if self.session.bounded else AHEAD  # an attempt that waits must not take a processor beyond the bound
        dispatch = Dispatch(tasks, self._deadline_s, self._attempts, ahead=ahead)
        limit_s = self._deadline_s + 2 * GRACE_S
        function, values = _put(work), [entry.reference for entry in shared]  # sent once, not with every task
        machines = self.session.machines
        flight = _Flight()
        try:
            while dispatch.busy:
                for attempt in dispatch.start(self.workers - len(self._cancelled), time.monotonic()):
                    name = self._name(attempt)
                    call = perform.options(num_cpus=self._cpus, name=name, **_elsewhere(machines.barred))
                    sent = call.remote(function, machines.code_name, limit_s, attempt.task.payload, *values)
                    flight.add(attempt, sent, name)
                for reference, attempt in flight.ended():
                    if attempt not in flight:
                        continue  # cancelled a moment ago, because another attempt won
                    flight.remove(attempt)
                    try:
                        deviation, result = _fetch(reference)
                    except _LostError as error:
                        dispatch.lost(attempt, str(error))
                        continue
                    if deviation is not None:
                        machines.deviates(*deviation)
                        dispatch.refused(attempt)
                        continue
                    rivals = dispatch.finished(attempt, time.monotonic())
                    if rivals is not None:
                        self._cancelled.add(dict(flight.remove(each) for each in rivals))
                        yield attempt.task.id, result
                self._cancelled.add(dict(flight.remove(each) for each in dispatch.overdue(time.monotonic())))
                self._cancelled.press(0.0 if flight else _POLL_S)
                if len(self._cancelled) >= self.workers:
                    self._cancelled.check_stuck()
        finally:
            self._cancelled.add(dict(flight.remove(each) for each in list(flight)))

    def close(self) -> None:
        """Shut down a session started here; leave a joined cluster running, without tasks of this executor."""
        self._cancelled.finish()
        self.session.close()

    def _name(self, attempt: Attempt) -> str:
        """Return a name that no other attempt on the cluster has, for the title of the process."""
        self._sent += 1
        return f"{attempt.task.id} attempt-{self._mark}-{self._sent}"


class _Flight:
    """Attempts in flight, and Ray's references to them."""

    def __init__(self) -> None:
        self._running: dict[Any, Attempt] = {}
        self._known: dict[Attempt, tuple[Any, str]] = {}  # reference and name

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

    def remove(self, attempt: Attempt) -> tuple[Any, str]:
        """Remove an attempt; return its reference and name."""
        reference, name = self._known.pop(attempt)
        del self._running[reference]
        return reference, name

    def ended(self) -> list[tuple[Any, Attempt]]:
        """Return the attempts that have ended, after a short wait for the first one."""
        ready, _ = ray.wait(list(self._running), num_returns=1, timeout=_POLL_S)
        if ready:  # everything else that is ready comes in the same round
            ready, _ = ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        return [(reference, self._running[reference]) for reference in ready]


def _elsewhere(nodes: Sequence[str]) -> dict[str, Any]:
    """Return options of Ray that keep a task away from nodes."""
    return {"label_selector": {"ray.io/node-id": f"!in({','.join(nodes)})"}} if nodes else {}


class _LostError(Exception):
    """An attempt failed through no fault of the task; the message says how."""


def _put(value: object) -> Any:
    try:
        return ray.put(value)
    except RayError as error:
        what = str(error).strip().partition("\n")[0]
        raise ClusterError(
            f"Ray's object store takes no more ({what}); give it more memory (`ray start --object-store-memory`), or "
            "free the disk it spills to"
        ) from error


def _fetch(reference: Any) -> Any:
    """Return the result of a finished task. Raises _LostError where it is gone, and what the task raised."""
    try:
        return ray.get(reference, timeout=_FETCH_S)
    except TaskCancelledError:
        raise _LostError("cancelled") from None
    except RaySystemError as error:
        raise ClusterError(f"the cluster cannot be reached any more ({error}); start it again") from error
    except RayTaskError as error:
        raise error.cause if isinstance(error.cause, Exception) else error from None
    except RayError as error:
        raise _LostError(f"lost ({type(error).__name__})") from None
