"""Batched UCT on many games: playouts per second, and the share of every stage in the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from statistics import median

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.benchmark import SearchSpeed, measure_search
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import STAGES
from lab.tables import CellValue, Column

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
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int, playouts: int, rounds: int
) -> Iterator[dict[str, CellValue]]:
    """Search positions of random matches with `playouts` each, and play the same games at random for comparison.

    Both take turns, as machines are not equally fast from one second to the next: every round plays at random for
    `seconds` / `rounds` and then searches as long, at least one batch of positions. Figures are medians over the
    rounds. `times_random` is the median of the ratios within each round; it is None where no random playout ended.
    """
    player = PlayerSpec(playouts=playouts)
    for name, machine in games:
        searched: list[SearchSpeed] = []
        random: list[float] = []
        for turn in range(rounds):
            totals = machine.playouts(seconds=seconds / rounds, lanes=lanes)
            random.append(totals.playouts / totals.cpu_seconds)
            seed = derive_seed(0, turn)
            searched.append(measure_search(machine, player, seconds=seconds / rounds, lanes=lanes, seed=seed))
        speeds = [speed.playouts_per_s for speed in searched]
        ratios = [speed / alone for speed, alone in zip(speeds, random, strict=True) if alone]
        yield {
            "game": name,
            "playouts_per_cpu_s": median(speeds),
            "random_per_cpu_s": median(random),
            "times_random": median(ratios) if ratios else None,
            **reduce(SearchSpeed.plus, searched).shares,
        }
