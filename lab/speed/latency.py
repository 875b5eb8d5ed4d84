"""Time that one state takes alone, without lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from lab.speed.rounds import call_seconds, random_matches
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "GAMES", "measure_latency"]

GAMES = ("amazons.ext", "checkers.ext", "cubicup.ext", "connectfour.ext", "othello.ext")

COLUMNS = (
    Column("game", "game", 17),
    Column("expand_us", "legal+next µs", 14, ".2f"),
    Column("legal_us", "legal µs", 9, ".2f"),
    Column("next_us", "next µs", 9, ".2f"),
    Column("gates", "gates", 8),
    Column("literals", "literals", 8),
)

POSITIONS = 256


class _Expansions:
    """Positions of random matches with the joint moves made there, and the two calls that are timed."""

    def __init__(self, machine: Machine) -> None:
        record = random_matches(machine)
        moved = np.flatnonzero(record.moves[:, 0] >= 0)
        chosen = np.random.default_rng(0).permutation(moved)[:POSITIONS]
        self._native = machine.native
        self._states = [record.states[at].copy() for at in chosen]
        self._joints = [record.moves[at].tolist() for at in chosen]

    def list_moves(self) -> None:
        for state in self._states:
            self._native.legal(state)

    def expand(self) -> None:
        for state, joint in zip(self._states, self._joints, strict=True):
            self._native.legal(state)
            self._native.next(state, joint)


def measure_latency(games: Iterable[tuple[str, Machine]], *, seconds: float) -> Iterator[dict[str, CellValue]]:
    """Yield microseconds of processor time for the legal moves of a state, and for its successor, for each game.

    The calls go through the Python interface. Positions come from random matches and change from call to call, so that
    no result is remembered.
    """
    for name, machine in games:
        expansions = _Expansions(machine)
        calls = call_seconds([expansions.expand, expansions.list_moves], seconds)
        both, legal = (1e6 * call / POSITIONS for call in calls)
        yield {
            "game": name,
            "expand_us": both,
            "legal_us": legal,
            "next_us": both - legal,
            "gates": machine.circuit.n_gates,
            "literals": machine.circuit.n_literals,
        }
