"""`miner evolve`: a new run."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.commands.options import Game
from agent.gdl import RuleSheet
from agent.limits import MAX_PLAYOUTS, MAX_SEED
from agent.reasoner.machine import load_machine
from agent.version import program_version
from miner.commands.workplace import (
    Address,
    ExecutorKind,
    Executors,
    Workers,
    check_choice,
    conclude,
    interruptible,
    open_executor,
)
from miner.learners.evolution.config import RunConfig, read_config
from miner.play.prepared_game import PreparedGame
from miner.results.store import RunStore
from miner.runs.environment import describe_environment
from miner.runs.reporting import reporter_for
from miner.runs.run import Run, fingerprint
from miner.runs.run_lock import possession

__all__ = ["evolve"]


def evolve(
    game: Game,
    config: Annotated[
        str, typer.Option(help="quick, default, deep, thesis, or a TOML file: what differs.")
    ] = "default",
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_SEED, help="Every random decision follows from it.")
    ] = None,
    generations: Annotated[int | None, typer.Option(min=1, max=999, help="Generations to evolve.")] = None,
    population: Annotated[int | None, typer.Option(min=2, max=999, help="Individuals per generation.")] = None,
    playouts: Annotated[int | None, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder, new or empty.", show_default="results/GAME/TIME")
    ] = None,
    workers: Workers = None,
    executor: Executors = ExecutorKind.ray,
    address: Address = None,
) -> None:
    """Evolve knowledge of a game: play, mine, breed, and measure the champion.

    The run's folder holds tables, knowledge files, plots and report.html. The same game, configuration and seed give
    the same knowledge, byte for byte, on any number of workers. An interrupted run goes on with [b]miner resume[/b].
    """
    check_choice(executor, workers, address)
    settings = read_config(config, _changes(seed, generations, population, playouts))
    reporter = reporter_for()
    try:
        reporter.working(f"preparing {game}")
        machine = load_machine(game, progress=reporter.note)
        sheet = machine.sheet
        folder = out or Path("results") / sheet.name / time.strftime("%Y%m%d-%H%M%S")
        store = RunStore.create(folder, _described(game, sheet, config, settings), describe_environment(sys.argv[1:]))
        reporter.note(f"run {folder}: {sheet.name}, seed {settings.seed}")
    except BaseException:
        reporter.close()
        raise
    deadline_s = settings.execution.deadline_s
    with (
        possession(folder),
        interruptible(folder, reporter, lambda: open_executor(executor, workers, address, deadline_s)) as workplace,
    ):
        run = Run(PreparedGame(sheet, machine.circuit), settings, store, workplace, reporter, program_version())
        run.execute()
        conclude(folder, reporter)


def _changes(
    seed: int | None, generations: int | None, population: int | None, playouts: int | None
) -> dict[str, dict[str, Any]]:
    """What the command line changes, by section."""
    asked = {
        "": {"seed": seed},
        "evolution": {"generations": generations, "population": population},
        "search": {"playouts": playouts},
    }
    return {
        section: {key: value for key, value in entries.items() if value is not None}
        for section, entries in asked.items()
    }


def _described(game: str, sheet: RuleSheet, source: str, settings: RunConfig) -> dict[str, Any]:
    """The content of config.json."""
    given = str(Path(game).resolve()) if Path(game).is_file() else game
    return {
        "game": {"name": sheet.name, "given": given, "digest": sheet.digest},
        "fingerprint": fingerprint(settings, sheet.digest),
        "source": source,
        "config": settings.model_dump(mode="json"),
    }
