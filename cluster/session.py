"""A Ray session: started here for the run, or the connection to a running cluster."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gdl_miner.agent.errors import UserError, first_line
from gdl_miner.cluster.machines import Machines
from gdl_miner.cluster.worker import Monitor
from gdl_miner.miner.runs.interruption import interrupt_on_termination

_OBJECT_STORE = 512 * 2**20  # bytes; records and circuits are small, and Ray's default is a third of the memory
_STARTS_S = "600"  # seconds for a worker to start, after which Ray ends it; a busy machine takes more than Ray's 60
_USER_ERROR = 2  # exit status
_LISTENS_S = 5.0  # seconds for a cluster to take a connection

_log = logging.getLogger(__name__)
_monitor: Callable[..., Any] = cast("Any", Monitor).options  # which Ray's decorator adds


class RaySession:
    """A connection to Ray; `close` shuts down a session that was started here."""

    def __init__(self, processors: int | None, *, bounded: bool = False, folder: Path | None = None) -> None:
        self._processors = processors
        self._folder = folder  # of a session that was started here
        self.bounded = bounded  # whether Ray may have more processors than are to be used
        self._joined = processors is None or bounded
        self.machines = Machines(self._joined)
        if self._joined:
            self.machines.await_answers()

    @cached_property
    def monitor(self) -> Any:
        """The monitor of heartbeats of tasks, beside this process."""
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        return _monitor(scheduling_strategy=here).remote()

    def processors(self) -> int:
        """Return the number of processors for tasks, at least one.

        The machines of a joined cluster come and go. Raises ClusterError where all of them run other code.
        """
        if self._processors is not None and not self._joined:
            return self._processors
        self.machines.look()
        found = max(1, self.machines.processors)
        return found if self._processors is None else min(self._processors, found)

    def processors_together(self) -> int:
        """Return the number of processors on the smallest machine."""
        if self._processors is not None and not self._joined:
            return self._processors
        return self.machines.least_processors

    def close(self) -> None:
        """Disconnect; a session started by `start_session` shuts down.

        Without its head, Ray would wait for it and then end this process; so the process ends before Ray does anything.
        """
        if self.machines.ray_lost:
            atexit.register(_leave)
            return
        ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def start_session(workers: int) -> RaySession:
    """Start Ray on this machine with `workers` processors and without a dashboard.

    Ray lets everybody write into the folder of its logs and sockets. So that folder lies in one that is open to this
    user alone, and `close` removes it.

    A busy machine may not start Ray in the time that Ray allows itself, so there is a second attempt.

    Raises UserError where Ray does not start.
    """
    os.environ.setdefault("RAY_worker_register_timeout_seconds", _STARTS_S)
    os.environ.setdefault("RAY_worker_niceness", str(os.nice(0)))  # that of this process; Ray's is 15
    try:
        return _started(workers)
    except _StartError as error:
        _log.warning("Ray did not start (%s); it is started once more", error)
    try:
        return _started(workers)
    except _StartError as error:
        raise UserError(f"Ray does not start: {error}; try --executor serial") from error


class _StartError(Exception):
    """Ray did not start; the text says why."""


def _started(workers: int) -> RaySession:
    """Start Ray once. Raises _StartError where it does not start, and UserError where it has no folder."""
    try:
        # Not in TMPDIR, which may be long: the name of a socket has a hundred bytes at most.
        folder = Path(tempfile.mkdtemp(prefix="gdl-miner-ray-", dir=os.environ.get("RAY_TMPDIR", "/tmp")))
    except OSError as error:
        raise UserError(f"Ray does not start: no folder for it ({error}); set RAY_TMPDIR to one") from None
    try:
        with _interruptible():
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
                object_store_memory=_OBJECT_STORE,
                _temp_dir=str(folder / "ray"),
            )
    except BaseException as error:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, Exception):  # Ray raises Exception itself where a busy machine does not start it in time
            raise _StartError(first_line(error)) from error
        raise
    return RaySession(workers, folder=folder)


def join_cluster(address: str, workers: int | None = None) -> RaySession:
    """Join a running cluster (`auto`, `host:port` or `ray://host:10001`); `workers` bounds the tasks at a time.

    Raises UserError where no cluster answers.
    """
    connect(address, ", or leave --address out")
    return RaySession(workers, bounded=workers is not None)


def connect(address: str, otherwise: str = "") -> None:
    """Connect this process to a running cluster.

    Raises UserError where no cluster answers; `otherwise` ends what its message advises.
    """
    if not _listens(address):
        raise UserError(
            f"nothing listens at {address!r}; start a cluster with `ray up cluster.yaml` or `ray start --head` "
            f"(docs/clusters.md), check host and port{otherwise}"
        )
    try:
        with _interruptible():
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except (OSError, RuntimeError, ValueError, TimeoutError) as error:
        raise UserError(
            f"no Ray cluster answers at {address!r}: {first_line(error)}; start one with `ray up cluster.yaml` "
            f"or `ray start --head`, check that its token is yours (docs/clusters.md){otherwise}"
        ) from error


def _leave() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_USER_ERROR)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Make SIGTERM act as Ctrl-C although Ray, as it starts, replaces the handler by one that ends the process.

    Ray prints no errors of its own on standard output; the run says in plain words what they mean.
    """
    ray._private.worker._worker_logs_enabled = False
    try:
        yield
    except SystemExit:
        raise KeyboardInterrupt from None
    interrupt_on_termination()


def _listens(address: str) -> bool:
    """Return False where an address names a host and a port and nothing answers there; Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return True
    try:
        socket.create_connection((host.strip("[]"), int(port)), _LISTENS_S).close()
    except (OSError, OverflowError):
        return False
    return True
