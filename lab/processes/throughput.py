"""Matches per second by number of workers, and the cost of Ray against one process, measured in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median
from typing import Annotated, TypeVar

import typer

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_COUNT, MAX_SECONDS
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.cluster.launch import open_ray
from gdl_miner.miner.play.executor import Executor, SerialExecutor, Shared, Watcher, WorkerTask
from gdl_miner.miner.play.match_tasks import MATCHES_PER_TASK, cut_into_tasks, play_batch
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.prepared_game import PreparedGame
from lab.options import PlayoutsOption, Rounds
from lab.tables import Column, Row, StudyTable

# Ray ends workers that have been idle for a second while other tasks hold all processors, as in the turn of one worker.
# They would have to start again in the next turn, whereas a run waits only once for its workers to start.
KEEPS_WORKERS = {"RAY_idle_worker_killing_time_threshold_ms": "86400000"}

_WARM_UP = 32  # matches before the first round

ResultT = TypeVar("ResultT")


class ApartExecutor:
    """An executor of `workers` processes on this machine, without Ray. It does not survive a lost process."""

    watcher: Watcher | None = None  # it hears nothing

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.threads = 1
        self._processes = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))

    def share(self, value: object) -> Shared:
        """Keep the value, which travels with every task."""
        return Shared(value)

    def run(
        self, work: Callable[..., ResultT], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, ResultT]]:
        """Yield (task id, result) once per task, in order of completion."""
        values = [entry.reference for entry in shared]
        running = {self._processes.submit(work, *values, task.payload): task.id for task in tasks}
        for finished in as_completed(running):
            yield running[finished], finished.result()

    def close(self) -> None:
        """End the processes."""
        self._processes.shutdown()


def throughput(
    game: Annotated[str, typer.Option("--game", "-g", help="A bundled game or a rule sheet.")] = "amazons.ext",
    matches: Annotated[int, typer.Option(min=16, max=MAX_COUNT, help="Matches of every round.")] = 1024,
    playouts: PlayoutsOption = 30,
    rounds: Rounds = 3,
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Compare up to so many; as many idle processors are needed.")
    ] = 2,
) -> Iterator[StudyTable]:
    """Matches per second in one process, with Ray on one worker, two, …, and in as many processes without Ray.

    They take turns to play the same matches, in tasks as long as a run's. The last row is the most that this machine
    gives, as processes slow each other down. On a machine that others use, look at processor time per match, which Ray
    should not raise, and at the share of the time in which workers are busy.
    """
    os.environ.update(KEEPS_WORKERS)
    columns = (
        Column("executor", "executor", 16),
        Column("matches", "matches"),
        Column("task", "s/task", 8, ",.2f"),
        Column("rate", "matches/s", form=",.1f"),
        Column("against_process", "of one process", 15, ",.3f"),
        Column("against_worker", "of one worker", 14, ",.3f"),
        Column("cost", "CPU ms/match", form=",.3f"),
        Column("driver", "driver, %", 10, ",.1f"),
        Column("busy", "busy, %", 8, ",.1f"),
    )
    with open_ray(workers):
        yield StudyTable(columns, _throughput(game, matches, playouts, rounds, workers))


def _throughput(game: str, matches: int, playouts: int, rounds: int, workers: int) -> Iterator[Row]:
    """Yield rows for one process, for Ray with one worker to `workers`, and for `workers` processes without Ray.

    Every round plays new matches, in tasks cut as a run cuts them. Figures are medians over the rounds, which ignore
    disturbances of a few of them.
    """
    from gdl_miner.cluster.executor import RayExecutor  # Ray reads its environment when it is imported
    from gdl_miner.cluster.session import RaySession

    machine = load_machine(game)
    prepared = PreparedGame(machine.sheet, machine.circuit)
    players = (PlayerSpec("uct", Parameters(), playouts=playouts), PlayerSpec("uct", Parameters(), playouts=playouts))
    executors: dict[str, Executor] = {"one process": SerialExecutor()}
    session = RaySession(workers)
    for count in range(1, workers + 1):  # a task that asks for several processors leaves room for fewer tasks
        executors[f"Ray, {count} worker{'s'[: count > 1]}"] = RayExecutor(session, cpus=workers // count)
    executors[f"{workers} apart, no Ray"] = apart = ApartExecutor(workers)
    turns: dict[str, list[_Turn]] = {name: [] for name in executors}
    for number in range(rounds + 1):
        requests = _matches(len(machine.roles), matches if number else _WARM_UP, number)
        for name, executor in executors.items():
            shared = [executor.share(prepared), executor.share(players)]
            turn = _take_turn(
                executor, shared, cut_into_tasks(f"n{number}", requests, MATCHES_PER_TASK, executor.workers)
            )
            if number:
                turns[name].append(turn)
    apart.close()
    alone, one = list(turns.values())[:2]
    yield from (
        {
            "executor": name,
            "matches": matches * rounds,
            "task": median(turn.task_wall for turn in own),
            "rate": matches / median(turn.wall for turn in own),
            "against_process": median(base.wall / turn.wall for base, turn in zip(alone, own, strict=True)),
            "against_worker": median(base.wall / turn.wall for base, turn in zip(one, own, strict=True)),
            "cost": 1000 * median(turn.tasks_cpu + turn.driver_cpu for turn in own) / matches,
            "driver": 100 * median(turn.driver_cpu / (turn.tasks_cpu + turn.driver_cpu) for turn in own),
            "busy": 100 * median(turn.busy_wall / turn.wall for turn in own),
        }
        for name, own in turns.items()
    )


def _take_turn(executor: Executor, shared: Sequence[Shared], tasks: Sequence[WorkerTask]) -> _Turn:
    begun, used, wall, cpu = time.perf_counter(), time.process_time(), 0.0, 0.0
    for _, (task_wall, task_cpu) in executor.run(_timed_batch, shared, tasks):
        wall, cpu = wall + task_wall, cpu + task_cpu
    own = time.process_time() - used
    if isinstance(executor, SerialExecutor):  # its tasks run in this process
        own -= cpu
    return _Turn(time.perf_counter() - begun, wall / executor.workers, wall / len(tasks), cpu, own)


@dataclass(frozen=True)
class _Turn:
    """Seconds that one executor took for one round."""

    wall: float
    busy_wall: float  # within tasks, mean of the workers
    task_wall: float  # mean of the tasks
    tasks_cpu: float  # processor time of all tasks together
    driver_cpu: float  # processor time of the driver besides the tasks


def sleepers(
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Tasks at a time, each in a process of its own.")
    ] = 16,
    seconds: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long each sleeps.")] = 0.1,
    tasks: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="How many there are.")] = 2000,
) -> Iterator[StudyTable]:
    """Measure how many results a second the driver takes from Ray, with tasks that only sleep.

    There may be more workers than processors. A thousand workers with batches of twenty seconds give fifty results a
    second.
    """
    columns = (
        Column("workers", "workers", 8),
        Column("tasks", "tasks"),
        Column("rate", "tasks/s", form=",.0f"),
        Column("ratio", "of the ideal", form=",.2f"),
        Column("microseconds", "driver, µs/task", 16, ",.0f"),
    )
    with open_ray(workers) as executor:
        yield StudyTable(columns, _slept(executor, seconds, tasks))


def _slept(executor: Executor, seconds: float, tasks: int) -> Iterator[Row]:
    workers = executor.workers
    wake = [WorkerTask(f"w{number}", 0.5) for number in range(2 * workers)]
    for _ in executor.run(_sleep, [], wake):  # this starts the processes
        pass
    work = [WorkerTask(f"t{number}", seconds) for number in range(tasks)]
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


def _matches(roles: int, matches: int, number: int) -> list[MatchRequest]:
    pairs = [make_pair(f"n{number}-p{p}", 1, derive_seed(number, "bench", p), roles) for p in range(matches // roles)]
    return [match for pair in pairs for match in pair.matches]


def _timed_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], matches: tuple[MatchRequest, ...]
) -> tuple[float, float]:
    """Play a batch; return the seconds of the clock and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    play_batch(game, players, matches)
    return time.perf_counter() - wall, time.process_time() - cpu


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds
