"""Tables 6.4 and 6.5 of the thesis (Łańcucki): knowledge against bare UCT, and transposition tables."""

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
    Matches,
    OutFolder,
    SeedOption,
    named_games,
    report_progress,
)
from lab.tables import Column, Row, StudyTable, game_column, point_cells, point_columns


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


_THESIS_HANDICAP = 0.5  # share of the player's time that the bare player gets (thesis 6.3.3)
_UNBOUNDED = 8  # number of matches in which the table may hold every state
_MOST_MOVES = 400  # number of searches in a match that such a table has room for

ThesisPlayouts = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.", show_default="about those of the thesis's clocks"),
]


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
    generations: Annotated[
        int | None, typer.Option(min=1, max=999, help="Generations to evolve.", show_default="the configuration's")
    ] = None,
    population: Annotated[
        int | None, typer.Option(min=2, max=999, help="Individuals in each.", show_default="the configuration's")
    ] = None,
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
            if (folder / "config.json").exists():
                report_progress(f"{each.name}: taking the evolution in {folder}")
                resume(folder, executor=executor)
            else:
                evolve(
                    each.name,
                    config=config,
                    seed=seed,
                    generations=generations,
                    population=population,
                    playouts=budget if at_depth else None,
                    out=folder,
                    executor=executor,
                )
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
            yield {
                "game": each.name,
                "playouts": budget,
                "matches": equal.matches,
                "thesis": "{:.1f} ± {:.1f}".format(*each.knowledge_win),
                **point_cells("half", half),
                **point_cells("equal", equal),
                "time_ratio": ratio,
                "uct_c": knowledge.parameters.uct_c,
                "baseline_uct_c": constant.uct_c,
                "expansions": f"{10 * knowledge.parameters.expansions:.0f}/10 playouts",
            }

    columns = (
        game_column(),
        Column("playouts", "playouts", 8),
        Column("matches", "matches", 7),
        Column("thesis", "thesis: half the time", 21),
        *point_columns("half", "half the time"),
        *point_columns("equal", "equal time"),
        Column("time_ratio", "s/playout", 9, ".2f"),
        Column("uct_c", "UCT constant", 12, ".1f"),
        Column("baseline_uct_c", "of bare UCT", 11, ".1f"),
        Column("expansions", "expands", 14),
    )
    yield StudyTable(columns, rows())


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
    """Linked transposition tables against random eviction, both far smaller than a match would fill.

    Each game has two rows: with as many states as the tables of the thesis had, and with the same share of the states
    that a table without limit comes to hold here. With [b]--share[/b] there is the second row alone.
    """
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
            limits = [] if share else [("as many", each.table_states * each.table_share)]
            for limit, states in (*limits, ("same share", needed * (share or each.table_share))):
                allowed = max(1, round(states))
                report_progress(f"{each.name}: {matches} matches with {allowed} states for each player")
                linked, plain = (
                    PlayerSpec(playouts=budget, max_states=allowed, eviction="linked"),
                    PlayerSpec(playouts=budget, max_states=allowed, eviction="random"),
                )
                score = score_players(machine, linked, plain, matches, seed, lambda _: None).score
                yield {
                    "game": each.name,
                    "playouts": budget,
                    "their_states": each.table_states,
                    "states_needed": needed,
                    "limit": limit,
                    "states_allowed": allowed,
                    "matches": score.matches,
                    "thesis": "–" if each.table_win is None else "{:.1f} ± {:.1f}".format(*each.table_win),
                    **point_cells("linked", score),
                }

    columns = (
        game_column(),
        Column("playouts", "playouts", 8),
        Column("their_states", "thesis: states", 14),
        Column("states_needed", "states", 9),
        Column("limit", "limit", 10),
        Column("states_allowed", "allowed", 7),
        Column("matches", "matches", 7),
        Column("thesis", "thesis: linked", 14),
        *point_columns("linked", "linked"),
    )
    yield StudyTable(columns, rows())
