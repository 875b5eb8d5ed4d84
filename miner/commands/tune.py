"""`miner tune` finds the exploration constant with which bare UCT plays a game best."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands.options import Game, Json, SeedOption
from gdl_miner.agent.commands.program import INTERRUPTED
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.commands.workplace import (
    DEFAULT_EXECUTOR,
    Address,
    Executors,
    Workers,
    check_choice,
    open_executor,
    shown_progress,
)
from gdl_miner.miner.play.match_tasks import matches_on
from gdl_miner.miner.play.tuning import USUAL, Tuning

_DEADLINE_S = 3600.0


def tune(
    game: Game,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.")],
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches for each constant, on average.")] = 64,
    seed: SeedOption = 1,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Tune the UCB1 constant of bare UCT: candidates meet the usual one in rounds, the better half goes on.

    Knowledge should be measured against the best that search alone can do. [b]miner evolve[/b] does the same before a
    run ([b]uct_c = "tuned"[/b] in the configuration); [b]miner score --uct-c[/b] takes the constant.
    """
    check_choice(executor, workers, address)
    machine = load_machine(game)
    tuning = Tuning(len(machine.circuit.choosing_roles), matches, seed)
    workplace = open_executor(executor, workers, address, _DEADLINE_S)
    try:
        with shown_progress() as progress:
            task = progress.add_task("matches", total=None)
            players = tuning.players(playouts, 1.0)
            play = matches_on(workplace, machine, players, lambda played: progress.update(task, advance=played))
            while asked := tuning.ask():
                tuning.tell(play(asked))
    except KeyboardInterrupt:
        print("interrupted; nothing is kept", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        workplace.close()
    if as_json:
        print(json.dumps(tuning.as_json()))
    else:
        _print(tuning)


def _print(tuning: Tuning) -> None:
    found = tuning.as_json()
    table = Table(box=None, padding=(0, 1), title=f"Against a constant of {USUAL:g}", title_justify="left")
    for heading in ("constant", "%", "95 %", "Elo", "±", "N"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found["candidates"]:
        low, high = each["ci95"]
        table.add_row(
            f"{each['uct_c']:g}",
            f"{each['win_percent']:.1f}",
            f"{low:.1f}–{high:.1f}",
            f"{each['elo']:+.0f}",
            f"{each['elo_se']:.0f}",
            str(each["n"]),
        )
    console = Console()
    console.print(table)
    console.print(f"best: {found['uct_c']:g}", highlight=False)
