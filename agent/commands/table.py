"""`agent table`: play against the agent in a browser."""

from __future__ import annotations

import asyncio
import os
import signal
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from gdl_miner.agent.commands import options
from gdl_miner.agent.commands.plugin_players import plugin_player
from gdl_miner.agent.commands.seats import EVALUATED_PLAYOUTS
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.extras import check_extra
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.player.match import MoveChooser
from gdl_miner.agent.player.named_player import no_such_player
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.reasoner.line_of_play import position_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table import SeatKind, Strength, Table, TableSession, TableSettings
from gdl_miner.agent.table.session import STRENGTHS

KINDS = ", ".join(SeatKind)
_CLOCK, _MOST_LEVEL = STRENGTHS["seconds"], int(STRENGTHS["level"][1])
_LONGEST_POSITION = 1 << 18  # bytes


def table(
    game: options.Game,
    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", "-k", help="A knowledge file (best.xml), or a level of agent knowledge list."),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            help=f"Who plays each role, in the order of the rules or by name (white=you), by commas: {KINDS}, or a "
            "player of another package (minimax+depth=3, uct:material@200).",
            show_default="you, then the agent",
        ),
    ] = None,
    clock: Annotated[
        float | None,
        typer.Option(min=_CLOCK[0], max=_CLOCK[1], help="Seconds of the agent for each move.", show_default="2"),
    ] = None,
    playouts: Annotated[
        int | None, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts of the agent for each move, not seconds.")
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MOST_LEVEL,
            help="Level of the agent, not seconds: 20 playouts for 1, then twice as many each.",
        ),
    ] = None,
    position: Annotated[
        Path | None, typer.Option(help="Begin in the state of a file of facts, such as (cell 1 1 x) (control o).")
    ] = None,
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
    With learned values it shows what each move is worth by them, and on the board which cells and patterns say so.
    Moves can be taken back, the match saved as a record ([b]agent replay[/b] reads it), and agents watched playing each
    other ([b]--seats knowledge,uct[/b]). The address holds a secret word; keep it to yourself.
    """
    check_extra("serve", "agent table")
    changes = read_changes(option or [])
    try:
        machine = options.load(game, budget, budget_memory)
    except BudgetError as error:
        raise BudgetError(f"{error}; the table needs a circuit, agent play does not") from None
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    seated = None if seats is None else read_seats(machine, seats, has_knowledge=known is not None)
    laid = Table(
        machine,
        known,
        None if seated is None else seated.kinds,
        threads=threads or len(os.sched_getaffinity(0)),
        memory_mib=memory,
        seed=seed,
        parameters=changes,
        start=None if position is None else position_of(machine, _facts(position)),
        knowledge_name="" if knowledge is None else knowledge.name,
        others={} if seated is None else seated.others,
    )
    asyncio.run(_serve(laid, TableSettings(_strength(clock, playouts, level), advice), port, open_browser))


def _strength(clock: float | None, playouts: int | None, level: int | None) -> Strength:
    """Return the strength that one of three options asks for. Raises ConfigError for more than one of them."""
    given: list[tuple[Literal["seconds", "playouts", "level"], float | None]]
    given = [("seconds", clock), ("playouts", playouts), ("level", level)]
    asked = [Strength(unit, amount) for unit, amount in given if amount is not None]
    if len(asked) > 1:
        raise ConfigError("--clock, --playouts and --level each say how strong the agent is; give one of them")
    return asked[0] if asked else Strength()


def _facts(path: Path) -> str:
    try:
        return read_bounded(path, _LONGEST_POSITION).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"--position {path}: cannot be read ({reason}); give a text file of facts") from None


@dataclass(frozen=True)
class TableSeats:
    """Who sits at a table."""

    kinds: tuple[str, ...]  # [role]
    others: Mapping[str, MoveChooser]  # players of other packages among them


def read_seats(machine: Machine, text: str, *, has_knowledge: bool) -> TableSeats:
    """Return the seat of each role. Raises ConfigError for unknown words, and for too few or too many words."""
    words = [word.strip() for word in text.split(",")]
    names = [role for role in machine.roles if role != CHANCE_ROLE]
    roles = [machine.sheet.display(role) for role in names]
    if len(words) != len(roles):
        raise ConfigError(f"--seats {text}: {len(words)} given; {machine.sheet.name} has {', '.join(roles)}")
    named = [word.partition("=") for word in words]
    if any(name.lower() in names for name, _, _ in named):
        by_name = {name.lower(): word for name, _, word in named}
        if sorted(by_name) != sorted(names):
            raise ConfigError(f"--seats {text}: name each role once, as in {','.join(f'{role}=you' for role in roles)}")
        words = [by_name[name] for name in names]
    words = [word.lower() if word.lower() in list(SeatKind) else word for word in words]
    others = dict[str, MoveChooser]()
    for word in words:
        if word == SeatKind.KNOWLEDGE and not has_knowledge:
            raise ConfigError(f"--seats {text}: there is no knowledge to play with; give it with --knowledge")
        if word in list(SeatKind):
            continue
        found = plugin_player(machine, word, EVALUATED_PLAYOUTS)
        if found is None:
            raise no_such_player(word, machine.sheet, list(SeatKind), where=f"--seats {text}: ", files=False)
        others[word] = found[1]
    if machine.circuit.chance_role < len(machine.roles):
        words.insert(machine.circuit.chance_role, SeatKind.RANDOM)
    return TableSeats(tuple(words), others)


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
