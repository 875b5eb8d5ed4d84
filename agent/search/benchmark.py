"""Speed of batched and of plain UCT search, in playouts per second."""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

import numpy as np

from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.plain_uct import PlainSearch
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import STAGES, play_matches, search_arrays

# With fewer positions per lane, lanes that draw late positions would be idle at the end.
POSITIONS_PER_LANE = 4


class SearchSpeed(NamedTuple):
    """Result of a measurement; `seconds` is the processor time of this process."""

    positions: int
    playouts: int
    seconds: float
    nodes: int  # states put into transposition tables
    stage_seconds: tuple[float, ...] = (0.0,) * len(STAGES)

    @property
    def playouts_per_s(self) -> float:
        """Playouts per second, each with its selection, expansion and backup."""
        return self.playouts / self.seconds

    @property
    def shares(self) -> dict[str, float]:
        """Share of each stage in the time of all stages."""
        whole = sum(self.stage_seconds) or 1.0
        return {stage: seconds / whole for stage, seconds in zip(STAGES, self.stage_seconds, strict=True)}

    def plus(self, other: SearchSpeed) -> SearchSpeed:
        """Return the sum of both measurements."""
        stages = (ours + theirs for ours, theirs in zip(self.stage_seconds, other.stage_seconds, strict=True))
        return SearchSpeed(
            positions=self.positions + other.positions,
            playouts=self.playouts + other.playouts,
            seconds=self.seconds + other.seconds,
            nodes=self.nodes + other.nodes,
            stage_seconds=tuple(stages),
        )


def measure_search(machine: Machine, player: PlayerSpec, *, seconds: float, lanes: int, seed: int) -> SearchSpeed:
    """Measure searches of positions drawn from random matches, for each role that has a choice.

    Positions are taken uniformly from whole matches, so that short playouts of late positions count as they do in
    play. At least one batch is searched, and more until the searches have taken `seconds` of processor time.
    """
    total = SearchSpeed(0, 0, 0.0, 0)
    batch = 0
    while batch == 0 or total.seconds < seconds:
        states = random_positions(machine, POSITIONS_PER_LANE * lanes, seed + batch)
        begin = time.process_time()
        found = search_arrays(machine, states, player, np.arange(len(states), dtype=np.uint64), lanes=lanes)
        batch_speed = SearchSpeed(
            positions=len(states),
            playouts=int(found.playouts.sum()),
            seconds=time.process_time() - begin,
            nodes=int(found.nodes_added.sum()),
            stage_seconds=tuple(found.stage_seconds.tolist()),
        )
        total = total.plus(batch_speed)
        batch += 1
    return total


def measure_plain_search(engine: TextEngine[Any], *, playouts: int, seconds: float, seed: int) -> SearchSpeed:
    """Measure searches of the states of random matches, with `playouts` for the first role each.

    The searches run in plain Python, one playout at a time, so that they also measure games without a circuit. They
    end when `seconds` have passed, even in the middle of a search.
    """
    rng = random.Random(seed)
    begin, cpu = time.perf_counter(), time.process_time()
    positions = made = nodes = 0
    state = engine.initial()
    while positions == 0 or time.perf_counter() - begin < seconds:
        if engine.terminal(state):
            state = engine.initial()
        search = PlainSearch(engine, rng)
        left = max(0.0, seconds - (time.perf_counter() - begin))
        made += search.think(state, 0, playouts, left).playouts
        nodes, positions = nodes + search.nodes, positions + 1
        state = engine.next(state, [rng.choice(sorted(moves)) for moves in engine.legal(state)])
    return SearchSpeed(positions, made, max(time.process_time() - cpu, 1e-9), nodes)


def random_positions(machine: Machine, count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """[count, words] packed states: one that is not terminal from each of `count` random matches."""
    rng = np.random.default_rng(seed)
    seats = np.zeros((count, len(machine.roles)), np.int32)
    seeds = rng.integers(0, 2**64, count, dtype=np.uint64)
    record = play_matches(machine, [PlayerSpec("random")], seats, seeds, [str(match) for match in range(count)])
    steps = rng.integers(record.start[:-1], record.start[1:] - 1)
    return np.ascontiguousarray(record.states[steps])
