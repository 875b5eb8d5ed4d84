"""`scripts/lab ladder`: any players over any rule sheets, rated together and by class of game."""

from __future__ import annotations

import csv
import io
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.agent.errors import ConfigError, RuleError, UserError, unwritable
from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.games import bundled
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLIES, MAX_SECONDS
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.commands.plugin_players import matches_in_python
from gdl_miner.miner.commands.workplace import Address, Workers, check_choice, interruptible, open_executor
from gdl_miner.miner.play.comparison import ComparisonRule, PlayMatches, round_robin
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.executor import Executor
from gdl_miner.miner.play.match_tasks import MATCHES_PER_TASK, matches_on
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.results.json_file import read_object, write_object
from gdl_miner.miner.runs.setup import describe_environment
from lab.commit import current_commit
from lab.ladder.game_class import game_class
from lab.ladder.kept_goals import KeptGoals
from lab.ladder.linked_matches import LinkedMatches
from lab.ladder.page import ladder_page
from lab.ladder.player import LadderPlayer, LadderRule, check_name, player_in, through_link
from lab.ladder.standing import COLUMNS, LadderGame, LadderPlace, pairings, standings
from lab.opponents.engines import EngineError
from lab.opponents.processors import LoadMeter, side_processors
from lab.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    ExecutorKind,
    Executors,
    Games,
    PlayoutsOption,
    SeedOption,
    SharedFolder,
    corpus_in,
    loaded_games,
    report_progress,
)
from lab.tables import StudyTable

RESULT, TABLE, PAIRINGS, PAGE = "ladder.json", "ladder.csv", "pairings.csv", "index.html"
_DEADLINE_S = 3600.0
_IN_PYTHON = 8  # matches of a part of those in plain Python, for each worker
_UNTIMED = Clocks(MAX_SECONDS, MAX_SECONDS)


def ladder(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER…",
            help="As in miner tournament: uct, random, knowledge files, levels of released knowledge, plug-ins. "
            "As in lab opponents: uci:COMMAND, othello:COMMAND, connect4:COMMAND; with clocks also ggp:COMMAND, "
            "ggp:URL, and agent, which is agent serve as it is. The first one is the origin of the scale.",
            show_default=False,
        ),
    ],
    game: Games = None,
    corpus: Annotated[bool, typer.Option("--corpus", help="All sheets of the corpus, in place of --game.")] = False,
    shared: SharedFolder = None,
    pairs: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Openings of each pairing in a game.")] = 5,
    opening_plies: Annotated[
        int, typer.Option(min=0, max=MAX_PLIES, help="Plies of an opening, which are drawn at random.")
    ] = OPENING_PLIES,
    playouts: PlayoutsOption = 100,
    equal_playouts: Annotated[
        bool, typer.Option("--equal-playouts", help="As many playouts for everybody, whatever they cost.")
    ] = False,
    play_clock: Annotated[
        float, typer.Option(min=0.0, max=MAX_SECONDS, help="Play by clocks, with so many seconds for each move.")
    ] = 0.0,
    start_clock: Annotated[
        float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds to get ready, where there are clocks.")
    ] = 20.0,
    engine_seconds: Annotated[
        float, typer.Option(min=0.1, max=MAX_SECONDS, help="Longest time until a program of others is there.")
    ] = 60.0,
    seed: SeedOption = 1,
    out: Annotated[Path, typer.Option(help="Folder that keeps all matches, the tables and the page.")] = Path(
        "results/ladder"
    ),
    executor: Executors = ExecutorKind.serial,
    workers: Workers = None,
    address: Address = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> Iterator[StudyTable]:
    """Rate players over many games by one rule: each meets each other in paired openings with swapped seats.

    Games of one role are left out, and so is a player of games that it does not play. Matches that are in the folder
    are not played again, so the command goes on where it was stopped, and players and games can be added. Without
    clocks each player has as many playouts as cost the work of bare UCT's; batches of such matches go to the executor.
    """
    timed = play_clock > 0
    rule = LadderRule(playouts, equal_playouts, start_clock if timed else 0.0, play_clock, engine_seconds)
    _check(players, rule, executor, workers, address)
    names = _names(game, corpus, shared)
    try:
        (out / "matches").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(unwritable(out, error, "choose another folder with --out")) from None
    meter, began, started = LoadMeter(), time.monotonic(), time.strftime("%Y-%m-%dT%H:%M:%S%z")
    before = read_object(out / RESULT, "remove it")["sessions"] if (out / RESULT).exists() else []
    about = {
        **describe_environment(["lab", *sys.argv[1:]]),
        "commit": current_commit(),
        "conditions": rule.conditions,
        "pairs": pairs,
        "opening_plies": opening_plies,
        "seed": seed,
    }
    del about["executable"]
    games: list[LadderGame] = []
    rated: list[LadderPlace] = []
    opened = partial(open_executor, executor, workers, address, _DEADLINE_S)
    with interruptible("the same command", lambda: None, opened) as workplace:
        for name, machine in loaded_games(names, shared, budget, budget_memory):
            if len(machine.circuit.choosing_roles) < 2:
                continue
            try:
                found = _Contest(machine, players, rule, pairs, opening_plies, seed, out).played(workplace)
            except (RuleError, EngineError) as error:
                report_progress(f"{name}: left out: {error}")
                continue
            if found is None:
                report_progress(f"{name}: fewer than two of the players play it; left out")
                continue
            games.append(found)
            report_progress(f"{name}: {sum(each.score.matches for each in found.matches.comparisons)} matches")
            hours, load = (time.monotonic() - began) / 3600, meter.others()
            session = {"started": started, "hours": round(hours, 4), "other_load": round(load, 3)}
            rated = list(standings(games, players))
            _write(out, players, about, games, rated, [*before, session])
    if not games:
        raise ConfigError("no game is left in which two of the players meet")
    yield StudyTable(COLUMNS, [each.row() for each in rated])


