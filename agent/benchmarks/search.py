"""Batched UCT on many games: playouts per second, and where the time goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.benchmarks.tables import Column, Value
from agent.reasoner.machine import Machine
from agent.search.benchmark import measure_search
from agent.search.player import PlayerSpec
from agent.search.uct import STAGES

__all__ = ["COLUMNS", "GAMES", "measure_searches"]

GAMES = ("connectFour", "breakthrough", "cubicup", "amazons.ext", "othello-comp2007", "checkers.ext", "othello.ext")

COLUMNS = (
    Column("game", "game", 17),
    Column("playouts_per_cpu_s", "per CPU s"),
    Column("random_per_cpu_s", "random"),
    Column("times_random", "× random", 9, ".2f"),
    *(Column(stage, stage, max(7, len(stage)), ".0%") for stage in STAGES),
)


def measure_searches(
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int, playouts: int
) -> Iterator[dict[str, Value]]:
    """Search positions of random matches, `playouts` for each; the same games at random for comparison."""
    for name, machine in games:
        speed = measure_search(machine, PlayerSpec(playouts=playouts), seconds=seconds, lanes=lanes, seed=0)
        totals = machine.playouts(seconds=seconds, lanes=lanes)
        random = totals.playouts / totals.cpu_seconds
        yield {
            "game": name,
            "playouts_per_cpu_s": speed.playouts_per_s,
            "random_per_cpu_s": random,
            "times_random": speed.playouts_per_s / random if random else None,
            **speed.shares,
        }
