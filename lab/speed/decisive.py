"""Playouts that prefer decisive moves, beside uniformly random ones, on one core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "GAMES", "measure_decisive"]

GAMES = ("ticTacToe", "connectFour", "pentago", "breakthrough", "knightThrough", "cubicup")
LEVELS = ("decisive", "antidecisive")
_ROUNDS = 8  # the kinds of playouts take turns, so that a machine that changes its speed slows all of them

COLUMNS = (
    Column("game", "game", 17),
    Column("auto", "auto", 13),
    Column("states_per_cpu_s", "states/CPU s", 13),
    Column("mean_length", "length", 7, ".1f"),
    *(
        column
        for level, short in zip(LEVELS, ("decisive", "anti"), strict=True)
        for column in (
            Column(f"{level}_cost", f"{short} cost", 13, ".2f"),
            Column(f"{level}_states", "× states/s", 10, ".2f"),
            Column(f"{level}_playouts", "× playouts/s", 12, ".2f"),
            Column(f"{level}_length", "length", 7, ".1f"),
        )
    ),
)


def measure_decisive(
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int
) -> Iterator[dict[str, CellValue]]:
    """Play each game for `seconds` with every kind of playouts that it has."""
    for name, machine in games:
        settled = {level: machine.decisive_moves(level) for level in LEVELS}
        kinds = ["off", *(level for level in LEVELS if settled[level].settled == level)]
        rates = {kind: _Rate() for kind in kinds}
        for number in range(_ROUNDS):
            for kind, rate in rates.items():
                rate.add(machine.playouts(seconds=seconds / _ROUNDS, lanes=lanes, seed=number, decisive=kind))
        plain = rates["off"]
        row: dict[str, CellValue] = {
            "game": name,
            "auto": machine.decisive_moves("auto").settled,
            "states_per_cpu_s": plain.states_per_s,
            "mean_length": plain.length,
        }
        for level in kinds[1:]:
            rate = rates[level]
            row[f"{level}_cost"] = settled[level].cost
            row[f"{level}_states"] = rate.states_per_s / plain.states_per_s
            row[f"{level}_playouts"] = rate.playouts_per_s / plain.playouts_per_s
            row[f"{level}_length"] = rate.length
        yield {column.key: row.get(column.key) for column in COLUMNS}


class _Rate:
    """Sums over runs of playouts."""

    def __init__(self) -> None:
        self.playouts = self.states = self.finished_states = 0
        self.cpu_seconds = 0.0

    def add(self, totals: _native.PlayoutTotals) -> None:
        self.playouts += totals.playouts
        self.states += totals.states
        self.finished_states += totals.finished_states
        self.cpu_seconds += totals.cpu_seconds

    @property
    def states_per_s(self) -> float:
        return self.states / self.cpu_seconds

    @property
    def playouts_per_s(self) -> float:
        return self.playouts / self.cpu_seconds

    @property
    def length(self) -> float | None:
        return self.finished_states / self.playouts if self.playouts else None
