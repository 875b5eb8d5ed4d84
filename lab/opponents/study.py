"""`scripts/lab opponents` and `scripts/lab mistakes`: our player against programs of others."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import GAME_HELP, InFlightOption, MemoryOption, OpeningPlies, ParameterOption
from gdl_miner.agent.errors import ConfigError, unwritable
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.knowledge_xml import knowledge_text
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import (
    MAX_PLAYOUTS,
    MAX_PLIES,
    MAX_SECONDS,
    MAX_THREADS,
)
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.referee import Clocks
from gdl_miner.miner.runs.interruption import interrupt_on_termination
from lab.opponents.engines import EngineError, open_engine
from lab.opponents.engines.connect_four import ConnectFourSolver
from lab.opponents.match import OpponentMatch
from lab.opponents.mistakes import SparringSolver, count_mistakes, judge
from lab.opponents.own_player import OwnSide, SearchSide, ServedSide
from lab.opponents.processors import SideProcessors, side_processors
from lab.opponents.seats import KeptOpponent, SeatedOpponent, seated_opponent, short_name
from lab.opponents.series import MatchSeries, play_series
from lab.opponents.servers import CommandServer, GameServer, OwnReferee
from lab.opponents.standing import COLUMNS, OpponentStanding
from lab.options import Matches, SeedOption, report_progress
from lab.tables import Column, Row, StudyTable

_LONGEST_NAME = 60  # characters of a folder's name before its key
_KEY = 10  # hexadecimal digits of the key, by which other conditions get another folder
_UNTIMED = Clocks(MAX_SECONDS, MAX_SECONDS)

KnowledgeFile = Annotated[Path | None, typer.Option(help="Knowledge file of our player.", show_default="none")]
MoveSeconds = Annotated[
    float | None,
    typer.Option(min=0.001, max=MAX_SECONDS, help="Let the search alone play, with so many seconds for each move."),
]
MovePlayouts = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_PLAYOUTS, help="Let the search alone play, with so many playouts for each move."),
]
Threads = Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Without clocks: trees, each in its own thread.")]
EngineSeconds = Annotated[
    float,
    typer.Option(min=0.1, max=MAX_SECONDS, help="Longest time until an opponent is ready, or an engine answers, in s."),
]
KeptMatches = Annotated[
    Path | None, typer.Option(help="Folder that keeps every match; those that are there are not played again.")
]


def opponents(
    game: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP, show_default=False)],
    opponent: Annotated[
        list[str],
        typer.Argument(
            metavar="OPPONENT",
            help="'ggp:COMMAND', a GGP player whose command has {port} where its port goes, 'ggp:URL', or an engine, "
            "for instance 'uci:fairy-stockfish?depth=6'; docs/opponents.md explains the kinds.",
            show_default=False,
        ),
    ],
    knowledge: KnowledgeFile = None,
    option: ParameterOption = None,
    start_clock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds to get ready.")] = 20.0,
    play_clock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds for each move.")] = 2.0,
    serve: Annotated[
        str, typer.Option(help="Further options of agent serve, for instance '--no-ponder --in-flight 8'.")
    ] = "",
    server: Annotated[
        str | None,
        typer.Option(
            help="Command of another game server, which runs the matches; docs/opponents.md says what it must do.",
            show_default="the referee of agent referee",
        ),
    ] = None,
    playouts: MovePlayouts = None,
    seconds: MoveSeconds = None,
    in_flight: InFlightOption = None,
    threads: Threads = 1,
    memory: MemoryOption = DEFAULT_MEMORY_MIB,
    matches: Matches = 10,
    role: Annotated[
        str | None,
        typer.Option(help="Role of our player in every match; without it, roles are swapped.", show_default=False),
    ] = None,
    opening_plies: OpeningPlies = 2,
    seed: SeedOption = 1,
    engine_seconds: EngineSeconds = 60.0,
    out: KeptMatches = None,
) -> Iterator[StudyTable]:
    """Play against programs of others, in pairs of matches that share a random opening.

    With clocks, [b]agent serve[/b] plays as it is. Each side has one processor, and each match has its own processes.
    With [b]--playouts[/b] or [b]--seconds[/b], the search alone plays. It keeps its trees from move to move and thinks
    on its own time only, and engines have no clock but their own limits.

    An opponent that cannot be started is skipped with a word on the standard error stream; if all are, the command
    fails.
    """
    interrupt_on_termination()  # so that the players end with this process
    machine = load_machine(game)
    if len(machine.roles) < 2:
        raise ConfigError(f"{machine.sheet.source}: it has one role; give a game with an opponent")
    timed = playouts is None and seconds is None
    if not timed and (serve or server is not None):
        raise ConfigError("--serve and --server are for matches with clocks; leave --playouts and --seconds out")
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    own: OwnSide
    if timed:
        read_changes(option or ())
        own = ServedSide(options=tuple(option or ()), serve=_words("--serve", serve))
        conditions = {"serve": list(own.serve), "start_clock": start_clock, "play_clock": play_clock, "server": server}
    else:
        own = _search(known, option, seconds, playouts, threads, in_flight, memory)
        conditions = {"seconds": seconds, "playouts": playouts, "threads": threads, "in_flight": in_flight}
    processors = side_processors()
    if timed and processors.shared:
        report_progress("this process may use one processor only; both sides share it, so the result is no measure")
    plan = _Plan(
        machine=machine,
        own=own,
        knowledge=known,
        server=OwnReferee() if server is None else CommandServer(_words("--server", server)),
        clocks=Clocks(start_clock, play_clock) if timed else _UNTIMED,
        roles=_roles(machine, role),
        matches=matches,
        opening_plies=opening_plies,
        seed=seed,
        processors=processors,
        conditions={"options": list(option or ()), **conditions},
    )
    seated = [seated_opponent(each, machine, engine_seconds, timed=timed) for each in opponent]
    standings: list[OpponentStanding] = []

    def rows(folder: Path) -> Iterator[Row]:
        for each in seated:
            with closing(each) if isinstance(each, KeptOpponent) else nullcontext():
                standings.append(_played(plan.series(each, folder)))
            yield standings[-1].row()

    with _folder(out) as folder:
        yield StudyTable(COLUMNS, rows(Path(folder)))
    if not any(standing.pairs for standing in standings):
        raise ConfigError("no opponent has played; the lines before say why")


def mistakes(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A sheet of connect four.", show_default=False)],
    solver: Annotated[
        str,
        typer.Argument(metavar="SOLVER", help="Its perfect solver: 'connect4:c4solver -a -w'.", show_default=False),
    ],
    knowledge: KnowledgeFile = None,
    option: ParameterOption = None,
    playouts: MovePlayouts = None,
    seconds: MoveSeconds = None,
    in_flight: InFlightOption = None,
    threads: Threads = 1,
    memory: MemoryOption = DEFAULT_MEMORY_MIB,
    matches: Matches = 20,
    opening_plies: OpeningPlies = 4,
    from_ply: Annotated[
        int,
        typer.Option(min=0, max=MAX_PLIES, help="Ply from which moves are judged and the opponent is perfect."),
    ] = 16,
    seed: SeedOption = 1,
    engine_seconds: EngineSeconds = 60.0,
    out: KeptMatches = None,
) -> Iterator[StudyTable]:
    """Count the player's moves in connect four that lose game value, as the perfect solver says.

    The opponent is the player itself in the first plies, and then the solver, which chooses at random between its best
    moves. Without [b]--playouts[/b] and [b]--seconds[/b] the player has a second for each move.
    """
    machine = load_machine(game)
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    seconds = DEFAULT_SECONDS if seconds is None and playouts is None else seconds
    own = _search(known, option, seconds, playouts, threads, in_flight, memory)
    plan = _Plan(
        machine=machine,
        own=own,
        knowledge=known,
        server=OwnReferee(),
        clocks=_UNTIMED,
        roles=_roles(machine),
        matches=matches,
        opening_plies=opening_plies,
        seed=seed,
        processors=side_processors(),
        conditions={
            "options": list(option or ()),
            "seconds": seconds,
            "playouts": playouts,
            "threads": threads,
            "in_flight": in_flight,
            "from_ply": from_ply,
        },
    )
    columns = (
        *COLUMNS[:5],
        Column("playouts", "playouts"),
        Column("mistakes", "mistakes", 8),
        Column("moves", "of moves", 8),
        Column("mistake_percent", "%", 5, ".1f"),
        Column("mistake_ci95", "95 %", 9, ".1f"),
        Column("chances", "chances", 7),
    )
    perfect = open_engine(solver, machine, engine_seconds)
    with closing(perfect), _folder(out) as folder:
        if not isinstance(perfect, ConnectFourSolver):
            raise ConfigError(f"{solver}: give the solver of connect four, as in 'connect4:c4solver -a -w'")
        sparring = KeptOpponent(solver, machine, lambda: SparringSolver(machine, own, perfect, from_ply))
        with closing(sparring):
            series = plan.series(sparring, Path(folder))
            pairs = list(play_series(series, _reporter(series)))
            judged = [move for pair in pairs for move in judge(machine, perfect, pair, from_ply)]
            yield StudyTable(
                columns, [{**OpponentStanding(machine, solver, pairs).row(), **count_mistakes(judged).cells()}]
            )


@dataclass(frozen=True)
class _Plan:
    """The conditions that are the same for all opponents."""

    machine: Machine
    own: OwnSide
    knowledge: Knowledge | None
    server: GameServer
    clocks: Clocks
    roles: tuple[int, ...]
    matches: int
    opening_plies: int
    seed: int
    processors: SideProcessors
    conditions: Mapping[str, object]

    def series(self, opponent: SeatedOpponent, out: Path) -> MatchSeries:
        """Return the series against an opponent; its folder, with knowledge for a server, is made in `out`."""
        sheet, knowledge, own = self.machine.sheet, self.knowledge, self.own
        settings = {
            "game": sheet.name,
            "digest": sheet.digest,
            "engine": opponent.description,
            "knowledge": None if knowledge is None else _digest(knowledge_text(knowledge, sheet)),
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            **self.conditions,
        }
        name = re.sub(r"[^\w.-]+", "-", f"{sheet.name}-{short_name(opponent.description)}")[:_LONGEST_NAME]
        folder = out.absolute() / f"{name}-{_digest(json.dumps(settings).encode())[:_KEY]}"
        _make(folder)
        if knowledge is not None and isinstance(own, ServedSide):
            own = replace(own, knowledge=folder / "knowledge")
            _make(folder / "knowledge")
            write_knowledge(replace(knowledge, digest=sheet.digest), folder / "knowledge" / "best.xml", sheet)
        return MatchSeries(
            machine=self.machine,
            opponent=opponent,
            own=own,
            server=self.server,
            clocks=self.clocks,
            roles=self.roles,
            openings=-(-self.matches // len(self.roles)),
            opening_plies=self.opening_plies,
            seed=self.seed,
            processors=self.processors,
            settings=settings,
            folder=folder,
        )


def _search(
    knowledge: Knowledge | None,
    changes: list[str] | None,
    seconds: float | None,
    playouts: int | None,
    threads: int,
    in_flight: int | None,
    memory: int,
) -> SearchSide:
    if seconds is not None and playouts is not None:
        raise ConfigError("--playouts and --seconds are both given; choose one")
    return SearchSide(knowledge, read_changes(changes or ()), seconds, playouts, threads, in_flight, memory)


def _roles(machine: Machine, wanted: str | None = None) -> tuple[int, ...]:
    """Return the roles that the player takes: the wanted one, or each of them."""
    if wanted is None:
        return tuple(range(len(machine.roles)))
    if normalise(wanted) not in machine.roles:
        names = ", ".join(map(machine.sheet.display, machine.roles))
        raise ConfigError(f"{machine.sheet.name} has no role {wanted}; its roles are {names}")
    return (machine.roles.index(normalise(wanted)),)


def _played(series: MatchSeries) -> OpponentStanding:
    """Play a series and report each match; an opponent that fails to start ends it with a word."""
    pairs, note = list[tuple[OpponentMatch, ...]](), None
    try:
        for pair in play_series(series, _reporter(series)):
            pairs.append(pair)  # one by one, so that those before an error stay
    except EngineError as error:
        note = str(error)
        report_progress(f"{short_name(series.opponent.description)}: skipped: {error}")
    return OpponentStanding(series.machine, series.opponent.description, pairs, note)


def _reporter(series: MatchSeries) -> Callable[[OpponentMatch, bool], None]:
    """Return the function that reports a finished match."""
    name, all_matches = short_name(series.opponent.description), series.openings * len(series.roles)
    numbers = itertools.count(1)

    def finished(match: OpponentMatch, old: bool) -> None:
        role = series.machine.sheet.display(series.machine.roles[match.role])
        report_progress(
            f"{name}, match {next(numbers)} of {all_matches}: {match.outcome} as {role} after {len(match.joints)} plies"
            f"{', played before' if old else ''}"
        )

    return finished


def _words(option: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"{option} {text}: {error}; close every quotation mark") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _folder(out: Path | None) -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory() if out is None else nullcontext(str(out))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(unwritable(folder, error, "choose another folder with --out")) from None
