"""`scripts/lab knowledge|mining|training|selection`: the cost of knowledge and learning, the power of tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json, report_progress
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_SECONDS, MAX_SEED
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import read_shape
from lab.speed import mining_scale, training_rate
from lab.speed.cost import COLUMNS, measure_cost
from lab.speed.full_size import full_size_knowledge
from lab.strength import selection
from lab.tables import CellValue, print_rows

_STATES = [1_000_000, 3_000_000, 10_000_000]
_MATCHES = [16, 32, 64, 128]


def measure_knowledge(
    game: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game; give it again for more.", show_default="bundled")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Batches searched in every way, in turn.")] = 3,
    playouts: Annotated[
        int, typer.Option(min=0, max=MAX_PLAYOUTS, help="Playouts of each search; 0: as the thesis's clocks allowed.")
    ] = 0,
    lanes: Annotated[int, typer.Option(min=64, max=512, help="Games in lock-step: 64, 128, 256 or 512.")] = 512,
    knowledge: Annotated[
        Path | None, typer.Option(help="A knowledge file of the one game; by default one is mined.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Folder where mined files are kept; those found there are taken.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Playouts per second with full-size knowledge over those without: one file, and 24 different ones in a batch.

    Selection: features guide the choice in the tree; late: from the fourth visit of a node; first: they also draw the
    first two moves of playouts; playouts: all of them (these two in searches of at most 100 playouts).
    """
    games = game or sorted(set(bundled()) - {"tictactoe.ext"})
    if knowledge is not None and len(games) != 1:
        raise ConfigError("a knowledge file is of one game; name it with --game")

    def rows() -> Iterator[dict[str, CellValue]]:
        for name in games:
            machine = load_machine(name, progress=report_progress)
            file = _knowledge(machine, knowledge, keep)
            yield measure_cost(machine.sheet.name, machine, file, rounds=rounds, lanes=lanes, playouts=playouts)

    print_rows(COLUMNS, rows(), as_json)


def measure_mining(
    game: Annotated[str, typer.Option("--game", "-g", help="A bundled game or a rule sheet.")] = "connectfour.ext",
    states: Annotated[
        list[int], typer.Option(min=1, max=MAX_COUNT, help="States to mine; give it again for more.")
    ] = _STATES,
    as_json: Json = False,
) -> None:
    """States counted per second by one process, and the memory it takes, as records grow."""
    print_rows(mining_scale.COLUMNS, mining_scale.measure_mining(load_machine(game), sorted(states)), as_json)


def measure_training(
    game: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game; give it again for more.", show_default="bundled")
    ] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option(help='Tuples beside the facts, such as "line 4" or "block 2x3"; again for more.'),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Processor time for each game.")] = 5.0,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides the games.")] = 1,
    as_json: Json = False,
) -> None:
    """Training games per second, in which one process learns what states are worth from nothing."""
    try:
        shapes = [read_shape(text) for text in shape or ()]
    except ValueError as problem:
        raise ConfigError(str(problem)) from None
    rows = (
        training_rate.measure_training(load_machine(name, progress=report_progress), shapes, seconds, seed)
        for name in game or sorted(bundled())
    )
    print_rows(training_rate.COLUMNS, rows, as_json)


def measure_selection(
    matches: Annotated[
        list[int], typer.Option(min=4, max=MAX_COUNT, help="Mean matches per individual; again for more.")
    ] = _MATCHES,
    runs: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Populations to draw.")] = 1000,
    players: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Individuals of each.")] = 12,
    spread: Annotated[
        float, typer.Option(min=0.0, max=MAX_FACTOR, help="Standard deviation of their strengths, in Elo.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Decides strengths and matches.")] = 1,
    as_json: Json = False,
) -> None:
    """How often rules of allocating matches find the strongest of a population, on players of known strength."""
    rows = selection.measure_selection(matches, runs=runs, players=players, spread=spread, seed=seed)
    print_rows(selection.COLUMNS, rows, as_json)


def _knowledge(machine: Machine, given: Path | None, keep: Path | None) -> Knowledge:
    if given is not None:
        return read_knowledge(given, machine.sheet)
    path = None if keep is None else keep / f"{machine.sheet.name}.xml"
    if path is not None and path.exists():
        return read_knowledge(path, machine.sheet)
    report_progress(f"{machine.sheet.name}: playing and mining")
    found = full_size_knowledge(machine)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_knowledge(found, path, machine.sheet)
    return found
