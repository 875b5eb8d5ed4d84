"""Times of calls that are measured in turns, and positions for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.search.records import MatchBatchRecord

__all__ = ["call_seconds", "random_matches"]

_MATCHES = 64


def call_seconds(calls: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """Return the processor seconds of each call: the mean of the faster half of the rounds.

    There are at least three rounds, and more until `seconds` have passed. A round makes all calls one after the
    other, so that a disturbance of the machine affects them alike.
    """
    rounds: list[list[float]] = []
    end = time.perf_counter() + seconds
    while len(rounds) < 3 or time.perf_counter() < end:
        rounds.append([_timed(call) for call in calls])
    faster = np.sort(rounds, axis=0)[: (len(rounds) + 1) // 2]
    return [float(each) for each in faster.mean(axis=0)]


def random_matches(machine: Machine) -> MatchBatchRecord:
    """Play matches at random, always the same."""
    seats = np.zeros((_MATCHES, len(machine.roles)), np.int32)
    seeds = np.arange(_MATCHES, dtype=np.uint64)
    return play_matches(machine, [PlayerSpec("random")], seats, seeds, [str(n) for n in range(_MATCHES)])


def _timed(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin
