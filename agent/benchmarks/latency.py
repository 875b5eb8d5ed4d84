"""Time that one state takes alone, without lanes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from agent.benchmarks.tables import CellValue, Column
from agent.reasoner.machine import Machine
from agent.search import PlayerSpec, play_matches

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
MATCHES = 64


class _Expansions:
    """Positions of random matches with the joint moves made there, and the two calls that are timed."""

    def __init__(self, machine: Machine) -> None:
        seats = np.zeros((MATCHES, len(machine.roles)), np.int32)
        seeds = np.arange(MATCHES, dtype=np.uint64)
        record = play_matches(machine, [PlayerSpec("random")], seats, seeds, [str(n) for n in range(MATCHES)])
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

    def microseconds(self, asks: Sequence[Callable[[], None]], seconds: float) -> list[float]:
        """Return the processor time per position of each call: the mean of the faster half of the rounds.

        There are at least three rounds, and more until `seconds` have passed. A round makes all calls one after the
        other, so that a disturbance of the machine affects them alike.
        """
        rounds: list[list[float]] = []
        end = time.perf_counter() + seconds
        while len(rounds) < 3 or time.perf_counter() < end:
            rounds.append([self._timed(ask) for ask in asks])
        faster = np.sort(rounds, axis=0)[: (len(rounds) + 1) // 2]
        return [1e6 * float(each) / len(self._states) for each in faster.mean(axis=0)]

    def _timed(self, ask: Callable[[], None]) -> float:
        begin = time.process_time()
        ask()
        return time.process_time() - begin


def measure_latency(games: Iterable[tuple[str, Machine]], *, seconds: float) -> Iterator[dict[str, CellValue]]:
    """Yield microseconds of processor time for the legal moves of a state, and for its successor, for each game.

    The calls go through the Python interface. Positions come from random matches and change from call to call, so that
    no result is remembered.
    """
    for name, machine in games:
        expansions = _Expansions(machine)
        both, legal = expansions.microseconds([expansions.expand, expansions.list_moves], seconds)
        yield {
            "game": name,
            "expand_us": both,
            "legal_us": legal,
            "next_us": both - legal,
            "gates": machine.circuit.n_gates,
            "literals": machine.circuit.n_literals,
        }
