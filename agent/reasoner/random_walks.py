"""Uniformly random playouts on any engine, one after another."""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

from gdl_miner.agent.reasoner.engines import TextEngine

__all__ = ["WalkTotals", "random_walks"]


class WalkTotals(NamedTuple):
    """Totals of random playouts.

    A playout that the clock cuts off, or that lacks a legal move, counts in `states` alone.
    """

    playouts: int  # finished playouts
    states: int  # expanded states: legal moves and a next state for each
    finished_states: int  # expanded states of finished playouts
    goals: tuple[float, ...]  # [role] sum over finished playouts
    seconds: float
    cpu_seconds: float


def random_walks(engine: TextEngine[Any], seconds: float, seed: int = 0) -> WalkTotals:
    """Play playouts from the initial state until `seconds` have passed, at least one step or playout."""
    dice = random.Random(seed)
    started, cpu = time.perf_counter(), time.process_time()
    playouts = states = finished = 0
    goals = [0.0] * len(engine.roles)
    while not (playouts or states) or time.perf_counter() - started < seconds:
        state, length, over = engine.initial(), 0, False
        while length == 0 or time.perf_counter() - started < seconds:
            over = engine.terminal(state)
            legal = [] if over else engine.legal(state)
            if over or not all(legal):
                break
            state = engine.next(state, [dice.choice(sorted(moves)) for moves in legal])
            length += 1
        states += length
        if over:
            playouts, finished = playouts + 1, finished + length
            goals = [total + (goal or 0) for total, goal in zip(goals, engine.goals(state), strict=True)]
        elif length == 0:
            break
    now = time.perf_counter()
    return WalkTotals(playouts, states, finished, tuple(goals), now - started, time.process_time() - cpu)
