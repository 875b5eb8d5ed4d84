"""`agent serve`: a GGP player over HTTP."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.extras import check_extra
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_COUNT, MAX_SECONDS
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.server.access import Access, check_origin, read_controllers
from gdl_miner.agent.server.game_player import LONGEST_CLOCK_S, GamePlayer
from gdl_miner.agent.server.preparation import KnownGames, PreparationProcess
from gdl_miner.agent.server.record_folder import MOST_RECORDS, RecordFolder
from gdl_miner.agent.server.running_match import Margin
from gdl_miner.agent.server.seat import SeatOptions
from gdl_miner.agent.server.service_log import LogLevel, start_log
from gdl_miner.agent.server.service_log import log as service_log
from gdl_miner.agent.version import program_version

DEFAULT_PORT = 9147
READY_S = 10.0  # longest wait for each process of the first match, before messages are heard


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: options.PortOption = DEFAULT_PORT,
    knowledge: Annotated[
        Path | None,
        typer.Option(
            help="Folder with knowledge files and rule sheets, such as results, or a level of agent knowledge list."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name to play under.")] = "gdl-miner",
    threads: options.ThreadsOption = 0,
    in_flight: options.InFlightOption = None,
    memory: options.MemoryOption = DEFAULT_MEMORY_MIB,
    option: options.ParameterOption = None,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    learn: Annotated[
        bool, typer.Option(help="Learn values of states while the start clock runs, and try the knowledge file.")
    ] = True,
    ponder: Annotated[
        bool, typer.Option(help="Use the opponents' time too: to learn, where that still pays, or else to search.")
    ] = True,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=MAX_SECONDS,
            help="Seconds of every clock kept back, more where answers were late.",
            show_default="0.2 and a twentieth of the clock",
        ),
    ] = None,
    longest_clock: Annotated[
        float, typer.Option(min=1.0, max=MAX_SECONDS, help="Seconds that longer clocks of controllers count as.")
    ] = LONGEST_CLOCK_S,
    records: Annotated[Path | None, typer.Option(help="Folder to write the record of every match to.")] = None,
    most_records: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Files in that folder from which on nothing is added.")
    ] = MOST_RECORDS,
    controllers: Annotated[
        str | None,
        typer.Option(
            help="Addresses or networks that may send messages and ask for /health, such as 192.0.2.7,10.1.0.0/16.",
            show_default="all",
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            help="Origin of pages that may send messages, such as https://example.org, or * for any; repeatable.",
            show_default="none",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="File for the log; it begins anew at 10 MiB, and four older ones are kept. Others may rename it."
        ),
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="Lines of this level and above are logged.")] = LogLevel.info,
    seed: options.SeedOption = 0,
) -> None:
    """Play matches over HTTP, as GGP controllers want it, until Ctrl-C.

    The player uses the start clock to learn what states are worth, from games against itself. A knowledge file is
    used unless it loses quick matches against what was learned. In a game without one, the player learns on between
    its moves where that still pays. With --no-learn it trusts the file, or searches by UCT that proves goals (solver),
    with the default constant.

    GET /health tells a monitor in JSON which match is on and how many answers were late.
    """
    check_extra("serve", "agent serve")
    options.check_word("--name", name)
    changes = read_changes(option or [])
    heard = () if controllers is None else read_controllers(controllers)
    access = Access(heard, frozenset(map(check_origin, origin or [])))
    if records is not None:
        _make(records)
    folder = None if records is None else RecordFolder(records, most_records)
    start_log(log_level, log)
    service_log.info("%s starts, version %s", name, program_version())
    try:
        known = KnownGames(knowledge)
        if knowledge is not None:
            service_log.info("knowledge of %s in %s", ", ".join(known.games) or "no game", knowledge)
        for fault in known.faults():
            service_log.warning("%s", fault)
        settings = SeatOptions(threads, in_flight, memory, ponder, seed, folder, changes, learn)
        preparation = PreparationProcess(knowledge, budget_memory)
        preparation.warm_up(READY_S)
        player = GamePlayer(name, preparation, settings, Margin(margin), longest_clock)
        asyncio.run(_serve(player, host, port, access))
    except UserError as error:
        if log is not None:  # else the program prints it in the same place
            service_log.error("ends: %s", error)
        raise


async def _serve(player: GamePlayer, host: str, port: int, access: Access) -> None:
    from gdl_miner.agent.server.http import PlayerServer  # here, because its libraries take half a second to load

    server = PlayerServer(player, host, port, access)
    stop = asyncio.Event()

    def end(number: signal.Signals) -> None:
        service_log.info("ends: %s", number.name)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end, number)
    try:
        await player.get_ready(READY_S)
        await server.start()
        print(f"listening on http://{host}:{server.port}/", flush=True)
        service_log.info("listening on http://%s:%d/", host, server.port)
        await stop.wait()
    finally:
        await server.close()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made ({error.strerror}); choose another folder") from None