def _check(
    players: Sequence[str], rule: LadderRule, executor: ExecutorKind, workers: int | None, address: str | None
) -> None:
    check_choice(executor, workers, address)
    if rule.timed and (executor is not ExecutorKind.serial or workers is not None or address is not None):
        raise ConfigError("matches by clocks are played one after the other on this machine; leave --executor out")
    if len(players) < 2 or len(set(players)) < len(players):
        raise ConfigError("a ladder needs two players or more, each named once")
    for name in players:
        check_name(name, rule)


def _names(game: list[str] | None, corpus: bool, shared: Path | None) -> list[str]:
    if not corpus:
        return game or list(bundled())
    folder = corpus_in(shared)
    if folder is None or game:
        raise ConfigError("--corpus: name the folder of the corpus with --shared, and leave --game out")
    return sorted(path.stem for path in (folder / "games").glob("*.kif"))


class _Contest:
    """The matches of one game."""

    def __init__(
        self,
        machine: Machine,
        names: Sequence[str],
        rule: LadderRule,
        pairs: int,
        opening_plies: int,
        seed: int,
        out: Path,
    ) -> None:
        self._machine = machine
        self._names = names
        self._rule = rule
        self._roles = len(machine.circuit.choosing_roles)
        both_ways = 2 if self._roles > 2 else 1
        self._comparison = ComparisonRule(pairs * max(2, self._roles) * both_ways, opening_plies=opening_plies)
        self._seed = derive_seed(seed, "ladder", machine.sheet.name)
        self._out = out
        self._left_out: dict[str, str] = {}

    def played(self, workplace: Executor) -> LadderGame | None:
        """Play what is missing; None where fewer than two players play the game."""
        machine, rule, name = self._machine, self._rule, self._machine.sheet.name
        sample = None if rule.timed or rule.equal_playouts else PositionSample(machine)
        players: dict[int, LadderPlayer] = {}
        for number, each in enumerate(self._names):
            try:
                players[number] = player_in(each, machine, rule, sample, self._out / "knowledge" / name)
            except UserError as error:
                self._left_out[each] = str(error).partition("; ")[0]
        if len(players) < 2:
            return None
        labels = [players[number].label if number in players else each for number, each in enumerate(self._names)]
        kept = KeptGoals(self._out / "matches" / f"{name}.jsonl", machine.sheet.digest, rule.conditions)
        ways = _Ways(machine, players, rule, workplace, self._out / "logs" / name)
        with closing(ways):
            play = kept.playing(labels, ways, ways.parts, ways.remarks)
            found = round_robin(
                len(self._names), self._roles, self._comparison, self._seed, play, list(combinations(players, 2))
            )
        return LadderGame(name, machine.sheet.digest, game_class(machine), found, self._left_out)


