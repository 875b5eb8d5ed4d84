"""Counts of what can be reached from the initial state in a number of steps, to compare engines with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from agent.reasoner.machine import Machine


class Level(NamedTuple):
    """What is reached after `depth` joint moves. Terminal states are counted and not left."""

    depth: int
    states: int  # distinct states
    sequences: int  # sequences of joint moves that lead to them
    terminal_states: int
    terminal_sequences: int


def perft(machine: Machine, depth: int) -> Iterator[Level]:
    """Yield the levels 0 .. depth, or until the last game has ended."""
    sequences = {machine.initial().tobytes(): 1}  # packed state -> sequences that lead to it
    for level in range(depth + 1):
        ended = [packed for packed in sequences if machine.terminal(np.frombuffer(packed, np.uint64))]
        total, over = sum(sequences.values()), sum(sequences[packed] for packed in ended)
        yield Level(level, len(sequences), total, len(ended), over)
        for packed in ended:
            del sequences[packed]
        if not sequences:
            return
        if level < depth:
            sequences = _successors(machine, sequences)


def _successors(machine: Machine, sequences: dict[bytes, int]) -> dict[bytes, int]:
    following: dict[bytes, int] = {}
    for packed, count in sequences.items():
        state = np.frombuffer(packed, np.uint64)
        for joint in product(*(rows.tolist() for rows in machine.legal(state))):
            successor = machine.next(state, joint).tobytes()
            following[successor] = following.get(successor, 0) + count
    return following
