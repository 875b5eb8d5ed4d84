"""Tasks that must stop: cancelled, which interrupts them, and killed with their worker where that does not help.

A worker that is stopped (SIGSTOP, a frozen container) hears nothing of what Ray tells it, and keeps its processor. The
kernel is asked then: what a worker does stands in its process's title, and a task of ours beside it finds and kills it.
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

from cluster.dispatch import ClusterError

__all__ = ["GRACE_S", "Cancellations"]

GRACE_S = 5.0  # a cancelled task that does not stop by then is killed by Ray, after as long again by us
_STUCK_S = 60.0  # one that still holds its processor by then does so for good

_log = logging.getLogger(__name__)

_nodes: Callable[[], list[dict[str, Any]]] = ray.nodes  # which Ray does not annotate


@ray.remote(num_cpus=0, max_retries=0)
def _cancel(references: Sequence[Any], force: bool) -> None:
    """Cancels tasks of the driver from a worker.

    A driver must not do it itself: Ray aborts the process whose cancelling meets the arrival of the task's result, as
    the two happen on different threads. What another process asks for is done on the thread that takes results.
    """
    for reference in references:
        ray.cancel(reference, force=force)


@ray.remote(num_cpus=0, max_retries=0)
def _kill(names: Sequence[str], address: str) -> dict[str, str]:
    """Kills the workers of this node, at that address, that do the named tasks; says which processes, by task."""
    found = {}
    for process, title in _siblings():
        name = title.removeprefix("ray::")
        if name in names:
            os.kill(process, signal.SIGKILL)
            found[name] = f"process {process} on {address}"
    return found


def _siblings() -> list[tuple[int, str]]:
    """Number and title of every worker of this worker's node: they have the same parent."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == os.getppid():
                title = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0 ")
                found.append((int(folder.name), title))
        except (OSError, ValueError):
            continue  # it has just ended
    return found


@dataclass
class _Attempt:
    """One that must stop."""

    name: str  # in its process's title
    since: float
    forced: bool = False  # whether Ray was told to kill it
    sought: bool = False  # whether its process is sought, to be killed by us
    where: str | None = None  # its process, once that was found


class Cancellations:
    """Tasks on their way out. Each holds its processor until it has stopped."""

    def __init__(self) -> None:
        self._attempts: dict[Any, _Attempt] = {}  # by reference
        self._searches: list[Any] = []  # for their processes, under way

    def __len__(self) -> int:
        return len(self._attempts)

    def add(self, names: Mapping[Any, str]) -> None:
        """Cancels tasks, given by reference and name: what waits is dropped, what runs is interrupted."""
        if names:
            _cancel.remote(list(names), False)
            now = time.monotonic()
            self._attempts.update((reference, _Attempt(name, now)) for reference, name in names.items())

    def press(self, patience_s: float = 0.0) -> None:
        """Takes note of what has stopped, waiting so long for it, and presses harder what was told long ago."""
        self._forget_stopped(patience_s)
        self._take_found(0.0)
        now = time.monotonic()
        self._force(now - GRACE_S)
        self._seek(now - 2 * GRACE_S)
        for reference, attempt in list(self._attempts.items()):
            if attempt.sought and attempt.where is None and not self._searches and now - attempt.since >= _STUCK_S:
                del self._attempts[reference]  # it is nowhere

    def finish(self) -> None:
        """Waits a moment for what is left, then kills it."""
        self._forget_stopped(GRACE_S)
        now = time.monotonic()
        self._force(now)
        self._seek(now)
        self._take_found(GRACE_S)

    def check_stuck(self) -> None:
        """Raises ClusterError where one still holds its processor a long time after it was killed."""
        now = time.monotonic()
        for attempt in self._attempts.values():
            if attempt.where is not None and now - attempt.since >= _STUCK_S:
                raise ClusterError(
                    f"task {_task(attempt.name)} hangs in {attempt.where}, which cannot be killed, and no other "
                    "processor is left to try the task on; restart that machine, or add another to the cluster"
                )

    def _force(self, before: float) -> None:
        """Has Ray kill what was told before then."""
        stubborn = {ref: each for ref, each in self._attempts.items() if not each.forced and each.since <= before}
        if stubborn:
            _cancel.remote(list(stubborn), True)
        for attempt in stubborn.values():
            attempt.forced = True

    def _seek(self, before: float) -> None:
        """Has the processes of what was told before then sought on every node, and killed."""
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
            stopped, _ = ray.wait(list(self._attempts), num_returns=len(self._attempts), timeout=patience_s)
            for reference in stopped:
                del self._attempts[reference]

    def _take_found(self, patience_s: float) -> None:
        """Where processes were found, from the searches that have ended."""
        if not self._searches:
            return
        ended, self._searches = ray.wait(self._searches, num_returns=len(self._searches), timeout=patience_s)
        for search in ended:
            try:
                found: dict[str, str] = ray.get(search)
            except RayError:
                continue  # its node was lost, and with it whatever hung there
            for name, where in found.items():
                _log.warning("task %s did not stop; %s is killed", _task(name), where)
            for attempt in self._attempts.values():
                attempt.where = found.get(attempt.name, attempt.where)


def _task(name: str) -> str:
    """The task of an attempt's name."""
    return name.rpartition(" ")[0]
