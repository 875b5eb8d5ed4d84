"""`agent table`: play against the agent in a browser."""

from __future__ import annotations

import asyncio
import os
import signal
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table import SeatKind, Table, TableSession, TableSettings
from gdl_miner.agent.table.session import LONGEST_CLOCK_S, SHORTEST_CLOCK_S

KINDS = ", ".join(SeatKind)


def table(
    game: options.Game,
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", "-k", help="A knowledge file (best.xml) the agent plays with.")
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            help=f"Who plays each role, in the order of the rules: {KINDS}, separated by commas.",
            show_default="you, then the agent",
        ),
    ] = None,
    clock: Annotated[
        float, typer.Option(min=SHORTEST_CLOCK_S, max=LONGEST_CLOCK_S, help="Seconds of the agent for each move.")
    ] = 2.0,
    advice: Annotated[bool, typer.Option("--advice", help="Show what the agent thinks of your moves, too.")] = False,
    port: options.PortOption = 0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    threads: options.ThreadsOption = 0,
    memory: options.MemoryOption = DEFAULT_MEMORY_MIB,
    seed: options.SeedOption = 0,
    option: options.ParameterOption = None,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
) -> None:
    """Play against the agent in a browser on this machine, and see what it thinks; Ctrl-C ends.

    The page draws the board the sheet describes and lists the moves where there is none. Beside it stand the agent's
    visits, values and principal line for every move, live while it thinks, and the features of the knowledge that fire.
    Moves can be taken back, the match saved as a record ([b]agent replay[/b] reads it), and agents watched playing each
    other ([b]--seats knowledge,uct[/b]). The address holds a secret word; keep it to yourself.
    """
    changes = read_changes(option or [])
    try:
        machine = options.load(game, budget, budget_memory)
    except BudgetError as error:
        raise BudgetError(f"{error}; the table needs a circuit, agent play does not") from None
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    laid = Table(
        machine,
        known,
        None if seats is None else _seats(machine, seats, known is not None),
        threads=threads or len(os.sched_getaffinity(0)),
        memory_mib=memory,
        seed=seed,
        parameters=changes,
    )
    asyncio.run(_serve(laid, TableSettings(clock, advice), port, open_browser))


def _seats(machine: Machine, text: str, has_knowledge: bool) -> list[SeatKind]:
    """Return the seat of each role. Raises ConfigError for unknown words, and for too few or too many words."""
    words = [word.strip().lower() for word in text.split(",")]
    roles = [machine.sheet.display(role) for role in machine.roles if role != CHANCE_ROLE]
    if len(words) != len(roles):
        raise ConfigError(f"--seats {text}: {len(words)} given; {machine.sheet.name} has {', '.join(roles)}")
    for word in words:
        if word not in list(SeatKind):
            raise ConfigError(f"--seats {text}: {word} is none of {KINDS}")
        if word == SeatKind.KNOWLEDGE and not has_knowledge:
            raise ConfigError(f"--seats {text}: there is no knowledge to play with; give it with --knowledge")
    seats = [SeatKind(word) for word in words]
    if machine.circuit.chance_role < len(machine.roles):
        seats.insert(machine.circuit.chance_role, SeatKind.RANDOM)
    return seats


async def _serve(laid: Table, settings: TableSettings, port: int, open_browser: bool) -> None:
    from gdl_miner.agent.table.http import TableServer  # here, because its libraries take half a second to load

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = TableServer(TableSession(laid, settings), port)
    await server.start()
    try:
        print(f"{laid.machine.sheet.name} is on the table: {server.url}", flush=True)
        if open_browser:
            await asyncio.to_thread(webbrowser.open, server.url)
        await stop.wait()
    finally:
        await server.close()
