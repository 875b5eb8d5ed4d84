"""A simulation of many workers: the real dispatch on simulated time.

The durations of tasks are drawn: most are about the mean (log-normal), some ten times as long, and some tasks are lost
with their worker. Workers take attempts in the order in which they were sent, as Ray's workers do. Only the time that
the driver spends on dispatch is real and measured.
"""

from __future__ import annotations

import heapq
import logging
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import typer

from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.cluster.dispatch import Attempt, Dispatch
from gdl_miner.miner.play.executor import WorkerTask
from lab.options import SeedOption
from lab.tables import Column, Row, StudyTable


@dataclass(frozen=True)
class Drawn:
    """The distribution of the durations of tasks."""

    mean_s: float = 20.0
    spread: float = 0.15  # standard deviation of the logarithm
    stragglers: float = 0.0  # share of the attempts that take ten times as long, because of their worker
    lost: float = 0.0  # share of the attempts that end early, with the loss of their worker


@dataclass
class SimulatedRun:
    """The course of a simulated generation."""

    seconds: float  # until the last result
    ideal: float  # seconds if the work were divided evenly or the longest task decided; without stragglers, losses
    attempts: int
    most_in_flight: int
    driver_s: float  # real seconds spent on dispatch


@dataclass
class _Workers:
    """Simulated workers: the attempts that run, with their ends, and the attempts that wait."""

    free: int
    clock: float = 0.0
    waiting: deque[Attempt] = field(default_factory=deque)
    ends: list[tuple[float, int, Attempt]] = field(default_factory=list)  # a heap: end, start number, attempt
    gone: set[Attempt] = field(default_factory=set)  # cancelled attempts
    started: int = 0

    def send(self, attempts: list[Attempt], length: dict[Attempt, float]) -> None:
        self.waiting.extend(attempts)
        while self.free and self.waiting:
            attempt = self.waiting.popleft()
            if attempt in self.gone:
                continue
            self.free -= 1
            self.started += 1
            heapq.heappush(self.ends, (self.clock + length[attempt], self.started, attempt))

    def next(self) -> Attempt | None:
        """Advance the clock to the next end of an attempt. Return the attempt, or None where it was cancelled."""
        self.clock, _, attempt = heapq.heappop(self.ends)
        self.free += 1
        return None if attempt in self.gone else attempt


def simulate(workers: int, tasks: int, drawn: Drawn, seed: int, *, copies: bool = True) -> SimulatedRun:
    """Simulate a generation of `tasks` tasks."""
    rng = np.random.default_rng(seed)
    usual = drawn.mean_s * np.exp(rng.normal(0.0, drawn.spread, tasks) - drawn.spread**2 / 2)
    dispatch = Dispatch([WorkerTask(f"t{n}", n) for n in range(tasks)], deadline_s=3600.0, losses=1000, copies=copies)
    pool = _Workers(workers)
    length: dict[Attempt, float] = {}
    broken: set[Attempt] = set()
    most, driver_s = 0, 0.0
    while dispatch.busy:
        begun = time.perf_counter()
        attempts = dispatch.start(workers, pool.clock)
        driver_s += time.perf_counter() - begun
        for attempt in attempts:
            length[attempt] = float(usual[attempt.task.payload]) * (10.0 if rng.random() < drawn.stragglers else 1.0)
            if rng.random() < drawn.lost:
                length[attempt] *= rng.random()
                broken.add(attempt)
        most = max(most, dispatch.in_flight)
        pool.send(attempts, length)
        if not pool.ends:
            raise RuntimeError("nothing runs, although results are to come")
        ended = pool.next()
        if ended is None:
            continue
        begun = time.perf_counter()
        if ended in broken:
            dispatch.lost(ended, "lost")
        else:
            pool.gone.update(dispatch.finished(ended, pool.clock) or ())
        driver_s += time.perf_counter() - begun
    return SimulatedRun(pool.clock, max(float(usual.sum()) / workers, float(usual.max())), len(length), most, driver_s)


def simulation(
    workers: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Workers to simulate.")] = 1000,
    tasks: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Tasks for each worker in a generation.")] = 3,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """Simulate a generation on many workers: its end against the ideal, stragglers, cost of dispatch."""
    columns = (
        Column("case", "", 34),
        Column("workers", "workers"),
        Column("tasks", "tasks"),
        Column("in_flight", "in flight"),
        Column("seconds", "end, s", form=",.1f"),
        Column("ideal", "ideal, s", form=",.1f"),
        Column("ratio", "ratio", form=",.2f"),
        Column("copies", "copies"),
        Column("microseconds", "µs/task", form=",.1f"),
    )
    logging.getLogger("gdl_miner.cluster.dispatch").setLevel(logging.ERROR)  # losses are part of the experiment
    yield StudyTable(columns, _generations(workers, tasks, seed))


def _generations(workers: int, tasks: int, seed: int) -> Iterator[Row]:
    slow = Drawn(stragglers=0.01)
    cases = [
        ("even", Drawn(), True),
        ("uneven", Drawn(spread=0.5), True),
        ("1 in 100 takes ten times as long", slow, True),
        ("the same, nothing copied", slow, False),
        ("2 in 100 are lost", Drawn(lost=0.02), True),
    ]
    for name, drawn, copies in cases:
        count = workers * tasks
        found = simulate(workers, count, drawn, seed, copies=copies)
        yield {
            "case": name,
            "workers": workers,
            "tasks": count,
            "in_flight": found.most_in_flight,
            "seconds": found.seconds,
            "ideal": found.ideal,
            "ratio": found.seconds / found.ideal,
            "copies": found.attempts - count,
            "microseconds": 1e6 * found.driver_s / count,
        }