class _Ways:
    """It plays each match in the fastest way that suits the players in its seats."""

    def __init__(
        self, machine: Machine, players: Mapping[int, LadderPlayer], rule: LadderRule, workplace: Executor, logs: Path
    ) -> None:
        self._machine = machine
        self._players = players
        self._rule = rule
        self._workplace = workplace
        self._logs = logs
        self._linked: LinkedMatches | None = None

    def __call__(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        """Play matches, all in the same way, and return the goals of the roles that choose, by match id."""
        return self._way(matches[0])(matches) if matches else {}

    def parts(self, matches: Sequence[MatchRequest]) -> Iterator[Sequence[MatchRequest]]:
        """Cut matches into parts that are played in the same way: one by one through links, else as many as fit."""
        for way, together in (
            (self._natively, MATCHES_PER_TASK * max(1, self._workplace.workers)),
            (self._in_python, _IN_PYTHON * max(1, self._workplace.workers)),
            (self._through_links, 1),
        ):
            own = [each for each in matches if self._way(each) == way]
            yield from (own[first : first + together] for first in range(0, len(own), together))

    def remarks(self, match: str) -> Mapping[str, Any]:
        """Return what is to be known of a match beside its goals."""
        return {} if self._linked is None else self._linked.remarks(match)

    def close(self) -> None:
        """End the programs that play."""
        if self._linked is not None:
            self._linked.close()

    def _way(self, match: MatchRequest) -> PlayMatches:
        seated = [self._players[seat] for seat in match.seats]
        if self._rule.timed or any(player.spec is None for player in seated):
            return self._through_links
        return self._natively if all(isinstance(player.spec, PlayerSpec) for player in seated) else self._in_python

    def _natively(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        native = [each if isinstance(each, PlayerSpec) else PlayerSpec("random") for each in self._specs]
        return matches_on(self._workplace, self._machine, native, _quiet)(matches)

    def _in_python(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        return matches_in_python(self._workplace, self._machine, self._specs, self._rule.playouts, _quiet)(matches)

    def _through_links(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        if self._linked is None:
            rule = self._rule
            clocks = Clocks(rule.start_clock, rule.play_clock) if rule.timed else _UNTIMED
            players = {number: through_link(player, self._machine) for number, player in self._players.items()}
            self._linked = LinkedMatches(self._machine, players, clocks, side_processors(), self._logs)
        return self._linked(matches)

    @cached_property
    def _specs(self) -> list[PlayerSpec | str]:
        """By number; players of other kinds, which have no seat in batches, are random ones here."""
        found = (self._players.get(number) for number in range(max(self._players) + 1))
        return [PlayerSpec("random") if each is None or each.spec is None else each.spec for each in found]


def _quiet(played: int) -> None:
    """Take no notice of progress."""


def _write(
    out: Path,
    names: Sequence[str],
    about: Mapping[str, Any],
    games: Sequence[LadderGame],
    rated: Sequence[LadderPlace],
    sessions: Sequence[Mapping[str, object]],
) -> None:
    """Write the tables and the page of all games so far."""
    rows, meetings = [each.row() for each in rated], list(pairings(games, names))
    described = [
        {"game": each.name, "digest": each.digest, "class": each.kind, "left_out": dict(each.left_out)}
        for each in games
    ]
    write_object(
        out / RESULT,
        {
            **about,
            "sessions": list(sessions),
            "players": list(names),
            "games": described,
            "standing": rows,
            "pairings": meetings,
        },
    )
    for name, table in ((TABLE, rows), (PAIRINGS, meetings)):
        text = io.StringIO()
        writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in table)
        replace_file(out / name, text.getvalue().encode())
    shown = {**about, "command": shlex.join(about["command"]), "other load": sessions[-1]["other_load"]}
    del shown["libraries"]
    replace_file(out / PAGE, ladder_page(rated, games, names, shown).encode())


def _cell(value: object) -> object:
    """Return the text of a cell; the ends of an interval have a blank between them."""
    return " ".join(map(str, value)) if isinstance(value, list) else value
