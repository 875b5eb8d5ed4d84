"""Training against a clock: it stops when its time is over, and goes on from there when there is time again."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import (
    LearnedWeights,
    RoundSettings,
    ShapeChoice,
    ValueLayout,
    ValueShape,
    average,
    layout_for,
    train_round,
    value_function,
)

__all__ = ["TimedTraining"]

_NO_LIMIT = 1 << 40  # games
_ROUND_S = 1.0  # after which the threads average their weights
_LEAST_ROUND_S = 0.05
_LAYING_OUT = threading.Lock()  # one network at a time, because the next one finds cells of the goals again


class TimedTraining:
    """The training of one player. One thread may use it at a time, but any may call `stop`.

    The network is laid out in a thread of its own: where a game needs long for this, training begins later.
    """

    def __init__(self, machine: Machine, choice: ShapeChoice = "large", *, seed: int = 0, threads: int = 1) -> None:
        """Begin to lay out the network of a game; `threads` rounds are played at once."""
        self.choice: ShapeChoice = choice
        self.games = 0  # training games so far
        self.moves = 0  # joint moves in these games
        self._seed = seed
        self._threads = threads
        self._rounds = 0
        self._learned: LearnedWeights | None = None
        self._stopped = threading.Event()
        self._layout: Future[ValueLayout] = Future()
        threading.Thread(target=self._lay_out, args=(machine,), name="layout", daemon=True).start()

    def train(self, seconds: float) -> None:
        """Play training games for so many seconds. Raises ConfigError where the game has no network."""
        end = time.perf_counter() + seconds
        while not self._layout.done():
            if time.perf_counter() >= end or self._stopped.is_set():
                return
            wait([self._layout], timeout=min(_LEAST_ROUND_S, seconds))
        layout = self._layout.result()
        with ThreadPoolExecutor(self._threads, "training") as pool:
            while (left := end - time.perf_counter()) > _LEAST_ROUND_S and not self._stopped.is_set():
                self._train_round(layout, min(left, _ROUND_S), pool)

    def has_network_of(self, other: TimedTraining) -> bool:
        """Whether both networks are laid out, and have the same tuples."""
        if not (self._layout.done() and other._layout.done()):
            return False
        own, theirs = self._layout.result(), other._layout.result()
        return (own.tuples, own.anywhere) == (theirs.tuples, theirs.anywhere)

    def values(self) -> _native.ValueFunction | None:
        """Return what the games have taught; None if there were none."""
        if self._learned is None:
            return None
        return value_function(self._layout.result(), self._learned.weights)

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Let `train` return after the present round at the latest, now and ever after."""
        self._stopped.set()

    def _train_round(self, layout: ValueLayout, seconds: float, pool: ThreadPoolExecutor) -> None:
        self._rounds += 1
        start = self._learned or LearnedWeights.new(layout)
        rounds = [
            RoundSettings(
                games=_NO_LIMIT,
                seed=derive_seed(self._seed, "training", self._rounds, thread),
                exploration=0.05,
                opening=4,
                move_limit=500,
                step=16.0,
                trace=0.8,
                seconds=seconds,
            )
            for thread in range(self._threads)
        ]
        found = list(pool.map(lambda settings: train_round(layout, start, settings), rounds))
        games = sum(totals.games for _, totals in found)
        if games:
            self._learned = average([learned for learned, _ in found])
            self.games += games
            self.moves += sum(totals.moves for _, totals in found)

    def _lay_out(self, machine: Machine) -> None:
        try:
            with _LAYING_OUT:
                layout = layout_for(machine, ValueShape(self.choice))
            self._layout.set_result(layout)
        except BaseException as error:  # passed on to the thread that trains
            self._layout.set_exception(error)
