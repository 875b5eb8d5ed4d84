"""`agent analyse`: positions in, a line of analysis for each of them out, for scripts and graphical programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SECONDS, MOST_REASONS
from gdl_miner.agent.player import Player
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.player.worth import MoveWorth

_LONGEST_LINE = 1 << 20  # characters of a line of input


def analyse(
    game: options.Game,
    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", "-k", help="A knowledge file (best.xml), or a level of agent knowledge list."),
    ] = None,
    playouts: Annotated[
        int | None, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts for each position.", show_default="1000")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds for each position instead.")
    ] = None,
    every: Annotated[
        float | None, typer.Option(min=0.05, max=MAX_SECONDS, help="Tell the search so far each so many seconds, too.")
    ] = None,
    reasons: Annotated[
        int, typer.Option(min=0, max=MOST_REASONS, help="Weights of values that explain the best move.")
    ] = 0,
    threads: options.ThreadsOption = 1,
    memory: options.MemoryOption = DEFAULT_MEMORY_MIB,
    seed: options.SeedOption = 0,
    option: options.ParameterOption = None,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each position.")] = False,
) -> None:
    """Analyse positions: each line of the standard input is one, and the answer is printed before the next is read.

    A line is a JSON object such as {"facts": "(cell 1 1 x) (control o)"} or {"moves": "(mark 2 2 x)"}, or only
    the facts. docs/json.md lists what a line may hold and what an answer tells. The same line has the same answer,
    whatever came before it, unless seconds limit the search. A line that is at fault has an answer with
    [b]error[/b], and the exit status is then 1.
    """
    from gdl_miner.agent.player.analyst import AnalysisLimits, Analyst  # here, because its library takes long to load

    if playouts is not None and seconds is not None:
        raise ConfigError("--playouts and --seconds are both given; choose one")
    changes = read_changes(option or [])
    try:
        machine = options.load(game, budget, budget_memory)
    except BudgetError as error:
        raise BudgetError(f"{error}; an analysis needs a circuit") from None
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    values = None if known is None or known.values is None else MoveWorth(known.values, machine)
    effort = AnalysisLimits(None if seconds is not None else playouts or 1000, seconds, every, reasons)
    players: dict[int, Player] = {}

    def player(role: int) -> Player:
        if role not in players:
            players[role] = Player(
                machine,
                machine.roles[role],
                knowledge=known,
                parameters=changes,
                threads=threads or len(os.sched_getaffinity(0)),
                memory_mib=memory,
                seed=seed,
            )
        return players[role]

    failed = False
    analyst = Analyst(machine, player, values)
    for line in _lines():
        for answer in analyst.answers(line, effort):
            failed |= "error" in answer
            print(json.dumps(answer) if as_json else _in_words(answer), flush=True)
    for each in players.values():
        each.close()
    if failed:
        raise typer.Exit(1)


def _lines() -> Iterator[str]:
    """Yield the lines of the standard input that are not blank."""
    while line := sys.stdin.readline(_LONGEST_LINE):
        if line.strip():
            yield line.strip()


def _in_words(answer: dict[str, Any]) -> str:
    """Return an answer in a line for people."""
    if "error" in answer:
        return f"error: {answer['error']}"
    if answer["ended"]:
        return f"the match is over: {' '.join('no goal' if goal is None else str(goal) for goal in answer['goals'])}"
    best = answer["moves"][0]
    value = "" if best["value"] is None else f", mean goal {best['value']:.1f}"
    proven = {1: ", proven best", -1: ", proven to bring the least"}.get(best["verdict"], "")
    line = " ".join(f"({' '.join(joint)})" for joint in answer["line"])
    so_far = "" if answer["final"] else " so far"
    return (
        f"{answer['role']}: {best['move']}{value}{proven}; {best['visits']:,} visits, {answer['playouts']:,} playouts"
        f"{so_far}; expects {line}"
    )
