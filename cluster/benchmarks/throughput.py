"""Matches per second by number of workers, and what Ray costs against one process, measured in turns."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from agent.benchmarks.tables import Column, Value
from agent.knowledge import Parameters
from agent.reasoner.machine import load_machine
from agent.search.player import PlayerSpec
from agent.search.seeds import derive_seed
from cluster.executor import RayExecutor
from cluster.session import Session
from miner.evolution.evaluation import PreparedGame, cut_into_tasks, play_batch
from miner.evolution.executor import Executor, SerialExecutor, Task
from miner.evolution.pairing import MatchRequest, make_pair

__all__ = ["COLUMNS", "SLEEP_COLUMNS", "measure_sleepers", "measure_throughput"]

COLUMNS = (
    Column("executor", "executor", 16),
    Column("matches", "matches"),
    Column("rate", "matches/s", form=",.1f"),
    Column("ratio", "against one", form=",.3f"),
    Column("cost", "CPU ms/match", form=",.3f"),
    Column("driver", "driver, %", 10, ",.1f"),
    Column("busy", "busy, %", 8, ",.1f"),
)

SLEEP_COLUMNS = (
    Column("workers", "workers", 8),
    Column("tasks", "tasks"),
    Column("rate", "tasks/s", form=",.0f"),
    Column("ratio", "of the ideal", form=",.2f"),
    Column("microseconds", "driver, µs/task", 16, ",.0f"),
)


def measure_throughput(game: str, *, matches: int, playouts: int, rounds: int) -> list[dict[str, Value]]:
    """Rows for one process, and for Ray with one and with two workers; Ray runs, with two processors or more.

    Every round plays other matches, the same with every executor, one executor after the other; the median over the
    rounds passes over what disturbs only some. On a machine that others use, look at processor time per match, which
    Ray should not raise, and at the share of the time in which workers are busy: what is missing to 100 % is lost.
    """
    machine = load_machine(game)
    prepared = PreparedGame(machine.sheet, machine.circuit)
    players = (PlayerSpec("uct", Parameters(), playouts=playouts), PlayerSpec("uct", Parameters(), playouts=playouts))
    executors: dict[str, Executor] = {
        "one process": SerialExecutor(),
        "Ray, 1 worker": RayExecutor(Session(1, bounded=True)),
        "Ray, 2 workers": RayExecutor(Session(2)),
    }
    turns: dict[str, list[_Turn]] = {name: [] for name in executors}
    for number in range(rounds + 1):  # the first warms up
        tasks = _tasks(len(machine.roles), matches, number)
        for name, executor in executors.items():
            shared = [executor.share(prepared), executor.share(players)]
            begun, used, wall, cpu = time.perf_counter(), time.process_time(), 0.0, 0.0
            for _, (task_wall, task_cpu) in executor.run(_timed_batch, shared, tasks):
                wall, cpu = wall + task_wall, cpu + task_cpu
            own = time.process_time() - used
            if executor.workers == 1 and isinstance(executor, SerialExecutor):
                own -= cpu
            if number:
                turns[name].append(_Turn(time.perf_counter() - begun, wall / executor.workers, cpu, own))
    one = turns["Ray, 1 worker"]
    return [
        {
            "executor": name,
            "matches": matches * rounds,
            "rate": matches / median(turn.wall for turn in own),
            "ratio": median(base.wall / turn.wall for base, turn in zip(one, own, strict=True)),
            "cost": 1000 * median(turn.tasks_cpu + turn.driver_cpu for turn in own) / matches,
            "driver": 100 * median(turn.driver_cpu / (turn.tasks_cpu + turn.driver_cpu) for turn in own),
            "busy": 100 * median(turn.tasks_wall / turn.wall for turn in own),
        }
        for name, own in turns.items()
    ]


@dataclass(frozen=True)
class _Turn:
    """Seconds that one executor took for one round."""

    wall: float
    tasks_wall: float  # within tasks, of the mean worker
    tasks_cpu: float  # of all workers
    driver_cpu: float  # besides


def measure_sleepers(session: Session, workers: int, *, seconds: float, tasks: int) -> Iterator[dict[str, Value]]:
    """A row for Ray with many tasks that sleep, several on each processor: how many results a second a driver takes.

    A thousand workers with batches of twenty seconds give fifty results a second.
    """
    executor = RayExecutor(session, cpus=session.processors() / workers)
    wake = [Task(f"w{number}", 0.5) for number in range(2 * workers)]
    for _ in executor.run(_sleep, [], wake):  # starts the processes
        pass
    work = [Task(f"t{number}", seconds) for number in range(tasks)]
    begun, used = time.perf_counter(), time.process_time()
    for _ in executor.run(_sleep, [], work):
        pass
    wall, used = time.perf_counter() - begun, time.process_time() - used
    yield {
        "workers": str(workers),
        "tasks": tasks,
        "rate": tasks / wall,
        "ratio": seconds * tasks / workers / wall,
        "microseconds": 1e6 * used / tasks,
    }


def _tasks(roles: int, matches: int, number: int) -> list[Task]:
    pairs = [make_pair(f"n{number}-p{p}", 1, derive_seed(number, "bench", p), roles) for p in range(matches // roles)]
    return cut_into_tasks(f"n{number}", [match for pair in pairs for match in pair.matches], 128, 2)


def _timed_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], matches: tuple[MatchRequest, ...]
) -> tuple[float, float]:
    """Plays a batch; gives seconds of the clock and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    play_batch(game, players, matches)
    return time.perf_counter() - wall, time.process_time() - cpu


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds
