"""How many playouts a second batched search makes."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from agent.search.uct import STAGES, play_matches, search_arrays

__all__ = ["SearchSpeed", "measure_search", "random_positions"]

# Positions per lane: with too few, lanes that drew late positions idle at the end.
POSITIONS_PER_LANE = 4


class SearchSpeed(NamedTuple):
    """What a measurement gave; `seconds` is processor time of this process."""

    positions: int
    playouts: int
    seconds: float
    nodes: int  # states put into transposition tables
    stage_seconds: tuple[float, ...] = (0.0,) * len(STAGES)

    @property
    def playouts_per_s(self) -> float:
        """Playouts, each with its descent, expansion and backup, per second."""
        return self.playouts / self.seconds

    @property
    def shares(self) -> dict[str, float]:
        """Share of each stage in the time of all."""
        whole = sum(self.stage_seconds) or 1.0
        return {stage: seconds / whole for stage, seconds in zip(STAGES, self.stage_seconds, strict=True)}


def measure_search(machine: Machine, *, playouts: int, seconds: float, lanes: int, seed: int) -> SearchSpeed:
    """Search positions drawn from random matches with bare UCT, `playouts` for each role that has a choice.

    Positions are taken uniformly from whole matches, so that short playouts of late positions count as they do in
    play. Batches are searched until `seconds` have passed, at least one.
    """
    total = SearchSpeed(0, 0, 0.0, 0)
    batch = 0
    while batch == 0 or total.seconds < seconds:
        states = random_positions(machine, POSITIONS_PER_LANE * lanes, seed + batch)
        begin = time.process_time()
        found = search_arrays(
            machine, states, PlayerSpec(playouts=playouts), np.arange(len(states), dtype=np.uint64), lanes=lanes
        )
        spent = time.process_time() - begin
        total = SearchSpeed(
            positions=total.positions + len(states),
            playouts=total.playouts + int(found.playouts.sum()),
            seconds=total.seconds + spent,
            nodes=total.nodes + int(found.nodes_added.sum()),
            stage_seconds=tuple((np.array(total.stage_seconds) + found.stage_seconds).tolist()),
        )
        batch += 1
    return total


def random_positions(machine: Machine, count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """[count, words] one position, not terminal, from each of `count` random matches."""
    random = np.random.default_rng(seed)
    seats = np.zeros((count, len(machine.roles)), np.int32)
    seeds = random.integers(0, 2**64, count, dtype=np.uint64)
    record = play_matches(machine, [PlayerSpec("random")], seats, seeds, [str(match) for match in range(count)])
    steps = random.integers(record.start[:-1], record.start[1:] - 1)
    return np.ascontiguousarray(record.states[steps])
