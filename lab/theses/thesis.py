"""Tables 6.3 to 6.5 of the thesis (Łańcucki): reasoning, knowledge, and transposition tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays
from gdl_miner.miner.commands.evolve import evolve
from gdl_miner.miner.commands.resume import resume
from gdl_miner.miner.commands.score import bare_constant
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from gdl_miner.miner.results.store import BEST
from lab.options import (
    ExecutorKind,
    Executors,
    Games,
    LanesOption,
    Matches,
    OutFolder,
    Seconds,
    SeedOption,
    SharedFolder,
    loaded_games,
    named_games,
    report_progress,
)
from lab.tables import Column, Row, StudyTable, game_column


@dataclass(frozen=True)
class ThesisGame:
    """A game of tables 6.4 and 6.5. Percentages are win percentages, with half the width of their 95 % interval."""

    name: str  # name of the bundled sheet
    playouts: int  # per move, about as many as the clocks of the thesis allowed its baseline
    knowledge_win: tuple[float, float]  # table 6.4: evolved knowledge against bare UCT with half the time
    uct_c: float  # UCT constant of that individual
    expansions: float  # nodes per playout of that individual
    table_states: int  # table 6.5: states that an unbounded table came to hold
    table_share: float  # share of these states in the bounded tables; 0.01 where the thesis has none
    table_win: tuple[float, float] | None  # linked against random eviction; None where the thesis has none


THESIS_GAMES = (
    ThesisGame("amazons.ext", 500, (68.3, 4.87), 56.7, 1.4, 23_500, 0.01, (51.5, 6.92)),
    ThesisGame("checkers.ext", 90, (68.8, 4.85), 36.4, 1.2, 24_000, 0.01, None),
    ThesisGame("cubicup.ext", 1400, (66.1, 4.96), 15.4, 0.5, 16_000, 0.01, (48.7, 6.93)),
    ThesisGame("connectfour.ext", 11_000, (53.7, 5.22), 33.0, 0.8, 11_500, 0.005, (57.1, 6.86)),
    ThesisGame("othello.ext", 30, (57.1, 5.19), 38.4, 0.9, 30_000, 0.003, (57.9, 6.84)),
)


# [game] playouts per move that the clocks of the thesis allowed bare UCT; breakthrough is not among its games.
DEPTHS = {"breakthrough.ext": 1000} | {game.name: game.playouts for game in THESIS_GAMES}


@dataclass(frozen=True)
class _Speed:
    """Random matches per second in the thesis, on one core of an Athlon 64 X2 4000+ at 2.1 GHz."""

    yap: float  # YAP Prolog
    gtc: float  # the first game tree compiler
    gtc2: float  # the second


# By the name that the rule sheet has in the collection of the Dresden server.
_SPEEDS = {
    "8puzzle": _Speed(132.69, 531.04, 5849.11),
    "amazing": _Speed(295.34, 374.16, 6054.98),
    "blocks": _Speed(3830.79, 233_648.83, 283_470.64),
    "checkers": _Speed(5.51, 8.82, 44.20),
    "chess": _Speed(1.13, 1.51, 2.46),
    "chineseCheckers6": _Speed(46.90, 54.50, 874.65),
    "connectFour": _Speed(236.54, 785.92, 2330.49),
    "crisscross": _Speed(179.82, 148.24, 1951.87),
    "lightsOut": _Speed(128.82, 535.44, 4060.41),
    "nim": _Speed(762.65, 867.13, 19_230.91),
    "othello": _Speed(2.34, 0.80, 2.99),
    "pancakes": _Speed(485.51, 393.82, 33_954.03),
    "pawnToQueen": _Speed(35.30, 37.77, 119.67),
    "peg": _Speed(75.07, 77.52, 254.33),
    "sum15": _Speed(1060.32, 5721.91, 14_856.77),
    "ticTacToe": _Speed(906.37, 4532.34, 34_390.02),
}

_THESIS_HANDICAP = 0.5  # share of the player's time that the bare player gets (thesis 6.3.3)
_UNBOUNDED = 8  # number of matches in which the table may hold every state
_MOST_MOVES = 400  # number of searches in a match that such a table has room for

ThesisPlayouts = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.", show_default="about those of the thesis's clocks"),
]


def reasoning_speed(
    game: Games = None, seconds: Seconds = 10.0, lanes: LanesOption = 512, shared: SharedFolder = None
) -> Iterator[StudyTable]:
    """Random matches per second on one core, beside the reasoning engines of the thesis.

    The sheets of the thesis are not part of the program: [b]--shared[/b] names a folder with them, and games that are
    not found are left out. The machines of the two sides differ by more than a decade, so the ratio says how far both
    the program and the processor have come.
    """
    asked = named_games({name: name for name in _SPEEDS}, game, "the thesis")

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(asked, shared):
            totals, theirs = machine.playouts(seconds=seconds, lanes=lanes), _SPEEDS[name]
            speed = totals.playouts / totals.cpu_seconds
            yield {
                "game": name,
                "matches_per_s": speed,
                "yap": theirs.yap,
                "gtc": theirs.gtc,
                "gtc2": theirs.gtc2,
                "times_gtc2": speed / theirs.gtc2,
            }

    columns = (
        game_column(),
        Column("matches_per_s", "matches/s", 11),
        Column("yap", "YAP Prolog", 11, ",.1f"),
        Column("gtc", "GTC", 11, ",.1f"),
        Column("gtc2", "GTC2", 11, ",.1f"),
        Column("times_gtc2", "× GTC2", 9, ",.0f"),
    )
    yield StudyTable(columns, rows())


def knowledge_strength(
    game: Games = None,
    config: Annotated[
        str, typer.Option(help="Configuration of the evolutions: quick, default, deep, thesis, or a TOML file.")
    ] = "default",
    at_depth: Annotated[
        bool, typer.Option("--at-depth", help="Evolve with the playouts of the matches, not the configuration's.")
    ] = False,
    out: OutFolder = Path("results/table-6.4"),
    matches: Matches = 400,
    playouts: ThesisPlayouts = None,
    seed: SeedOption = 1,
    executor: Executors = ExecutorKind.ray,
) -> Iterator[StudyTable]:
    """Evolved knowledge against bare UCT: with half the time, as in the thesis, and with as much.

    Bare UCT has the constant that the evolution tuned for it. Evolves every game first (minutes each with --config
    default, more with deep, hours with thesis) and keeps the runs; the same command takes them up again.
    """
    asked = named_games({each.name: each for each in THESIS_GAMES}, game, "the thesis")

    def rows() -> Iterator[Row]:
        for each in asked:
            folder, budget = out / each.name, playouts or each.playouts
            _evolve(each.name, config, budget if at_depth else None, folder, seed, executor)
            machine = load_machine(each.name)
            knowledge = read_knowledge(folder / BEST, machine.sheet)
            constant = bare_constant(folder / BEST)
            report_progress(f"{each.name}: {constant.words}")
            bare = PlayerSpec("uct", Parameters(uct_c=constant.uct_c), playouts=budget)
            player = bare.with_knowledge(knowledge, machine)
            ratio = measure_time_ratio(machine, player, bare, seed)
            report_progress(f"{each.name}: {matches} matches against half the time, {matches} at equal time")
            # Only the opponent's playouts are scaled, so that the player searches equally deep in both measurements.
            rivals = [
                replace(bare, playouts=max(1, round(budget * ratio * share))) for share in (_THESIS_HANDICAP, 1.0)
            ]
            half, equal = (
                score_players(machine, player, rival, matches, seed, lambda _: None).score for rival in rivals
            )
            low, high = equal.ci95
            yield {
                "game": each.name,
                "playouts": budget,
                "matches": equal.matches,
                "handicap_win_percent": half.win_percent,
                "thesis": "{:.1f} ± {:.1f}".format(*each.knowledge_win),
                "win_percent": equal.win_percent,
                "low": low,
                "high": high,
                "time_ratio": ratio,
                "uct_c": knowledge.parameters.uct_c,
                "baseline_uct_c": constant.uct_c,
                "expansions": f"{10 * knowledge.parameters.expansions:.0f}/10 playouts",
            }

    columns = (
        game_column(),
        Column("playouts", "playouts", 8),
        Column("matches", "matches", 7),
        Column("handicap_win_percent", "half the time", 13, ".1f"),
        Column("thesis", "in the thesis", 13),
        Column("win_percent", "equal time", 10, ".1f"),
        Column("low", "95 % from", 9, ".1f"),
        Column("high", "to", 5, ".1f"),
        Column("time_ratio", "s/playout", 9, ".2f"),
        Column("uct_c", "UCT constant", 12, ".1f"),
        Column("baseline_uct_c", "of bare UCT", 11, ".1f"),
        Column("expansions", "expands", 14),
    )
    yield StudyTable(columns, rows())


def _evolve(
    game: str,
    config: str,
    playouts: int | None,
    folder: Path,
    seed: int,
    executor: ExecutorKind,
) -> None:
    """Complete the run in `folder`, which is new, interrupted or complete."""
    if (folder / "config.json").exists():
        report_progress(f"{game}: taking the evolution in {folder}")
        resume(folder, executor=executor)
    else:
        evolve(game, config=config, seed=seed, playouts=playouts, out=folder, executor=executor)


def transposition_tables(
    game: Games = None,
    matches: Matches = 200,
    playouts: ThesisPlayouts = None,
    share: Annotated[
        float | None,
        typer.Option(min=1e-6, max=1, help="States allowed, as a share of those needed.", show_default="the thesis's"),
    ] = None,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """Linked transposition tables against random eviction, both far smaller than a match would fill."""
    asked = named_games({each.name: each for each in THESIS_GAMES}, game, "the thesis")

    def rows() -> Iterator[Row]:
        for each in asked:
            machine = load_machine(each.name)
            budget = playouts or each.playouts
            report_progress(f"{each.name}: matches with unbounded tables")
            roomy = PlayerSpec(playouts=budget, max_states=_MOST_MOVES * budget)
            seats = [[0] * len(machine.roles)] * _UNBOUNDED
            seeds = [derive_seed(seed, "unbounded", number) for number in range(_UNBOUNDED)]
            needed = int(play_arrays(machine, [roomy], seats, seeds).nodes_added.max())
            allowed = max(1, round(needed * (share or each.table_share)))
            report_progress(f"{each.name}: {matches} matches with {allowed} states for each player")
            linked, plain = (
                PlayerSpec(playouts=budget, max_states=allowed, eviction="linked"),
                PlayerSpec(playouts=budget, max_states=allowed, eviction="random"),
            )
            score = score_players(machine, linked, plain, matches, seed, lambda _: None).score
            low, high = score.ci95
            yield {
                "game": each.name,
                "playouts": budget,
                "states_needed": needed,
                "states_allowed": allowed,
                "matches": score.matches,
                "win_percent": score.win_percent,
                "low": low,
                "high": high,
                "thesis": "–" if each.table_win is None else "{:.1f} ± {:.1f}".format(*each.table_win),
            }

    columns = (
        game_column(),
        Column("playouts", "playouts", 8),
        Column("states_needed", "states", 9),
        Column("states_allowed", "allowed", 7),
        Column("matches", "matches", 7),
        Column("win_percent", "linked wins", 11, ".1f"),
        Column("low", "95 % from", 9, ".1f"),
        Column("high", "to", 5, ".1f"),
        Column("thesis", "in the thesis", 13),
    )
    yield StudyTable(columns, rows())
