"""Tables 6.1 to 10.1 of Sharma's thesis (2009): what learned values do against random players and against UCT."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays
from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.values.settings import ValuesConfig
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from gdl_miner.miner.runs.settings import read_sections
from lab.options import (
    ExecutorKind,
    Executors,
    Games,
    OutFolder,
    PlayoutsOption,
    SeedOption,
    named_games,
    report_progress,
)
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.best_play import best_win_percent
from lab.theses.kept_runs import keep_run
from lab.theses.sharma import SHARMA_GAMES, STAGES, CultureStage, SharmaGame, Triple

_RANDOM_COLUMNS = (
    game_column(),
    Column("table", "table", 5),
    Column("player", "player", 6),
    Column("matches", "matches", 7),
    Column("theirs", "theirs: win/loss/draw", 21),
    Column("facts", "ours, its parameters", 21),
    Column("tuples", "ours, tuples", 21),
    Column("best", "best win %", 10, ".2f"),
)

_UCT_COLUMNS = (
    game_column(),
    Column("table", "table", 5),
    Column("learner", "learner", 7),
    Column("equal", "equal", 8),
    Column("playouts", "playouts", 8),
    Column("uct_playouts", "of UCT", 7),
    Column("matches", "matches", 7),
    Column("losses", "UCT wins", 8),
    Column("wins", "with values", 11),
    Column("draws", "draws", 5),
    Column("theirs", "theirs, of 100", 14),
)


def learned_values(
    game: Games = None,
    chapter: Annotated[
        list[int] | None,
        typer.Option(min=6, max=10, help="A chapter, 6 to 10; give it again for more.", show_default="all five"),
    ] = None,
    matches: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Matches of each role against random.")] = 1000,
    uct_matches: Annotated[
        list[int] | None,
        typer.Option(
            min=2, max=MAX_COUNT, help="Matches against UCT; give it again for more.", show_default="100, 400"
        ),
    ] = None,
    playouts: PlayoutsOption = 200,
    experience: Annotated[
        int, typer.Option(min=0, max=1000, help="Visits that a move's value of culture counts as; Sharma has 10.")
    ] = 0,
    scale: Annotated[
        float, typer.Option(min=1e-3, max=100, help="Steps of learning, as a share of the configurations'.")
    ] = 1.0,
    out: OutFolder = Path("results/td-tables"),
    seed: SeedOption = 1,
    executor: Executors = ExecutorKind.ray,
) -> Iterator[StudyTable]:
    """Tables 6.1 to 10.1 of Sharma's thesis: learned values against random players and against UCT.

    Chapter 6 has TD(0) alone, 7 adds coevolution, 8 ants, 9 the belief space. Every stage is learned twice: with
    Sharma's parameters, where facts alone have weights, and with tuples of cells. 10 uses values in UCT: those of the
    complete culture with tuples, and those of [b]miner learn --with values[/b]. The runs are kept; the same command
    takes them up again.
    """
    games = named_games({each.name: each for each in SHARMA_GAMES}, game, "Sharma's thesis")
    chapters = frozenset(chapter or range(6, 11))
    runs = _ValueRuns(out, seed, scale, executor)
    if chapters - {10}:
        yield StudyTable(_RANDOM_COLUMNS, _against_random_players(games, chapters, runs, matches))
    if 10 in chapters:
        yield StudyTable(_UCT_COLUMNS, _against_uct(games, runs, playouts, experience, uct_matches or (100, 400)))


_ALONE_OPPONENTS = 20  # games of the only player of a role in a forage: 99 forages make about Sharma's 2 000 games


@dataclass(frozen=True)
class _Way:
    """A way to learn: a shipped configuration, and whether tuples of cells have weights beside facts."""

    name: str
    config: str
    tuples: bool


_WAYS = (_Way("facts", "culture-seed", tuples=False), _Way("tuples", "culture", tuples=True))


@dataclass(frozen=True)
class _ValueRuns:
    """The runs in a folder."""

    out: Path
    seed: int
    scale: float  # steps of every run as a share of those of its configuration
    executor: ExecutorKind

    def culture(self, game: SharmaGame, stage: CultureStage, way: _Way, machine: Machine) -> Knowledge:
        """Return what a run of `culture` has learned; the run is made, or completed, or taken as it is."""
        settings = self._culture_settings(game, stage, way)
        return self._learned(f"{game.name}-{stage.name}-{way.name}", "culture", settings, machine)

    def values(self, machine: Machine) -> Knowledge:
        """Return what a run of `values` with the default configuration has learned, as `culture` does."""
        steps = read_sections(ValuesConfig, "default")["values"]["steps"]
        settings = {"steps": self._scaled(steps), "validation_matches": 0}
        return self._learned(f"{machine.sheet.name}-values", "values", settings, machine)

    def _learned(self, name: str, method: str, settings: dict[str, Any], machine: Machine) -> Knowledge:
        folder = self.out / name
        sections = {method: settings}
        keep_run(folder, machine.sheet.name, method, sections, self.seed, self.executor)
        return read_knowledge(folder / "best.xml", machine.sheet)

    def _culture_settings(self, game: SharmaGame, stage: CultureStage, way: _Way) -> dict[str, Any]:
        """Return the settings of [culture] in which a run differs from the defaults."""
        shipped = read_sections(CultureConfig, way.config)["culture"]
        settings: dict[str, Any] = {**shipped, **stage.parts, "validation_matches": 0}
        if way.tuples:
            settings |= {"shapes": list(game.shapes), "levels": game.levels, "opponents": game.opponents}
        elif stage.alone:
            settings |= {"individuals": 1, "opponents": _ALONE_OPPONENTS, "opponent_exploration": 1.0}
        settings["steps"] = self._scaled(settings["steps"])
        return settings

    def _scaled(self, steps: int) -> int:
        return max(1, round(self.scale * steps))


def _against_random_players(
    games: Iterable[SharmaGame], chapters: frozenset[int], runs: _ValueRuns, matches: int
) -> Iterator[Row]:
    """Yield a row for each game, table and role: wins, losses and draws of greedy players against random ones."""
    for game in games:
        machine = load_machine(game.name)
        best = [best_win_percent(machine, role) for role in (0, 1)]
        if 6 in chapters:
            count = matches * 5 // 2
            found = _against_random(machine, PlayerSpec("random"), 0, count, runs.seed)
            yield _row(game, "6.1", 0, count, game.random, [found], None)
        for number, stage in enumerate(STAGES):
            if 6 + number not in chapters:
                continue
            knowledge = [runs.culture(game, stage, way, machine) for way in _WAYS]
            players = [PlayerSpec().with_knowledge(each, machine).greedy() for each in knowledge]
            for role in (0, 1):
                results = [_against_random(machine, player, role, matches, runs.seed) for player in players]
                yield _row(game, stage.tables[role], role, matches, game.theirs(number, role), results, best[role])


def _row(
    game: SharmaGame, table: str, role: int, matches: int, theirs: Triple, results: list[Triple], best: float | None
) -> Row:
    ours = [_said(each) for each in results]
    return {
        "game": game.name,
        "table": table,
        "player": role + 1,
        "matches": matches,
        "theirs": _said(theirs),
        "facts": ours[0],
        "tuples": ours[-1] if len(ours) > 1 else None,
        "best": best,
    }


def _said(result: Triple) -> str:
    return " / ".join(f"{each:.1f}" for each in result)


def _against_random(machine: Machine, player: PlayerSpec, role: int, matches: int, seed: int) -> Triple:
    """Return wins, losses and draws of a player in a role, in percent."""
    seats = np.ones((matches, 2), np.int32)
    seats[:, role] = 0
    seeds = [derive_seed(seed, "random player", role, number) for number in range(matches)]
    goals = play_arrays(machine, [player, PlayerSpec("random")], seats, seeds).goals
    margin = goals[:, role] - goals[:, 1 - role]
    won, lost, drawn = (100 * float(np.mean(each)) for each in (margin > 0, margin < 0, margin == 0))
    return won, lost, drawn


def _against_uct(
    games: Iterable[SharmaGame], runs: _ValueRuns, playouts: int, experience: int, matches: Iterable[int]
) -> Iterator[Row]:
    """Yield rows for each game and learner: UCT with values against UCT without, at equal playouts and at equal time.

    Both prove goals in their trees. The values are those of the complete culture with tuples, which are used at new
    nodes, and those of `values`, which are used as the file says.
    """
    counts = tuple(matches)
    bare = PlayerSpec("uct", playouts=playouts)
    bare = replace(bare, parameters=replace(bare.parameters, solver=True))
    for game in games:
        machine = load_machine(game.name)
        for learner, player in _players_with_values(game, machine, runs, bare, experience):
            ratio = measure_time_ratio(machine, player, bare, runs.seed)
            as_long = replace(bare, playouts=max(1, round(playouts * ratio)))
            opponents = (("playouts", bare), ("time", as_long))
            for (equal, opponent), count in itertools.product(opponents, counts):
                report_progress(f"{game.name}: {count} matches of {learner} against UCT with equal {equal}")
                score = score_players(machine, player, opponent, count, runs.seed, lambda _: None).score
                yield {
                    "game": game.name,
                    "table": "10.1",
                    "learner": learner,
                    "equal": equal,
                    "playouts": playouts,
                    "uct_playouts": opponent.playouts,
                    "matches": score.matches,
                    "losses": score.losses,
                    "wins": score.wins,
                    "draws": score.draws,
                    "theirs": "{}:{}, {} drawn".format(*game.uct),
                }


def _players_with_values(
    game: SharmaGame, machine: Machine, runs: _ValueRuns, bare: PlayerSpec, experience: int
) -> Iterator[tuple[str, PlayerSpec]]:
    """Yield the name of each learner, and the player with what it has learned."""
    culture = runs.culture(game, STAGES[-1], _WAYS[-1], machine)
    culture = replace(culture, parameters=replace(culture.parameters, experience=experience))
    yield "culture", bare.with_knowledge(culture, machine)
    yield "values", bare.with_knowledge(runs.values(machine), machine)
