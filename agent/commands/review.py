"""`agent review`: a match that was played, and the moves in it that lost value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import indent
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import check_place, replace_file
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_PLIES
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.review import (
    KeptMatch,
    Review,
    ReviewSettings,
    deep_playouts,
    read_kept_match,
    review_match,
    review_page,
    reviewed_role,
    usual_playouts,
)
from gdl_miner.agent.review.page import COURSE, ReviewWords


def review(
    game: options.Game,
    match_file: Annotated[
        Path,
        typer.Argument(
            metavar="MATCH",
            help="A match record (.xml or .xml.gz), or what agent play --json, agent referee --json or scripts/lab "
            "opponents --out wrote (.json).",
            show_default=False,
        ),
    ],
    match: Annotated[str | None, typer.Option(help="Id of the match, in a record of several.")] = None,
    role: Annotated[
        str | None,
        typer.Option(
            help="Whose moves are reviewed.", show_default="the file's player, else who has the smallest goal"
        ),
    ] = None,
    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", "-k", help="Knowledge of the player: a file, or a level of agent knowledge list."),
    ] = None,
    judge: Annotated[
        Path | None, typer.Option(help="Knowledge of the deep searches.", show_default="that of the player")
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=MAX_PLAYOUTS,
            help="Playouts of each deep search.",
            show_default="10 × --own-playouts, at least 10000",
        ),
    ] = None,
    own_playouts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_PLAYOUTS,
            help="Playouts of a search in the match.",
            show_default="as the file says, else 1000",
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0.1, max=100.0, help="Goals that a move has to lose until it is marked.")
    ] = 10.0,
    opening: Annotated[int, typer.Option(min=0, max=MAX_PLIES, help="Plies that count as the opening.")] = 8,
    html: Annotated[Path | None, typer.Option(help="Write a page with pictures to this file.")] = None,
    in_flight: options.InFlightOption = None,
    memory: options.MemoryOption = DEFAULT_MEMORY_MIB,
    seed: options.SeedOption = 0,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Read a match that was played: deep searches mark the moves that lost value, and say why.

    A move is marked if, after it, a deep search expects less than after the move that it prefers. The causes are
    [b]fault[/b] (the referee made the move), [b]clock[/b] (fewer playouts than usual), [b]opening[/b], [b]values[/b]
    (by the values alone the move is as good) and [b]search[/b] (somewhat more playouts find the better move). All
    searches are limited by playouts, so the same command gives the same review.
    """
    if html is not None:
        check_place(html, ConfigError)
    machine = options.load(game, budget, budget_memory)
    kept = read_kept_match(match_file, machine, match)
    whose = reviewed_role(kept, machine) if role is None else _role(machine, role)
    usual = own_playouts or usual_playouts(kept, machine, whose)
    settings = ReviewSettings(
        usual=usual,
        playouts=playouts or deep_playouts(usual),
        threshold=threshold,
        opening=opening,
        in_flight=in_flight,
        memory_mib=memory,
        seed=seed,
    )
    with _progress() as show:
        found = review_match(
            machine,
            kept,
            whose,
            settings,
            knowledge=None if knowledge is None else read_knowledge(knowledge, machine.sheet),
            judge=None if judge is None else read_knowledge(judge, machine.sheet),
            progress=show,
        )
    if html is not None:
        replace_file(html, review_page(found, machine).encode())
    if as_json:
        print(json.dumps(found.as_json(machine)))
    else:
        _print(found, machine, kept)


def _role(machine: Machine, name: str) -> int:
    if normalise(name) not in machine.roles:
        names = ", ".join(map(machine.sheet.display, machine.roles))
        raise ConfigError(f"{machine.sheet.name} has no role {name}; its roles are {names}")
    return machine.roles.index(normalise(name))


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show which move is searched, on a terminal only."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _done, _of: None
        return
    with console.status("searching") as status:
        yield lambda done, of: status.update(f"move {done + 1} of {of}")


def _print(found: Review, machine: Machine, kept: KeptMatch) -> None:
    words = ReviewWords(found, machine)
    print(f"match {kept.name}: {words.result()} after {kept.plies} plies")
    table = Table(box=None, padding=(0, 1))
    for head in COURSE:
        table.add_column(head, justify="left" if head in ("move", "cause") else "right")
    for row in words.course():
        table.add_row(*row)
    Console().print(table)
    for sentence in words.summary():
        print(sentence)
    for move in found.losing:
        print(f"\n{words.title(move)}")
        picture = words.picture(move)
        print(indent(words.facts(move) if picture is None else picture.text(), "  "))
        for sentence in words.account(move):
            print(sentence)
