"""Uniformly random playouts of many games on one core, beside the speed of other systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl_miner.agent.reasoner.machine import Machine
from lab.speed.games import Reference, references
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "measure_playouts"]

COLUMNS = (
    Column("game", "game", 17),
    Column("playouts_per_s", "playouts/s"),
    Column("playouts_per_cpu_s", "per CPU s"),
    Column("states_per_cpu_s", "states/CPU s", 13),
    Column("mean_length", "length", 7, ".1f"),
    Column("gates", "gates", 8),
    Column("literals", "literals", 8),
    Column("rbg", "RBG", 10),
    Column("times_rbg", "× RBG", 7, ",.1f"),
    Column("propnet", "propnet", 10),
    Column("times_propnet", "× propnet", 9, ",.1f"),
    Column("wanted", "wanted", 12),
    Column("times_wanted", "× wanted", 8, ".2f"),
)


def measure_playouts(
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int
) -> Iterator[dict[str, CellValue]]:
    """Play each game for `seconds` and compare it with the figures known for its name."""
    for name, machine in games:
        totals = machine.playouts(seconds=seconds, lanes=lanes)
        reference = references().get(name, Reference())
        speed = totals.playouts / totals.cpu_seconds
        yield {
            "game": name,
            "playouts_per_s": totals.playouts / totals.seconds,
            "playouts_per_cpu_s": speed,
            "states_per_cpu_s": totals.states / totals.cpu_seconds,
            "mean_length": totals.finished_states / totals.playouts if totals.playouts else None,
            "gates": machine.circuit.n_gates,
            "literals": machine.circuit.n_literals,
            "rbg": reference.rbg,
            "times_rbg": _ratio(speed, reference.rbg),
            "propnet": reference.propnet,
            "times_propnet": _ratio(speed, reference.propnet),
            "wanted": reference.wanted,
            "times_wanted": _ratio(speed, reference.wanted),
        }


def _ratio(speed: float, reference: float | None) -> float | None:
    return speed / reference if reference else None
