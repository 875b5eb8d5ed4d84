"""The processors of the two sides of a match, and how busy the machine is beside them (Linux)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")  # of the times in /proc, in a second
_BUSY = (0, 1, 2, 5, 6, 7)  # user, nice, system, irq, softirq and steal in the first line of /proc/stat


class SideProcessors(NamedTuple):
    """The processor of each side."""

    own: int
    engine: int  # the same where this process may use one processor only

    @property
    def shared(self) -> bool:
        """Whether both sides have to share one processor."""
        return self.own == self.engine


def side_processors() -> SideProcessors:
    """Choose two processors among those that this process may use, on different cores where there are such."""
    usable = sorted(os.sched_getaffinity(0))
    own = usable[0]
    siblings = _siblings(own)
    apart = [each for each in usable if each not in siblings]
    return SideProcessors(own, next(iter([*apart, *usable[1:], own])))


def _siblings(processor: int) -> set[int]:
    """Return the processors of the core of a processor, that one included."""
    path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        ranges = re.findall(r"(\d+)(?:-(\d+))?", path.read_text())
    except OSError:
        return {processor}
    return {number for first, last in ranges for number in range(int(first), int(last or first) + 1)}


@contextmanager
def pinned(processor: int) -> Iterator[None]:
    """Let the processes that this thread starts in the block inherit one processor."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processor})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


class LoadMeter:
    """Measures how many processors are busy with processes other than this one and its descendants."""

    def __init__(self) -> None:
        self._begin = self._reading()

    def others(self) -> float:
        """Return the mean number of processors that other processes have kept busy since this meter was made.

        Call it while the descendants are alive: the times of a process that no parent waits for are lost with it.
        """
        wall, busy, ours = (now - then for now, then in zip(self._reading(), self._begin, strict=True))
        return max(0.0, (busy - ours) / max(wall, 1e-9))

    def _reading(self) -> tuple[float, float, float]:
        """Return wall-clock seconds, busy seconds of all processors, and processor seconds of our processes."""
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
        return time.monotonic(), sum(int(fields[n]) for n in _BUSY) / _TICKS, _family_seconds()


def _family_seconds() -> float:
    """Return the processor seconds of this process and its descendants, those that they waited for included."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()  # the name before it may hold blanks
        except OSError:
            continue  # the process has ended
        process = int(path.parent.name)
        parents[process] = int(fields[1])
        seconds[process] = sum(map(int, fields[11:15])) / _TICKS  # user and system time, its own and of its children
    family, fresh = {os.getpid()}, {os.getpid()}
    while fresh:
        fresh = {process for process, parent in parents.items() if parent in fresh} - family
        family |= fresh
    return sum(seconds.get(process, 0.0) for process in family)
