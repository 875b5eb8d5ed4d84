"""Matches of games of one role by the clock: what the puzzle search and UCT bring."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.limits import MAX_SECONDS, MAX_THREADS
from gdl_miner.agent.player import Player
from gdl_miner.agent.reasoner.machine import Machine
from lab.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Games,
    SeedOption,
    SharedFolder,
    corpus_in,
    loaded_games,
)
from lab.tables import Column, Row, StudyTable, game_column


def puzzles(
    game: Games = None,
    start: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds before the first move.")] = 20.0,
    play: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds for every move.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Threads of the player.")] = 2,
    uct: Annotated[bool, typer.Option("--uct", help="Play each game with UCT, too.")] = False,
    seed: SeedOption = 0,
    shared: SharedFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> Iterator[StudyTable]:
    """Goals that a single player reaches by the clock in the games of one role; other games are left out.

    *At start* is the goal of the line that is known when the start clock ends.
    """
    folder = corpus_in(shared)
    sheets = [] if folder is None or game else sorted((folder / "games").glob("*.kif"))
    names = game or [sheet.stem for sheet in sheets if len(read_sheet(sheet).roles) == 1]
    if not names:
        raise ConfigError("there is no corpus of rule sheets; name its folder with --shared, or games with --game")
    rows = (
        {"game": name, **measure_puzzle(machine, start, play, threads=threads, with_uct=uct, seed=seed)}
        for name, machine in loaded_games(names, shared, budget, budget_memory)
        if len(machine.roles) == 1
    )
    columns = (
        game_column(36),
        Column("largest_goal", "largest", 7),
        Column("uct", "UCT", 5),
        Column("puzzle", "puzzle", 6),
        Column("moves", "moves", 5),
        Column("line_after_start", "at start", 8),
        Column("states_per_s", "states/s", 11),
        Column("seconds", "seconds", 7, ".1f"),
    )
    yield StudyTable(columns, rows)


def measure_puzzle(machine: Machine, start: float, play: float, *, threads: int, with_uct: bool, seed: int) -> Row:
    """Play a game of one role once with a puzzle search, and with UCT where it is wanted.

    `start` and `play` are the seconds before the first move and for every move.
    """
    role, uct = machine.roles[0], None
    if with_uct:
        with Player(machine, role, threads=threads, solver=True, seed=seed) as player:
            uct = _played(player, start, play).goal
    with Player(machine, role, threads=threads, seed=seed) as player:
        played = _played(player, start, play)
    return {
        "largest_goal": max(machine.circuit.goal_value.tolist(), default=None),
        "uct": uct,
        "puzzle": played.goal,
        "moves": played.moves,
        "line_after_start": played.line_after_start,
        "states_per_s": played.states / played.seconds if played.seconds else None,
        "seconds": played.seconds,
    }


class _Played(NamedTuple):
    goal: int | None
    moves: int
    line_after_start: int | None
    states: int  # or playouts
    seconds: float  # of all searches


def _played(player: Player, start: float, play: float) -> _Played:
    begin = time.perf_counter()
    thought = player.think(seconds=start)
    known = thought.plan.goal if thought.plan is not None else None
    states = thought.playouts
    while not player.ended:
        if len(player.legal) > 1:
            thought = player.think(seconds=play)
            states += thought.playouts
        player.advance([thought.move if len(player.legal) > 1 else player.legal[0]])
    return _Played(player.goal, player.match.number, known, states, time.perf_counter() - begin)
