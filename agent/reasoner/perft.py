"""Counts of the states that can be reached from the initial state in a number of steps, to compare engines."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.machine import Machine

S = TypeVar("S", bound=Hashable)
M = TypeVar("M")

MOST_JOINT_MOVES = 10**7  # of one state


class Level(NamedTuple):
    """Counts after `depth` joint moves. Terminal states are counted but have no successors."""

    depth: int
    states: int  # distinct states
    sequences: int  # sequences of joint moves that lead to these states
    terminal_states: int
    terminal_sequences: int


class _Game(Protocol[S]):
    def initial(self) -> S: ...
    def terminal(self, state: S) -> bool: ...
    def successors(self, state: S) -> Iterator[S]: ...


class _Packed:
    """A machine whose states are bytes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def initial(self) -> bytes:
        return self._machine.initial().tobytes()

    def terminal(self, state: bytes) -> bool:
        return self._machine.terminal(np.frombuffer(state, np.uint64))

    def successors(self, state: bytes) -> Iterator[bytes]:
        unpacked = np.frombuffer(state, np.uint64)
        for joint in _joint_moves([rows.tolist() for rows in self._machine.legal(unpacked)]):
            yield self._machine.next(unpacked, joint).tobytes()


class _Fluents:
    """An engine whose states are sets of fluents."""

    def __init__(self, engine: TextEngine[frozenset[str]]) -> None:
        self._engine = engine
        self.initial, self.terminal = engine.initial, engine.terminal

    def successors(self, state: frozenset[str]) -> Iterator[frozenset[str]]:
        for joint in _joint_moves([sorted(moves) for moves in self._engine.legal(state)]):
            yield self._engine.next(state, joint)


def _joint_moves(legal: list[list[M]]) -> Iterator[tuple[M, ...]]:
    """Return every joint move. Raises ConfigError where these are too many to try each."""
    number = prod(map(len, legal))
    if number > MOST_JOINT_MOVES:
        several = f"{number:,}" if number < 10**12 else f"more than {10**12:,}"
        raise ConfigError(
            f"a state has {several} joint moves, and at most {MOST_JOINT_MOVES:,} are tried one by one; "
            "give a smaller --depth, or play the game, which tries only some"
        )
    return product(*legal)


def perft(game: Machine | TextEngine[frozenset[str]], depth: int) -> Iterator[Level]:
    """Yield the levels from 0 to `depth`, fewer if every sequence of moves ends before.

    Raises ConfigError where a state has too many joint moves.
    """
    if isinstance(game, Machine):
        yield from _levels(_Packed(game), depth)
    else:
        yield from _levels(_Fluents(game), depth)


def _levels(game: _Game[S], depth: int) -> Iterator[Level]:
    sequences = {game.initial(): 1}  # state -> number of sequences that lead to the state
    for level in range(depth + 1):
        ended = [state for state in sequences if game.terminal(state)]
        total, over = sum(sequences.values()), sum(sequences[state] for state in ended)
        yield Level(level, len(sequences), total, len(ended), over)
        for state in ended:
            del sequences[state]
        if not sequences:
            return
        if level < depth:
            sequences = _following(game, sequences)


def _following(game: _Game[S], sequences: dict[S, int]) -> dict[S, int]:
    following: dict[S, int] = {}
    for state, count in sequences.items():
        for successor in game.successors(state):
            following[successor] = following.get(successor, 0) + count
    return following
