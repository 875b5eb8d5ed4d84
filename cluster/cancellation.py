"""Cancellation of tasks: Ray interrupts them, and they are killed with their workers where that does not help.

A worker that is stopped (SIGSTOP, a frozen container) does not react to Ray and keeps its processor. A task on the same
node then kills it by a signal; the task finds the process by its title, which names the attempt that the worker runs.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.machines import ready_of

GRACE_S = 5.0  # seconds after which Ray kills a cancelled task; after as long again, a signal kills its process
_STUCK_S = 60.0  # seconds after which a task that still holds its processor is taken to hold it for good

_log = logging.getLogger(__name__)

_nodes: Callable[[], list[dict[str, Any]]] = ray.nodes  # without annotations in Ray


@ray.remote(num_cpus=0, max_retries=0)
def _cancel(references: Sequence[Any], force: bool) -> None:
    """Cancel tasks of the driver from a worker.

    The driver must not cancel them itself: Ray aborts a process in which a cancellation coincides with the arrival of
    the task's result, as the two happen on different threads. A cancellation that another process asks for is done on
    the thread that takes results.
    """
    for reference in references:
        ray.cancel(reference, force=force)


@ray.remote(num_cpus=0, max_retries=0)
def _kill(names: Sequence[str], address: str) -> dict[str, str]:
    """Kill the workers on this node, at `address`, that run the named attempts; return the processes by name."""
    found = {}
    for process, title in _siblings():
        name = title.removeprefix("ray::")
        if name in names:
            os.kill(process, signal.SIGKILL)
            found[name] = f"process {process} on {address}"
    return found


def _siblings() -> list[tuple[int, str]]:
    """Return number and title of the process of every worker of this node: they have the same parent process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == os.getppid():
                title = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0 ")
                found.append((int(folder.name), title))
        except (OSError, ValueError):
            continue  # the process has just ended
    return found


@dataclass
class _Attempt:
    """An attempt that must stop."""

    name: str  # stands in the title of its process
    since: float  # time.monotonic() at the cancellation
    forced: bool = False  # whether Ray was told to kill it
    sought: bool = False  # whether its process is searched for, to be killed by a signal
    where: str | None = None  # its process and node in words, once found


class Cancellations:
    """Cancelled attempts. Each holds its processor until it has stopped."""

    def __init__(self) -> None:
        self._attempts: dict[Any, _Attempt] = {}  # by reference
        self._searches: list[Any] = []  # running searches for their processes

    def __len__(self) -> int:
        return len(self._attempts)

    def add(self, names: Mapping[Any, str]) -> None:
        """Cancel attempts, given as names by reference: Ray drops those that wait and interrupts those that run."""
        if names:
            _cancel.remote(list(names), False)
            now = time.monotonic()
            self._attempts.update((reference, _Attempt(name, now)) for reference, name in names.items())

    def press(self, patience_s: float = 0.0) -> None:
        """Forget attempts that stop within `patience_s`, and kill those that were cancelled long ago."""
        self._forget_stopped(patience_s)
        self._take_found(0.0)
        now = time.monotonic()
        self._force(now - GRACE_S)
        self._seek(now - 2 * GRACE_S)
        for reference, attempt in list(self._attempts.items()):
            if attempt.sought and attempt.where is None and not self._searches and now - attempt.since >= _STUCK_S:
                del self._attempts[reference]  # no node has its process

    def finish(self) -> None:
        """Wait a moment for the attempts that are left, then kill them."""
        self._forget_stopped(GRACE_S)
        now = time.monotonic()
        self._force(now)
        self._seek(now)
        self._take_found(GRACE_S)

    def check_stuck(self) -> None:
        """Raise ClusterError where an attempt still holds its processor a long time after it was killed."""
        now = time.monotonic()
        for attempt in self._attempts.values():
            if attempt.where is not None and now - attempt.since >= _STUCK_S:
                raise ClusterError(
                    f"task {_task(attempt.name)} hangs in {attempt.where}, which cannot be killed, and no other "
                    "processor is left to try the task on; restart that machine, or add another to the cluster"
                )

    def _force(self, before: float) -> None:
        """Let Ray kill the attempts that were cancelled before that time."""
        stubborn = {ref: each for ref, each in self._attempts.items() if not each.forced and each.since <= before}
        if stubborn:
            _cancel.remote(list(stubborn), True)
        for attempt in stubborn.values():
            attempt.forced = True

    def _seek(self, before: float) -> None:
        """Search every node for the processes of attempts that were cancelled before that time, and kill them."""
        deaf = [each for each in self._attempts.values() if not each.sought and each.since <= before]
        if not deaf:
            return
        for node in _nodes():
            if node["Alive"]:
                there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                kill = _kill.options(scheduling_strategy=there)
                self._searches.append(kill.remote([each.name for each in deaf], node["NodeManagerAddress"]))
        for attempt in deaf:
            attempt.sought = True

    def _forget_stopped(self, patience_s: float) -> None:
        if self._attempts:
            for reference in ready_of(list(self._attempts), timeout_s=patience_s):
                del self._attempts[reference]

    def _take_found(self, patience_s: float) -> None:
        """Note the processes that were found by searches which end within `patience_s`."""
        if not self._searches:
            return
        ended = ready_of(self._searches, timeout_s=patience_s)
        self._searches = [each for each in self._searches if each not in ended]
        for search in ended:
            try:
                found: dict[str, str] = ray.get(search)
            except RayError:
                continue  # its node was lost, with all processes that hung there
            for name, where in found.items():
                _log.warning("task %s did not stop; %s is killed", _task(name), where)
            for attempt in self._attempts.values():
                attempt.where = found.get(attempt.name, attempt.where)


def _task(name: str) -> str:
    """Return the id of the task in the name of an attempt."""
    return name.rpartition(" ")[0]
