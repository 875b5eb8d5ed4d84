"""Stops threads that search, as a system without a free processor does, and lets them go on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.player.trees import SearchTask, Trees

PLAYOUTS = 200  # of a search before it stops


class StoppedSearches:
    """The searches in the trees named stop after some playouts, whose results they have published by then.

    They stop at the end of their native code. A signal could stop them anywhere in it, but also while they hold a lock
    that the other threads need, such as that of the memory allocator.
    """

    def __init__(self, trees: set[int]) -> None:
        self.trees = trees
        self.stopped: set[int] = set()  # trees
        self.stops = 0
        self._changed = threading.Condition()

    def stop(self, tree: int, thinker: _native.Thinker | _native.PuzzleSearch) -> None:
        """Stop the calling thread, which searches in this tree, until `go_on`.

        Return at once if its search is over by now, or after `end`.
        """
        with self._changed:
            if tree in self.trees and not thinker.stopped:
                self.stops += 1
                self.stopped.add(tree)
                self._changed.notify_all()
                self._changed.wait_for(lambda: tree not in self.stopped)

    def wait_for(self, stops: int) -> None:
        """Wait until searches have stopped so many times."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.stops >= stops, timeout=60)

    def go_on(self) -> None:
        """Let all stopped threads go on."""
        with self._changed:
            self.stopped.clear()
            self._changed.notify_all()

    def end(self) -> None:
        """Let all threads go on, and stop none any more."""
        with self._changed:
            self.trees = set()
        self.go_on()


@contextmanager
def stopping(monkeypatch: pytest.MonkeyPatch, *trees: int) -> Iterator[StoppedSearches]:
    """Stop the threads of these trees in all searches."""
    searches = StoppedSearches(set(trees))
    think = Trees._think

    def stopped(self: Trees, number: int, task: SearchTask, playouts: int, seconds: float) -> TreeReport:
        if number not in searches.trees:
            return think(self, number, task, playouts, seconds)
        report = think(self, number, task, PLAYOUTS, 0.0)
        searches.stop(number, self._thinkers[number])
        return report

    with monkeypatch.context() as patch:
        patch.setattr(Trees, "_think", stopped)
        try:
            yield searches
        finally:
            searches.end()
