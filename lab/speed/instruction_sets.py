"""The same playouts on every instruction set of this processor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from lab.tables import CellValue, Column

__all__ = ["columns", "measure_instruction_sets"]

ROUNDS = 4  # the sets take turns, so that a disturbance falls on all of them


def columns() -> tuple[Column, ...]:
    """Return a column for each instruction set, and one for how many times faster the best is than each other."""
    names = _native.supported_instruction_sets()
    return (
        Column("game", "game", 17),
        *(Column(name, f"{name}/CPU s", 15) for name in names),
        *(Column(f"times_{name}", f"× {name}", 10, ".2f") for name in names[1:]),
    )


def measure_instruction_sets(
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int
) -> Iterator[dict[str, CellValue]]:
    """Yield playouts per second of processor time for each game; every set plays for `seconds`, in turns."""
    names = _native.supported_instruction_sets()
    for game, machine in games:
        playouts = dict.fromkeys(names, 0)
        spent = dict.fromkeys(names, 0.0)
        for turn in range(ROUNDS):
            for name in names:
                totals = machine.native.playouts(seconds=seconds / ROUNDS, lanes=lanes, seed=turn, isa=name)
                playouts[name] += totals.playouts
                spent[name] += totals.cpu_seconds
        speed = {name: playouts[name] / spent[name] for name in names}
        times = {f"times_{name}": speed[names[0]] / speed[name] if speed[name] else None for name in names[1:]}
        yield {"game": game, **speed, **times}
