"""Stops threads of this process where they are, as a system without a free processor does, and lets them go on.

A stopped thread waits in a signal handler: the handler of one signal is `pause` of the C library, which returns once
the handler of another signal has run.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent.player.thought import TreeReport
from agent.player.trees import SearchTask, Trees

STOP, GO_ON = signal.SIGUSR1, signal.SIGUSR2
LOOK_S = 0.02  # time between two looks whether a search has published a visit


class StoppedSearches:
    """The threads that search; those of the trees named are stopped once they have published a visit.

    They are then in native code and do not hold the lock of the interpreter.
    """

    def __init__(self, trees: set[int]) -> None:
        self.trees = trees
        self.stopped: set[int] = set()  # threads
        self.stops = 0
        self.watches: list[threading.Thread] = []
        self._lock = threading.Lock()

    @contextmanager
    def watching(self, trees: Trees, tree: int, task: SearchTask) -> Iterator[None]:
        """Stop the calling thread while it searches in one of the trees."""
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(threading.get_ident(), trees, tree, task, ended))
        self.watches.append(watch)
        watch.start()
        try:
            yield
        finally:
            with self._lock:
                ended.set()  # the thread is sent no signal after this

    def go_on(self) -> None:
        """Let all stopped threads go on."""
        with self._lock:
            self.stopped = set()

    def _watch(self, thread: int, trees: Trees, tree: int, task: SearchTask, ended: threading.Event) -> None:
        was_stopped = False
        while not ended.wait(LOOK_S):
            with self._lock:
                if ended.is_set():
                    return
                if was_stopped and thread not in self.stopped:
                    signal.pthread_kill(thread, GO_ON)  # again and again, for it may come before the thread waits
                elif not was_stopped and tree in self.trees and trees.known(task)[tree].visits.any():
                    signal.pthread_kill(thread, STOP)
                    was_stopped = True
                    self.stopped.add(thread)
                    self.stops += 1


@contextmanager
def stopping(monkeypatch: pytest.MonkeyPatch, *trees: int) -> Iterator[StoppedSearches]:
    """Stop the threads of these trees in all searches."""
    searches = StoppedSearches(set(trees))
    think = Trees._think

    def stopped(self: Trees, number: int, task: SearchTask, playouts: int, seconds: float) -> TreeReport:
        with searches.watching(self, number, task):
            return think(self, number, task, playouts, seconds)

    c = ctypes.CDLL(None)
    c.signal.restype = ctypes.c_void_p
    c.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    handlers = {STOP: c.pause, GO_ON: c.getpid}
    before = {number: c.signal(number, ctypes.cast(handler, ctypes.c_void_p)) for number, handler in handlers.items()}
    monkeypatch.setattr(Trees, "_think", stopped)
    try:
        yield searches
    finally:
        searches.trees = set()
        searches.go_on()
        monkeypatch.setattr(Trees, "_think", think)
        for watch in searches.watches:
            watch.join()
        for number, handler in before.items():
            c.signal(number, handler)
