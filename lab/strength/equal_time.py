"""Knowledge against bare UCT at equal time: at the depth of the thesis, and at ten times that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.match_tasks import play_batch
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from gdl_miner.miner.play.tuning import Tuning
from lab.options import Matches, SeedOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.thesis import DEPTHS


def equal_time(
    knowledge: Annotated[list[str], typer.Argument(help="GAME=FILE, for instance amazons.ext=best.xml.")],
    playouts: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_PLAYOUTS, help="Playouts per move of bare UCT.", show_default="the thesis's for the game"
        ),
    ] = None,
    matches: Matches = 400,
    deeper: Annotated[int, typer.Option(min=0, max=MAX_COUNT, help="Matches at ten times the playouts.")] = 0,
    tuning: Annotated[
        int,
        typer.Option(
            min=0, max=MAX_COUNT, help="Matches for each constant that bare UCT tries; 0: it has the usual one."
        ),
    ] = 64,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """Play knowledge against bare UCT at equal time, without handicap; the constant of bare UCT is tuned first.

    Seconds per playout are measured in turns in this process, and knowledge gets as many playouts as fit.
    """

    def rows() -> Iterator[Row]:
        for given in knowledge:
            game, _, file = given.partition("=")
            depth = playouts or DEPTHS.get(game.removesuffix(".kif"))
            if not file or depth is None:
                raise ConfigError(f"{given}: give GAME=FILE, and --playouts for a game that is not of the thesis")
            machine = load_machine(game)
            known = read_knowledge(Path(file), machine.sheet)
            for budget, count in ((depth, matches), (10 * depth, deeper)):
                if count:
                    yield {"game": game, **contest(machine, known, budget, count, tuning, seed)}

    columns = (
        game_column(),
        Column("playouts", "bare UCT", 8),
        Column("uct_c", "constant", 8, "g"),
        Column("time_ratio", "s/playout", 9, ".2f"),
        Column("own_playouts", "knowledge", 9),
        Column("win_percent", "win %", 6, ".1f"),
        Column("low", "95 % from", 9, ".1f"),
        Column("high", "to", 6, ".1f"),
        Column("matches", "matches", 7),
    )
    yield StudyTable(columns, rows())


def contest(machine: Machine, knowledge: Knowledge, playouts: int, matches: int, tuning: int, seed: int) -> Row:
    """Return the row of matches in which bare UCT has so many playouts, and knowledge as many as fit into its time.

    The ratio of seconds per playout is measured; the matches follow from that ratio and the seed. `tuning` is the
    number of matches for each constant that bare UCT tries.
    """
    name, bare = machine.sheet.name, PlayerSpec("uct", playouts=playouts)
    if tuning:
        report_progress(f"{name}: tuning bare UCT at {playouts} playouts per move")
        bare = replace(bare, parameters=Parameters(uct_c=_tuned(machine, playouts, tuning, seed)))
    player = bare.with_knowledge(knowledge, machine)
    ratio = measure_time_ratio(machine, player, bare, seed)
    player = replace(player, playouts=equal_playouts(playouts, ratio))
    report_progress(f"{name}: {matches} matches at {playouts} playouts per move")
    score = score_players(machine, player, bare, matches, seed, lambda _: None).score
    low, high = score.ci95
    return {
        "playouts": playouts,
        "uct_c": bare.parameters.uct_c,
        "time_ratio": ratio,
        "own_playouts": player.playouts,
        "win_percent": score.win_percent,
        "low": low,
        "high": high,
        "matches": score.matches,
    }


def _tuned(machine: Machine, playouts: int, matches: int, seed: int) -> float:
    """The constant with which bare UCT is strongest."""
    tuning = Tuning(len(machine.roles), matches, seed)
    players = tuning.players(playouts, Parameters.expansions)
    game = PreparedGame(machine.sheet, machine.circuit)
    while asked := tuning.ask():
        record = play_batch(game, players, asked)
        tuning.tell({name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)})
    return tuning.uct_c
