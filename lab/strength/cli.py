"""`scripts/lab`: matches at equal time and against engines, and predicted work against measured time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json, report_progress
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS, MAX_SEED
from gdl_miner.agent.reasoner.machine import load_machine
from lab.speed.full_size import full_size_knowledge
from lab.strength import contest, cost_fit
from lab.tables import CellValue, print_rows


def play(
    knowledge: Annotated[list[str], typer.Argument(help="GAME=FILE, for instance amazons.ext=best.xml.")],
    playouts: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_PLAYOUTS, help="Playouts per move of bare UCT.", show_default="the thesis's for the game"
        ),
    ] = None,
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches, in pairs with roles swapped.")] = 400,
    deeper: Annotated[int, typer.Option(min=0, max=MAX_COUNT, help="Matches at ten times the playouts.")] = 0,
    tuning: Annotated[
        int,
        typer.Option(
            min=0, max=MAX_COUNT, help="Matches for each constant that bare UCT tries; 0: it has the usual one."
        ),
    ] = 64,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the matches.")] = 1,
    as_json: Json = False,
) -> None:
    """Play knowledge against bare UCT at equal time, without handicap; the constant of bare UCT is tuned first.

    Seconds per playout are measured in turns in this process, and knowledge gets as many playouts as fit.
    """

    def rows() -> Iterator[dict[str, CellValue]]:
        for given in knowledge:
            name, _, file = given.partition("=")
            game = name.removesuffix(".kif")
            depth = playouts or contest.DEPTHS.get(game)
            if not file or depth is None:
                raise ConfigError(f"{given}: give GAME=FILE, and --playouts for a game that is not of the thesis")
            depths = [(depth, matches), *([(10 * depth, deeper)] if deeper else [])]
            yield from contest.measure_contests(
                name, contest.Contest(Path(file), depths, tuning), seed, report_progress
            )

    print_rows(contest.COLUMNS, rows(), as_json)


def work(
    game: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game; give it again for more.", show_default="six")
    ] = None,
    knowledge: Annotated[
        Path | None, typer.Option(help="Folder with files GAME.xml; by default knowledge of full size is mined.")
    ] = None,
    fit: Annotated[bool, typer.Option("--fit", help="Print the operation costs that fit these times best.")] = False,
    as_json: Json = False,
) -> None:
    """Compare predicted work with measured time for knowledge in the tree and in playouts, whole and thin."""
    found: list[cost_fit.MeasuredCost] = []
    for name in game or sorted(contest.DEPTHS):
        machine = load_machine(name)
        report_progress(f"{machine.sheet.name}: measuring")
        path = None if knowledge is None else knowledge / f"{machine.sheet.name}.xml"
        file = full_size_knowledge(machine) if path is None else read_knowledge(path, machine.sheet)
        found += cost_fit.costs(machine, file)
    print_rows(cost_fit.COLUMNS, cost_fit.table(found), as_json)
    if fit:
        print(json.dumps({name: float(f"{cost:.4g}") for name, cost in cost_fit.fitted_costs(found).items()}, indent=4))
