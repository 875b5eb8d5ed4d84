"""The trees of one player: one per thread, each kept from move to move.

Threads grow their trees without the GIL and independently of each other; the statistics at the roots are added up (root
parallelisation, Chaslot, Winands & van den Herik 2008). If the playouts are limited by number, the result depends on
the number of trees, but never on how the threads were scheduled.
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
from agent.reasoner.circuit import State
from agent.reasoner.machine import Machine
from agent.search.seeds import derive_seed
from agent.search.uct import SeatedPlayer

__all__ = ["SearchTask", "Trees"]

PONDER_SLICE_S = 0.25
LATE_S = 0.01  # longest time for which late trees are waited for after the end of a search
LEAST_S = 1e-6


class SearchTask(NamedTuple):
    """A position to search and the seed of the search."""

    state: State
    last_rows: NDArray[np.int32]  # [n_roles] the joint move that led here, empty at the start of a match
    seed: int


class Trees:
    """The search trees of one role in one match; one thread may use them at a time, but any may call `interrupt`."""

    def __init__(self, machine: Machine, seat: SeatedPlayer, role: int, threads: int) -> None:
        self._thinkers = [_native.Thinker(machine.native, seat, role) for _ in range(threads)]
        self._n_roles = len(machine.roles)
        self._running: list[threading.Thread] = []
        self._over = False

    def search(self, position: SearchTask, playouts: int, seconds: float) -> list[TreeReport]:
        """Search until the playouts are made or the seconds are over; a limit of 0 means no limit.

        A tree that is late for lack of a processor is not waited for if another tree is on time.

        Raises RuleViolationError if the rules leave a role without a move.
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
            except BaseException as error:  # passed on to the calling thread
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
        """Return [move, role] the rows of the joint moves that the last search expects if its role plays row `first`.

        The line comes from the tree that knows the longest one; it is empty if no tree knows any.
        """
        self.rest()
        lines = [thinker.line(first, longest) for thinker in self._thinkers]
        return max(lines, key=len).reshape(-1, self._n_roles)

    def ponder(self, position: SearchTask) -> None:
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
                    return  # the next search meets the violation again and reports it

        self._start(run, list(range(len(self._thinkers))))

    def interrupt(self, *, for_good: bool = False) -> None:
        """End the running searches, which return their results so far; with `for_good`, later searches too."""
        self._over = self._over or for_good
        for thinker in self._thinkers:
            thinker.stopped = True

    def rest(self) -> None:
        """End all searches and wait for their threads."""
        self.interrupt()
        for thread in self._running:
            thread.join()
        self._running = []

    def close(self) -> None:
        """End all searches and free their memory; no further search is possible."""
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

    def _think(self, number: int, position: SearchTask, playouts: int, seconds: float) -> TreeReport:
        seed = derive_seed(position.seed, "tree", number)
        found = self._thinkers[number].think(position.state, position.last_rows, seed, playouts, seconds)
        return TreeReport(*found)


def _next(found: queue.SimpleQueue[TreeReport | BaseException], end: float) -> TreeReport | BaseException | None:
    """Return the next report, None if none comes before `end`, a time of the performance counter in seconds."""
    try:
        return found.get(timeout=None if end == math.inf else max(0.0, end - time.perf_counter()))
    except queue.Empty:
        return None
