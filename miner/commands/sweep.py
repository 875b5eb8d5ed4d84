"""`miner sweep` runs an evolution for each of many games."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import make_folder
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.limits import MAX_SEED
from gdl_miner.miner.commands.workplace import (
    Address,
    ExecutorKind,
    Executors,
    Workers,
    check_choice,
    interruptible,
    open_executor,
    said_by_cluster,
    shown_progress,
)
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.run_lock import lock
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.sweep.folder import PAGE, SweepFolder
from gdl_miner.miner.sweep.game_result import GameResult
from gdl_miner.miner.sweep.game_run import GameToRun, SweepPlan, run_game

_DEADLINE_S = 24 * 3600.0  # of one game


def sweep(
    games: Annotated[list[str], typer.Argument(help="Rule sheets, or names of bundled games.", metavar="GAME…")],
    config: Annotated[str, typer.Option(help="As for [b]miner evolve[/b].")] = "quick",
    seed: Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="Seed of every run.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The sweep's folder, new or begun.", show_default="results/sweep-TIME")
    ] = None,
    workers: Workers = None,
    executor: Executors = ExecutorKind.ray,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Evolve knowledge of many games, and show on one page for which of them knowledge helps.

    Each game has a run like that of [b]miner evolve[/b], on one processor; several games run at a time. The folder has
    the runs, sweep.csv and index.html with a row for each game, which grow as games are finished. The same command
    with the same [b]--out[/b] goes on where it was stopped, and tries the games again that failed.

    The exit status is 1 where a game could not be run; the table says why.
    """
    check_choice(executor, workers, address)
    settings = read_settings(method_named("evolution").settings, config, {"": {} if seed is None else {"seed": seed}})
    to_run = _games(games)
    plan = SweepPlan("evolution", settings, config, sys.argv[1:])
    folder = SweepFolder(out or make_folder(Path("results") / time.strftime("sweep-%Y%m%d-%H%M%S")), plan)
    with lock(folder.plan_path, f"{folder.folder}: another process works on this sweep; wait for it or stop it"):
        known = [folder.result(game.sheet) for game in to_run]
        missing = [game for game, result in zip(to_run, known, strict=True) if result is None]
        if missing:
            resume = f"the same command with --out {folder.folder}"
            with (
                shown_progress() as progress,
                said_by_cluster(partial(progress.console.print, markup=False, highlight=False, soft_wrap=True)),
                interruptible(
                    resume, progress.stop, lambda: open_executor(executor, workers, address, _DEADLINE_S)
                ) as workplace,
            ):
                bar = progress.add_task("games", total=len(to_run), completed=len(to_run) - len(missing))
                tasks = [WorkerTask(game.sheet.name, game) for game in missing]
                for _, finished in workplace.run(run_game, [workplace.share(plan)], tasks):
                    folder.keep(finished)
                    progress.update(bar, advance=1)
                    progress.console.print(_line(finished.result), markup=False, highlight=False, soft_wrap=True)
        folder.write_tables()
        names = {game.sheet.name for game in to_run}
        results = [each for each in folder.results() if each.game in names]
    if as_json:
        print(json.dumps([each.as_json() for each in results]))
    else:
        print(_summary(results))
        print(f"page: {folder.folder / PAGE}")
    raise typer.Exit(int(any(each.error for each in results)))


def _games(given: Sequence[str]) -> list[GameToRun]:
    """Read the sheets. Raises RuleError where one cannot be read, ConfigError where two have the same name."""
    games: dict[str, GameToRun] = {}
    for name in given:
        sheet = read_sheet(name)
        if sheet.name in games:
            raise ConfigError(f"{name}: there is another game of the name {sheet.name}; name each game once")
        games[sheet.name] = GameToRun(sheet, name)
    return list(games.values())


def _line(result: GameResult) -> str:
    """Return one line on a finished game."""
    if result.error:
        return f"{result.game}: {result.error}"
    board = "no board" if result.board_source == "none" else f"board of {result.cells} cells"
    said = ""
    if result.win_percent is not None and result.ci95 is not None:
        low, high = result.ci95
        helps = "" if result.helps else ", no knowledge helps"
        said = f", {result.win_percent:.1f} % ({low:.0f}–{high:.0f}){helps}"
    return f"{result.game}: {board}{said}, {result.run_s:.0f} s"


def _summary(results: Sequence[GameResult]) -> str:
    failed, helped = sum(bool(each.error) for each in results), sum(each.helps for each in results)
    said = f"{len(results)} games: knowledge helps in {helped}, none helps in {len(results) - helped - failed}"
    return f"{said}, {failed} could not be run" if failed else said
