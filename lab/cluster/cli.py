"""`scripts/lab cluster`: how the work spreads over workers."""

from __future__ import annotations

import logging
import os
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS, MAX_SECONDS, MAX_SEED
from gdl_miner.cluster.launch import open_ray
from lab.cluster import simulation
from lab.tables import print_rows

# Ray ends workers that have been idle for a second while other tasks hold all processors, as in the turn of one worker.
# They would have to start again in the next turn, whereas a run waits only once for its workers to start.
_KEEPS_WORKERS = {"RAY_idle_worker_killing_time_threshold_ms": "86400000"}


def simulate(
    workers: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Workers to simulate.")] = 1000,
    tasks: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Tasks for each worker in a generation.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides how long tasks take.")] = 1,
    as_json: Json = False,
) -> None:
    """Simulate a generation on many workers: its end against the ideal, stragglers, cost of dispatch."""
    logging.getLogger("gdl_miner.cluster.dispatch").setLevel(logging.ERROR)  # losses are part of the experiment
    print_rows(simulation.COLUMNS, simulation.simulate_generations(workers, tasks, seed), as_json)


def throughput(
    game: Annotated[str, typer.Option("--game", "-g", help="A bundled game or a rule sheet.")] = "amazons.ext",
    matches: Annotated[int, typer.Option(min=16, max=MAX_COUNT, help="Matches of every round.")] = 1024,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.")] = 30,
    rounds: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Rounds, in each of which every executor has its turn.")
    ] = 3,
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Compare up to so many; as many idle processors are needed.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Matches per second in one process, with Ray on one worker, two, …, and in as many processes without Ray.

    They take turns to play the same matches, in tasks as long as a run's. The last row is the most that this machine
    gives.
    """
    os.environ.update(_KEEPS_WORKERS)
    with open_ray(workers):
        from lab.cluster import throughput as measured  # Ray reads its environment when it is imported

        rows = measured.measure_throughput(game, matches=matches, playouts=playouts, rounds=rounds, workers=workers)
        print_rows(measured.COLUMNS, rows, as_json)


def sleepers(
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Tasks at a time, each in a process of its own.")
    ] = 16,
    seconds: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long each sleeps.")] = 0.1,
    tasks: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="How many there are.")] = 2000,
    as_json: Json = False,
) -> None:
    """Measure how many results a second the driver takes from Ray, with tasks that only sleep."""
    with open_ray(workers) as executor:
        from lab.cluster import throughput as measured

        rows = measured.measure_sleepers(executor, seconds=seconds, tasks=tasks)
        print_rows(measured.SLEEP_COLUMNS, rows, as_json)
