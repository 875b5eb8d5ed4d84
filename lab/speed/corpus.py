"""Random playouts of all games of a corpus, to see whether a state costs no more than its circuit's literals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import quantiles
from typing import Any

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "measure_circuits", "summary"]

COLUMNS = (
    Column("game", "game", 32),
    Column("gates", "gates", 8),
    Column("literals", "literals", 9),
    Column("rows", "rows", 7),
    Column("step_cost", "step cost", 10),
    Column("mean_length", "length", 7, ".1f"),
    Column("states_per_cpu_s", "states/CPU s", 14),
    Column("literals_per_cpu_s", "literals/CPU s", 15, ".3g"),
    Column("cost_per_cpu_s", "cost/CPU s", 11, ".3g"),
)


def measure_circuits(games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int) -> list[dict[str, CellValue]]:
    """Play each game for `seconds`; the games with the most literals per second come first.

    `literals_per_cpu_s` is literals of the circuit times states per second. `step_cost` is the cost of a step in
    literals: the mean over all turns, without goals that are evaluated apart, and with eight for every row that can be
    legal.
    """
    rows: list[dict[str, CellValue]] = []
    for name, machine in games:
        totals = machine.playouts(seconds=seconds, lanes=lanes)
        speed = totals.states / totals.cpu_seconds
        cost = _native.step_cost(machine.native)
        rows.append(
            {
                "game": name,
                "gates": machine.circuit.n_gates,
                "literals": machine.circuit.n_literals,
                "rows": machine.circuit.n_rows,
                "step_cost": cost,
                "mean_length": totals.finished_states / totals.playouts if totals.playouts else None,
                "states_per_cpu_s": speed,
                "literals_per_cpu_s": machine.circuit.n_literals * speed,
                "cost_per_cpu_s": cost * speed,
            }
        )
    return sorted(rows, key=lambda row: -_number(row, "literals_per_cpu_s"))


def summary(rows: Sequence[Mapping[str, CellValue]]) -> str:
    """Return quartiles of literals and of cost per second, for circuits of different sizes."""
    lines = [f"{'literals':<20} {'games':>5}  {'literals/CPU s: quartiles':^27}  {'cost/CPU s: quartiles':^27}"]
    bounds = [0, 300, 1_000, 3_000, 10_000, 100_000, 10**12]
    for low, high in pairwise(bounds):
        own = [row for row in rows if low <= _number(row, "literals") < high]
        if len(own) < 2:
            continue
        size = f"{low:,} to {high:,}" if high < bounds[-1] else f"{low:,} and more"
        shares = [_quartiles([_number(row, key) for row in own]) for key in ("literals_per_cpu_s", "cost_per_cpu_s")]
        lines.append(f"{size:<20} {len(own):>5}  {shares[0]:>27}  {shares[1]:>27}")
    return "\n".join(lines)


def _quartiles(values: list[float]) -> str:
    return "  ".join(f"{value:.2e}" for value in quantiles(values, n=4, method="inclusive"))


def _number(row: Mapping[str, Any], key: str) -> float:
    return float(row[key])
