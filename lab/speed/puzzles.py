"""Matches of games of one role by the clock: what the puzzle search and UCT bring."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gdl_miner.agent.player import Player
from gdl_miner.agent.reasoner.machine import Machine
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "PuzzleClocks", "measure_puzzles"]

COLUMNS = (
    Column("game", "game", 36),
    Column("largest_goal", "largest", 7),
    Column("uct", "UCT", 5),
    Column("puzzle", "puzzle", 6),
    Column("moves", "moves", 5),
    Column("line_after_start", "at start", 8),
    Column("states_per_s", "states/s", 11),
    Column("seconds", "seconds", 7, ".1f"),
)


class PuzzleClocks(NamedTuple):
    """The time of a match, in seconds."""

    start: float  # before the first move
    play: float  # for every move


def measure_puzzles(
    games: Iterable[tuple[str, Machine]], *, clocks: PuzzleClocks, threads: int, with_uct: bool, seed: int
) -> Iterator[dict[str, CellValue]]:
    """Play each game of one role once with a puzzle search, and with UCT where it is wanted; leave the others out.

    `line_after_start` is the goal of the line that is known when the start clock ends, None if none is known.
    """
    for name, machine in games:
        if len(machine.roles) != 1:
            continue
        uct = None
        if with_uct:
            with Player(machine, machine.roles[0], threads=threads, solver=True, seed=seed) as player:
                uct = _played(player, clocks).goal
        with Player(machine, machine.roles[0], threads=threads, seed=seed) as player:
            found = _played(player, clocks)
        yield {
            "game": name,
            "largest_goal": max(machine.circuit.goal_value.tolist(), default=None),
            "uct": uct,
            "puzzle": found.goal,
            "moves": found.moves,
            "line_after_start": found.line_after_start,
            "states_per_s": found.states / found.seconds if found.seconds else None,
            "seconds": found.seconds,
        }


class _Played(NamedTuple):
    goal: int | None
    moves: int
    line_after_start: int | None
    states: int  # or playouts
    seconds: float  # of all searches


def _played(player: Player, clocks: PuzzleClocks) -> _Played:
    begin = time.perf_counter()
    thought = player.think(seconds=clocks.start)
    known = thought.plan.goal if thought.plan is not None else None
    states = thought.playouts
    while not player.ended:
        if len(player.legal) > 1:
            thought = player.think(seconds=clocks.play)
            states += thought.playouts
        player.advance([thought.move if len(player.legal) > 1 else player.legal[0]])
    return _Played(player.goal, player.match.number, known, states, time.perf_counter() - begin)
