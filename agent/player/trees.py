"""The trees of one player: one per thread, each kept from move to move.

Threads grow their trees without the GIL and without knowing of each other; what their roots say is added up (root
parallelisation, Chaslot, Winands & van den Herik 2008). With a number of playouts the result depends on the number of
trees, never on how the threads were scheduled.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent import _native
from agent.player.thought import TreeReport
from agent.reasoner.machine import Machine, State
from agent.search.seeds import derive_seed
from agent.search.uct import SeatedPlayer

__all__ = ["Position", "Trees"]

PONDER_SLICE_S = 0.25
LATE_S = 0.01  # trees are waited for, after the end of a search
LEAST_S = 1e-6


class Position(NamedTuple):
    """What is searched."""

    state: State
    last_rows: NDArray[np.int32]  # [n_roles], empty at the start of a match
    seed: int


class Trees:
    """Searches of one role of one match. Its methods are for one thread at a time, `interrupt` is for any."""

    def __init__(self, machine: Machine, seat: SeatedPlayer, role: int, threads: int) -> None:
        self._thinkers = [_native.Thinker(machine.native, seat, role) for _ in range(threads)]
        self._n_roles = len(machine.roles)
        self._running: list[threading.Thread] = []
        self._over = False

    def search(self, position: Position, playouts: int, seconds: float) -> list[TreeReport]:
        """Search until the playouts are made or the seconds are over; 0 is no such limit.

        Trees that are late, for want of a processor, are not waited for where another one is on time.

        Raises RuleViolationError where the rules leave a role without a move.
        """
        end = time.perf_counter() + seconds if seconds > 0 else math.inf
        self.rest()
        share, rest = divmod(playouts, len(self._thinkers))
        budgets = [share + (number < rest) for number in range(len(self._thinkers))]
        found: queue.SimpleQueue[TreeReport | BaseException] = queue.SimpleQueue()

        def run(number: int) -> None:
            try:
                left = max(LEAST_S, end - time.perf_counter()) if seconds > 0 else 0.0
                found.put(self._think(number, position, budgets[number], left))
            except BaseException as error:  # handed over to the thread that asked
                found.put(error)

        busy = [number for number, budget in enumerate(budgets) if budget > 0 or playouts == 0]
        self._start(run, busy)
        reports: list[TreeReport] = []
        try:
            for _ in busy:
                report = _next(found, end + LATE_S if reports else math.inf)
                if report is None:
                    self.interrupt()
                    break
                if isinstance(report, BaseException):
                    raise report
                reports.append(report)
        except BaseException:
            self.rest()
            raise
        return reports

    def line(self, first: int, longest: int) -> NDArray[np.int32]:
        """[move, role] the joint moves that the last search expects when its role moves `first`.

        Of several trees that which knows the longest line tells; empty where none knows any.
        """
        self.rest()
        lines = [thinker.line(first, longest) for thinker in self._thinkers]
        return max(lines, key=len).reshape(-1, self._n_roles)

    def ponder(self, position: Position) -> None:
        """Let the trees grow in the background, until the next search or `rest`."""
        self.rest()

        def run(number: int) -> None:
            thinker, slices = self._thinkers[number], 0
            while not thinker.stopped and threading.main_thread().is_alive():
                slices += 1
                seed = derive_seed(position.seed, "slice", slices)
                try:
                    if self._think(number, position._replace(seed=seed), 0, PONDER_SLICE_S).solved:
                        return
                except _native.RuleViolationError:
                    return  # the next search meets it again, and reports it

        self._start(run, list(range(len(self._thinkers))))

    def interrupt(self, *, for_good: bool = False) -> None:
        """End the searches that run, wherever they are; they return what they know. `for_good`: later ones too."""
        self._over = self._over or for_good
        for thinker in self._thinkers:
            thinker.stopped = True

    def rest(self) -> None:
        """End all searches, and wait until they have."""
        self.interrupt()
        for thread in self._running:
            thread.join()
        self._running = []

    def close(self) -> None:
        """End all searches and give their memory back; nothing can be searched then."""
        self.interrupt(for_good=True)
        self.rest()
        self._thinkers = []
        _native.release_memory()

    def _start(self, run: Callable[[int], None], numbers: list[int]) -> None:
        self._running = [threading.Thread(target=run, args=(number,), name=f"search-{number}") for number in numbers]
        for thinker in self._thinkers:
            thinker.stopped = False
        if self._over:
            self.interrupt()
        for thread in self._running:
            thread.start()

    def _think(self, number: int, position: Position, playouts: int, seconds: float) -> TreeReport:
        seed = derive_seed(position.seed, "tree", number)
        found = self._thinkers[number].think(position.state, position.last_rows, seed, playouts, seconds)
        return TreeReport(*found)


def _next(found: queue.SimpleQueue[TreeReport | BaseException], end: float) -> TreeReport | BaseException | None:
    """What comes next, until a time of the performance counter; None where nothing comes."""
    try:
        return found.get(timeout=None if end == math.inf else max(0.0, end - time.perf_counter()))
    except queue.Empty:
        return None
