"""`scripts/lab engine` and `scripts/lab mistakes`: the player against engines of other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from gdl_miner.agent.commands.options import Game, Json, OpeningPlies, ParameterOption, report_progress
from gdl_miner.agent.errors import ConfigError, RecordError
from gdl_miner.agent.files.new_file import check_place
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import (
    MAX_COUNT,
    MAX_IN_FLIGHT,
    MAX_MEMORY_MIB,
    MAX_PLAYOUTS,
    MAX_PLIES,
    MAX_SECONDS,
    MAX_SEED,
    MAX_THREADS,
)
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from lab.opponents.engine_matches import EngineMatch, PlayerSetup, play_pairs
from lab.opponents.engine_report import EngineSummary, append_record, outcome, pair_columns, pair_row
from lab.opponents.engines import open_engine
from lab.opponents.engines.connect_four import ConnectFourSolver
from lab.opponents.mistakes import JudgedMove, SparringSolver, count_mistakes, judge
from lab.tables import CellValue, print_rows

__all__ = ["engine", "mistakes"]

Pair: TypeAlias = tuple[EngineMatch, ...]  # the matches with one opening, in the order of the player's roles


EngineDescription = Annotated[
    str,
    typer.Option(
        "--engine",
        help="KIND:COMMAND?word=value&word=value, for instance 'uci:fairy-stockfish?depth=6'; "
        "docs/opponents.md explains the kinds.",
        show_default=False,
    ),
]
KnowledgeFile = Annotated[
    Path | None, typer.Option(help="Knowledge of the player.", show_default="none: the player is bare UCT")
]
MoveSeconds = Annotated[
    float | None,
    typer.Option(
        min=0.001, max=MAX_SECONDS, help="Seconds of the player for each move.", show_default=f"{DEFAULT_SECONDS:g}"
    ),
]
MovePlayouts = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts of the player for each move instead.", show_default=False),
]
Matches = Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches, in pairs with the seats swapped.")]
InFlight = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MAX_IN_FLIGHT,
        help="Playouts of a tree at once; 1 thinks best.",
        show_default="8 with values, else 64",
    ),
]
Threads = Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Trees of the player, each in its own thread.")]
TreeMemory = Annotated[int, typer.Option(min=1, max=MAX_MEMORY_MIB, help="MiB of the player's trees.")]
EngineSeconds = Annotated[
    float, typer.Option(min=0.1, max=MAX_SECONDS, help="Longest time for an answer of the engine, in seconds.")
]
MatchSeed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the openings and of the player.")]
Record = Annotated[
    Path | None, typer.Option(help="Append a line of JSON about every match to this file.", show_default=False)
]


def engine(
    game: Game,
    opponent: EngineDescription,
    knowledge: KnowledgeFile = None,
    option: ParameterOption = None,
    seconds: MoveSeconds = None,
    playouts: MovePlayouts = None,
    matches: Matches = 20,
    role: Annotated[
        str | None,
        typer.Option(help="Role of the player in every match; without it, roles are swapped.", show_default=False),
    ] = None,
    opening_plies: OpeningPlies = 2,
    in_flight: InFlight = None,
    threads: Threads = 1,
    memory: TreeMemory = DEFAULT_MEMORY_MIB,
    engine_seconds: EngineSeconds = 60.0,
    seed: MatchSeed = 1,
    record: Record = None,
    as_json: Json = False,
) -> None:
    """Play the player against an engine of another program, in pairs of matches with the same random opening.

    The player takes each role once in a pair. With --role there are no pairs: it has this role in every match.

    The player keeps its trees from move to move, and thinks on its own time only.
    """
    machine = load_machine(game)
    setup = _setup(machine, knowledge, option, seconds, playouts, threads, in_flight, memory)
    roles = _roles(machine, role)
    openings = -(-matches // len(roles))
    progress = _progress(machine, openings * len(roles), record, _about(opponent, setup, knowledge, seed))
    with closing(open_engine(opponent, machine, engine_seconds)) as against:
        played = play_pairs(machine, setup, against, openings, opening_plies, seed, progress, roles)
        pairs = _show(machine, roles, played, as_json)
    result = EngineSummary(machine, opponent, pairs)
    print(json.dumps(result.as_json()) if as_json else result.in_words())


def mistakes(
    opponent: EngineDescription,
    knowledge: KnowledgeFile = None,
    option: ParameterOption = None,
    seconds: MoveSeconds = None,
    playouts: MovePlayouts = None,
    matches: Matches = 20,
    opening_plies: OpeningPlies = 4,
    from_ply: Annotated[
        int,
        typer.Option(min=0, max=MAX_PLIES, help="Ply from which moves are judged and the opponent is perfect."),
    ] = 16,
    in_flight: InFlight = None,
    threads: Threads = 1,
    memory: TreeMemory = DEFAULT_MEMORY_MIB,
    engine_seconds: EngineSeconds = 60.0,
    seed: MatchSeed = 1,
    record: Record = None,
    as_json: Json = False,
    game: Annotated[str, typer.Option("--game", "-g", help="The sheet of connect four.")] = "connectfour.ext",
) -> None:
    """Count the player's moves in connect four that lose game value, as the perfect solver says.

    The opponent is the player itself in the first plies, and then the solver, which chooses at random between its best
    moves.
    """
    machine = load_machine(game)
    setup = _setup(machine, knowledge, option, seconds, playouts, threads, in_flight, memory)
    roles = _roles(machine)
    openings = -(-matches // len(roles))
    progress = _progress(machine, openings * len(roles), record, _about(opponent, setup, knowledge, seed))
    judged: list[JudgedMove] = []

    def judged_pairs() -> Iterator[Pair]:
        for pair in play_pairs(machine, setup, sparring, openings, opening_plies, seed, progress, roles):
            judged.extend(judge(machine, solver, pair, from_ply))
            yield pair

    with (
        closing(_open_solver(opponent, machine, engine_seconds)) as solver,
        closing(SparringSolver(machine, setup, solver, from_ply)) as sparring,
    ):
        pairs = _show(machine, roles, judged_pairs(), as_json)
    result, count = EngineSummary(machine, opponent, pairs), count_mistakes(judged)
    if as_json:
        print(json.dumps(result.as_json() | count.as_json()))
    else:
        print(f"{result.in_words()}\n{count.in_words()}")


def _roles(machine: Machine, wanted: str | None = None) -> tuple[int, ...]:
    """Return the roles that the player takes: the wanted one, or each of them."""
    if wanted is None:
        return tuple(range(len(machine.roles)))
    if normalise(wanted) not in machine.roles:
        names = ", ".join(map(machine.sheet.display, machine.roles))
        raise ConfigError(f"{machine.sheet.name} has no role {wanted}; its roles are {names}")
    return (machine.roles.index(normalise(wanted)),)


def _setup(
    machine: Machine,
    knowledge: Path | None,
    changes: list[str] | None,
    seconds: float | None,
    playouts: int | None,
    threads: int,
    in_flight: int | None,
    memory: int,
) -> PlayerSetup:
    if seconds is not None and playouts is not None:
        raise ConfigError("--playouts and --seconds are both given; choose one")
    return PlayerSetup(
        knowledge=None if knowledge is None else read_knowledge(knowledge, machine.sheet),
        changes=read_changes(changes or ()),
        seconds=DEFAULT_SECONDS if seconds is None and playouts is None else seconds,
        playouts=playouts,
        threads=threads,
        in_flight=in_flight,
        memory_mib=memory,
    )


def _open_solver(opponent: str, machine: Machine, answer_s: float) -> ConnectFourSolver:
    solver = open_engine(opponent, machine, answer_s)
    if isinstance(solver, ConnectFourSolver):
        return solver
    solver.close()
    raise ConfigError(f"{opponent}: give the solver of connect four, as in 'connect4:c4solver -a -w'")


def _about(opponent: str, setup: PlayerSetup, knowledge: Path | None, seed: int) -> dict[str, object]:
    """Return what a record says about the players of its match."""
    return {
        "engine": opponent,
        "knowledge": None if knowledge is None else str(knowledge),
        "options": dict(setup.changes),
        "seconds": setup.seconds,
        "playouts": setup.playouts,
        "threads": setup.threads,
        "in_flight": setup.in_flight,
        "seed": seed,
    }


def _progress(
    machine: Machine, matches: int, record: Path | None, about: dict[str, object]
) -> Callable[[EngineMatch], None]:
    """Return the function that reports a finished match and appends it to the record."""
    if record is not None:
        check_place(record, RecordError)
    done = 0

    def finished(match: EngineMatch) -> None:
        nonlocal done
        done += 1
        role = machine.sheet.display(machine.roles[match.role])
        report_progress(f"match {done} of {matches}: {outcome(match)} as {role} after {len(match.joints)} plies")
        if record is not None:
            append_record(record, machine, match, about)

    return finished


def _show(machine: Machine, roles: Sequence[int], played: Iterator[Pair], as_json: bool) -> list[Pair]:
    """Return all pairs, with a table that shows them as they are played, for people only."""
    pairs: list[Pair] = []

    def rows() -> Iterator[dict[str, CellValue]]:
        for pair in played:
            pairs.append(pair)
            yield pair_row(machine, pair)

    if as_json:
        pairs.extend(played)
    else:
        print_rows(pair_columns(machine, roles), rows(), as_json=False)
    return pairs
