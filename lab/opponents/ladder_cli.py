"""`scripts/lab ladder`: our player as a GGP server against programs of others, with real clocks."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import GAME_HELP, Json, OpeningPlies, ParameterOption, report_progress
from gdl_miner.agent.errors import ConfigError, unwritable
from gdl_miner.agent.files.new_file import check_place, new_file
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.knowledge_xml import knowledge_text
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_SECONDS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.referee import Clocks
from gdl_miner.miner.runs.interruption import interrupt_on_termination
from lab.opponents.engine_commands import Matches, MatchSeed
from lab.opponents.engine_report import outcome
from lab.opponents.engines import EngineError
from lab.opponents.ladder_engines import LadderEngine, ladder_engine, short_name
from lab.opponents.ladder_match import LadderMatch
from lab.opponents.matches import LadderSeries, play_series
from lab.opponents.own_player import OwnSetup
from lab.opponents.processors import side_processors
from lab.opponents.servers import CommandServer, GameServer, OwnReferee
from lab.opponents.standing import COLUMNS, LadderStanding
from lab.tables import CellValue, print_rows

_LONGEST_NAME = 60  # characters of a folder's name before its key
_KEY = 10  # hexadecimal digits of the key, by which other conditions get another folder


def ladder(
    game: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP, show_default=False)],
    engines: Annotated[
        list[str],
        typer.Argument(
            metavar="ENGINE",
            help="'ggp:COMMAND', a GGP player whose command has {port} where its port goes, or an engine of "
            "scripts/lab; docs/ladder.md explains them.",
            show_default=False,
        ),
    ],
    knowledge: Annotated[
        Path | None,
        typer.Option(help="Knowledge file of our player.", show_default="none: it learns in the start clock"),
    ] = None,
    option: ParameterOption = None,
    serve: Annotated[
        str, typer.Option(help="Further options of agent serve, for instance '--no-ponder --in-flight 8'.")
    ] = "",
    start_clock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds to get ready.")] = 20.0,
    play_clock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds for each move.")] = 2.0,
    matches: Matches = 10,
    opening_plies: OpeningPlies = 2,
    seed: MatchSeed = 1,
    engine_seconds: Annotated[
        float, typer.Option(min=0.1, max=MAX_SECONDS, help="Longest time until an engine is ready for a match, in s.")
    ] = 60.0,
    server: Annotated[
        str | None,
        typer.Option(
            help="Command of another game server, which runs the matches; docs/ladder.md says what it must do.",
            show_default="the referee of agent referee",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps every match; those that are there are not played again."),
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Play `agent serve` against engines in matches with real clocks, in pairs that share a random opening.

    Each side has one processor. Each match has its own processes. An engine that cannot be started is skipped with a
    word on the standard error stream; if all are, the command fails.
    """
    interrupt_on_termination()  # so that the players end with this process
    if csv_file is not None:
        check_place(csv_file, ConfigError)
    machine = load_machine(game)
    if len(machine.roles) < 2:
        raise ConfigError(f"{machine.sheet.source}: it has one role; give a game with an opponent")
    opponents = [ladder_engine(each, machine, engine_seconds) for each in engines]
    read_changes(option or ())
    own = OwnSetup(options=tuple(option or ()), serve=_words("--serve", serve))
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    clocks, pairs = Clocks(start_clock, play_clock), -(-matches // len(machine.roles))
    plan = _Plan(machine, own, known, server, clocks, pairs, opening_plies, seed)
    if side_processors().shared:
        report_progress("this process may use one processor only; both sides share it, so the result is no measure")
    with tempfile.TemporaryDirectory() if out is None else nullcontext(str(out)) as folder:
        standings: list[LadderStanding] = []

        def rows() -> Iterator[dict[str, CellValue]]:
            for opponent in opponents:
                standings.append(_played(plan.series(opponent, Path(folder))))
                yield standings[-1].as_row()

        if as_json:
            for _ in rows():
                print(json.dumps(standings[-1].as_json()), flush=True)
        else:
            print_rows(COLUMNS, rows(), as_json=False)
    if csv_file is not None:
        _write_csv(csv_file, machine, standings)
    if not any(standing.pairs for standing in standings):
        raise ConfigError("no engine has played; the lines before say why")


@dataclass(frozen=True)
class _Plan:
    """The conditions that are the same for all engines."""

    machine: Machine
    own: OwnSetup
    knowledge: Knowledge | None
    server: str | None
    clocks: Clocks
    pairs: int
    opening_plies: int
    seed: int

    def series(self, engine: LadderEngine, out: Path) -> LadderSeries:
        """Return the series against an engine; its folder, with the knowledge for the player, is made in `out`."""
        sheet, knowledge = self.machine.sheet, self.knowledge
        settings = {
            "game": sheet.name,
            "digest": sheet.digest,
            "engine": engine.description,
            "knowledge": None if knowledge is None else _digest(knowledge_text(knowledge, sheet)),
            "options": list(self.own.options),
            "serve": list(self.own.serve),
            "start_clock": self.clocks.start,
            "play_clock": self.clocks.play,
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "server": self.server,
        }
        name = re.sub(r"[^\w.-]+", "-", f"{sheet.name}-{short_name(engine.description)}")[:_LONGEST_NAME]
        folder = out.absolute() / f"{name}-{_digest(json.dumps(settings).encode())[:_KEY]}"
        _make(folder)
        own = self.own
        if knowledge is not None:
            own = replace(own, knowledge=folder / "knowledge")
            _make(folder / "knowledge")
            write_knowledge(replace(knowledge, digest=sheet.digest), folder / "knowledge" / "best.xml", sheet)
        server: GameServer = OwnReferee() if self.server is None else CommandServer(_words("--server", self.server))
        return LadderSeries(
            self.machine,
            engine,
            own,
            server,
            self.clocks,
            self.pairs,
            self.opening_plies,
            self.seed,
            side_processors(),
            settings,
            folder,
        )


def _played(series: LadderSeries) -> LadderStanding:
    """Play a series and report each match; an engine that fails to start ends it with a word."""
    done, pairs, note = 0, list[tuple[LadderMatch, ...]](), None
    name = short_name(series.engine.description)

    def finished(match: LadderMatch, old: bool) -> None:
        nonlocal done
        done += 1
        role = series.machine.sheet.display(series.machine.roles[match.match.role])
        kept = ", played before" if old else ""
        report_progress(
            f"{name}, match {done} of {series.pairs * len(series.machine.roles)}: {outcome(match.match)} as {role} "
            f"after {len(match.match.joints)} plies{kept}"
        )

    try:
        for pair in play_series(series, finished):
            pairs.append(pair)  # one by one, so that those before an error stay
    except EngineError as error:
        note = str(error)
        report_progress(f"{name}: skipped: {error}")
    return LadderStanding(series.machine, series.engine.description, pairs, note)


def _words(option: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"{option} {text}: {error}; close every quotation mark") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(unwritable(folder, error, "choose another folder with --out")) from None


def _write_csv(path: Path, machine: Machine, standings: Sequence[LadderStanding]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["game", *(column.key for column in COLUMNS)], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"game": machine.sheet.name, **standing.as_row()} for standing in standings)
    with new_file(path, ConfigError) as write:
        write(text.getvalue().encode())
