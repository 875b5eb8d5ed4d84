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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.search.seeds import derive_seed

T = TypeVar("T")

PONDER_SLICE_S = 0.25
LATE_S = 0.01  # longest time for which late trees are waited for after the end of a search
ALL_LATE_S = 0.5  # the same if all trees are late
LEAST_S = 1e-6


class SearchTask(NamedTuple):
    """A position to search and the seed of the search."""

    state: State
    last_rows: NDArray[np.int32]  # [n_roles] the joint move that led here, empty at the start of a match
    seed: int

    def of_tree(self, number: int) -> int:
        """Return the seed of the search in one of the trees."""
        return derive_seed(self.seed, "tree", number)


@dataclass(eq=False)
class _Search:
    """One search in all trees, or one time of pondering."""

    over: bool = False
    ended: set[int] = field(default_factory=set)  # trees whose threads have ended it


class Trees:
    """The search trees of one role in one match.

    One thread may use them at a time, but any may call `interrupt` and `known`.
    """

    def __init__(self, thinkers: Sequence[_native.Thinker | _native.PuzzleSearch], n_roles: int) -> None:
        self._thinkers = list(thinkers)
        self._n_roles = n_roles
        self._running: list[threading.Thread | None] = [None] * len(thinkers)  # [tree] its thread, or the last one
        self._latest = _Search()
        self._lock = threading.Lock()  # held while searches begin or end, not while they run
        self._over = False

    def search(
        self, task: SearchTask, playouts: int, seconds: float, *, until_solved: bool = False
    ) -> list[TreeReport]:
        """Search until the playouts are made or the seconds are over; a limit of 0 means no limit.

        With `until_solved`, all trees end when one of them has solved the position.

        A tree that is late for lack of a processor is not waited for: what it has published counts. If all trees are
        late, they are waited for a little longer, and until one of them has published a visit.

        Raises RuleViolationError if the rules leave a role without a move.
        """
        end = time.perf_counter() + seconds if seconds > 0 else math.inf
        share, rest = divmod(playouts, len(self._thinkers))
        budgets = [share + (number < rest) for number in range(len(self._thinkers))]
        answers: queue.SimpleQueue[tuple[int, TreeReport | BaseException]] = queue.SimpleQueue()

        def run(number: int, search: _Search) -> None:
            report: TreeReport | BaseException
            try:
                left = max(LEAST_S, end - time.perf_counter()) if seconds > 0 else 0.0
                report = self._think(number, task, budgets[number], left)
            except BaseException as error:  # passed on to the calling thread
                report = error
            search.ended.add(number)
            answers.put((number, report))

        late = {number for number, budget in enumerate(budgets) if budget > 0 or playouts == 0}
        self._start(run, sorted(late))
        reports: list[TreeReport] = []
        try:
            while late:
                answer = _next(answers, end + (LATE_S if reports else ALL_LATE_S))
                while answer is None and not reports and not any(tree.visits.any() for tree in self.known(task)):
                    answer = _next(answers, time.perf_counter() + LATE_S)
                if answer is None:
                    break
                number, report = answer
                late.remove(number)
                if isinstance(report, BaseException):
                    raise report
                reports.append(report)
                if until_solved and report.solved:
                    self.interrupt()
        except BaseException:
            self.rest()
            raise
        if late:
            self.interrupt()
            known = self.known(task)
            reports += [known[number] for number in sorted(late)]
        return reports

    def known(self, task: SearchTask) -> list[TreeReport]:
        """Return what each tree knows of the position of a task, without waiting; any thread may call this.

        It is some milliseconds old. A tree that has not begun this search reports what the search before it found, but
        no playouts, or no rows if that was a search of another position.
        """
        return [
            TreeReport(*thinker.known(task.state, task.of_tree(number)))
            for number, thinker in enumerate(self._thinkers)
        ]

    def look(self, task: SearchTask) -> list[TreeReport]:
        """Return what each tree knows of any position that is not terminal; running searches end.

        Nothing is searched, but where the next states are terminal, a tree may make one playout more.
        """
        self.rest()  # a tree that is told to stop lists the moves of the position, and hardly more
        return [self._think(number, task, 1, 0.0) for number in range(len(self._thinkers))]

    def line(self, first: int, longest: int) -> NDArray[np.int32]:
        """Return [move, role] the rows of the joint moves that the last search expects if its role plays row `first`.

        The line comes from the tree that knows the longest one; trees that still search are not asked. It is empty if
        no tree knows any.
        """
        ended = sorted(self._latest.ended)
        lines = [self._thinkers[number].line(first, longest) for number in ended]
        return max(lines, key=len, default=np.empty(0, np.int32)).reshape(-1, self._n_roles)

    def ponder(self, task: SearchTask) -> None:
        """Let the trees grow in the background, until the next search or `rest`."""

        def run(number: int, search: _Search) -> None:
            slices = 0
            while not search.over and threading.main_thread().is_alive():
                slices += 1
                seed = derive_seed(task.seed, "slice", slices)
                try:
                    if self._think(number, task._replace(seed=seed), 0, PONDER_SLICE_S).solved:
                        return
                except _native.RuleViolationError:
                    return  # the next search meets the violation again and reports it

        self._start(run, range(len(self._thinkers)))

    def begin_anew(self, thinkers: Sequence[_native.Thinker | _native.PuzzleSearch]) -> None:
        """End all searches and go on with other trees, as many as before."""
        self.rest()
        with self._lock:
            self._latest = _Search(over=self._over)
            self._thinkers = list(thinkers)

    def interrupt(self, *, for_good: bool = False) -> None:
        """End the running searches, which return their results so far; with `for_good`, later searches too."""
        with self._lock:
            self._over = self._over or for_good
            self._latest.over = True
            for thinker in self._thinkers:
                thinker.stopped = True

    def rest(self) -> None:
        """End all searches and wait for their threads."""
        self.interrupt()
        for thread in self._running:
            if thread is not None:
                thread.join()

    def close(self) -> None:
        """End all searches and free their memory; no further search is possible."""
        self.interrupt(for_good=True)
        self.rest()
        self._thinkers = []
        self._running = []
        _native.release_memory()

    def _start(self, work: Callable[[int, _Search], None], numbers: Iterable[int]) -> None:
        """End the last search and start one in these trees, each of which waits for the end of its last search."""
        self.interrupt()
        with self._lock:
            self._latest = search = _Search(over=self._over)

        def run(number: int, last: threading.Thread | None) -> None:
            if last is not None:
                last.join()
            with self._lock:
                if not search.over:
                    self._thinkers[number].stopped = False
            work(number, search)

        for number in numbers:
            arguments = number, self._running[number]
            thread = threading.Thread(target=run, args=arguments, name=f"search-{number}")
            thread.start()
            self._running[number] = thread

    def _think(self, number: int, task: SearchTask, playouts: int, seconds: float) -> TreeReport:
        report = self._thinkers[number].think(task.state, task.last_rows, task.of_tree(number), playouts, seconds)
        return TreeReport(*report)


def _next(answers: queue.SimpleQueue[T], end: float) -> T | None:
    """Return the next report, None if none comes before `end`, a time of the performance counter in seconds."""
    try:
        return answers.get(timeout=None if end == math.inf else max(0.0, end - time.perf_counter()))
    except queue.Empty:
        return None
