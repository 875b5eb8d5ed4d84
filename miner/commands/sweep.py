"""`miner sweep` makes a run for each of many games, by each of some learning methods, configurations and seeds."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json, completing
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import make_folder
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.limits import MAX_SEED
from gdl_miner.miner.commands.driving import check_run
from gdl_miner.miner.commands.workplace import (
    DEFAULT_EXECUTOR,
    Address,
    Executors,
    Workers,
    interruptible,
    open_executor,
    said_by_cluster,
    shown_progress,
)
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.runs.method import method_named, method_names
from gdl_miner.miner.runs.mirror import checked_mirror
from gdl_miner.miner.runs.run_lock import lock
from gdl_miner.miner.runs.settings import LearnerSettings, read_settings, shipped_configs
from gdl_miner.miner.sweep.folder import PAGE, SweepFolder
from gdl_miner.miner.sweep.game_result import GameResult
from gdl_miner.miner.sweep.game_run import SweepRun, run_game

_DEADLINE_S = 24 * 3600.0  # of one run
_MOST_SEEDS = 1000
_SEEDS = re.compile(r"(\d{1,18})(?:\s*-\s*(\d{1,18}))?")


def sweep(
    games: Annotated[list[str], typer.Argument(help="Rule sheets, or names of bundled games.", metavar="GAME…")],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="|".join(method_names()),
            help="Learning method, as for [b]miner learn[/b]; give it again for further methods.",
            show_default="evolution",
            autocompletion=completing(method_names),
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            help="As for [b]miner learn[/b]; a file may have sections for all methods. Give it again for further ones.",
            show_default="quick",
            autocompletion=completing(shipped_configs),
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="Seed of every run.")] = None,
    seeds: Annotated[
        str | None, typer.Option(help="A run for each of these seeds, such as 1-5 or 1,4,7-9.", metavar="SEEDS")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The sweep's folder, new or begun.", show_default="results/sweep-TIME")
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Copy runs there as they go on (file://, s3://, …), so that a lost machine loses none.",
            show_default=False,
        ),
    ] = None,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Learn knowledge of many games, and show on one page for which of them knowledge helps.

    Each game, with each method, configuration and seed, has a run like that of [b]miner learn[/b], on one processor;
    several run at a time. The folder has the runs, sweep.csv and index.html with a row for each run, which grow as runs
    are finished; [b]miner curves[/b] draws the methods beside each other. The same command with the same [b]--out[/b]
    goes on where it was stopped, and tries the runs again that failed. More games or seeds may be given then.

    The exit status is 1 where a game could not be run; the table says why.
    """
    check_run(executor, workers, address)
    if seed is not None and seeds is not None:
        raise ConfigError("--seed and --seeds exclude each other; give one of them")
    wanted = [seed] if seeds is None else read_seeds(seeds)
    by, configs = list(dict.fromkeys(methods or ["evolution"])), list(dict.fromkeys(config or ["quick"]))
    to_run = list(_runs(_sheets(games), by, configs, wanted, seeded=seeds is not None))
    for name, count in Counter(run.name for run in to_run).items():
        if count > 1:
            raise ConfigError(f"{count} runs have the name {name}; rename a rule sheet or a configuration")
    if mirror is not None:
        base = checked_mirror(mirror)
        to_run = [replace(run, mirror=f"{base}/{run.name}") for run in to_run]
    place = out or make_folder(Path("results") / time.strftime("sweep-%Y%m%d-%H%M%S"))
    folder = SweepFolder(place, to_run, seeded=seeds is not None)
    with lock(folder.plan_path, f"{folder.folder}: another process works on this sweep; wait for it or stop it"):
        missing = [run for run in to_run if folder.result(run) is None]
        if missing:
            resume = f"the same command with --out {folder.folder}"
            with (
                shown_progress() as progress,
                said_by_cluster(partial(progress.console.print, markup=False, highlight=False, soft_wrap=True)),
                interruptible(
                    resume, progress.stop, lambda: open_executor(executor, workers, address, _DEADLINE_S)
                ) as workplace,
            ):
                bar = progress.add_task("runs", total=len(to_run), completed=len(to_run) - len(missing))
                tasks = [WorkerTask(run.name, run) for run in missing]
                for _, finished in workplace.run(run_game, [workplace.share(sys.argv[1:])], tasks):
                    folder.keep(finished)
                    progress.update(bar, advance=1)
                    progress.console.print(_line(finished.result), markup=False, highlight=False, soft_wrap=True)
        folder.write_tables()
        names = {run.name for run in to_run}
        results = [each for each in folder.results() if each.run in names]
    if as_json:
        print(json.dumps([each.as_json() for each in results]))
    else:
        print(_summary(results))
        print(f"page: {folder.folder / PAGE}")
    raise typer.Exit(int(any(each.error for each in results)))


def read_seeds(text: str) -> list[int]:
    """Read seeds such as `1,4,7-9`: each once, in order. Raises ConfigError for what is none, or too many."""
    found: set[int] = set()
    for part in text.split(","):
        match = _SEEDS.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= first <= last <= MAX_SEED:
            raise ConfigError(f"--seeds: '{part.strip()[:40]}' is no seed and no range of seeds; write such as 1-5,8")
        if last - first >= _MOST_SEEDS:
            raise ConfigError(f"--seeds: more than {_MOST_SEEDS} seeds; give fewer")
        found.update(range(first, last + 1))
        if len(found) > _MOST_SEEDS:
            raise ConfigError(f"--seeds: more than {_MOST_SEEDS} seeds; give fewer")
    return sorted(found)


def _sheets(given: Sequence[str]) -> dict[str, RuleSheet]:
    """Read the sheets. Raises RuleError where one cannot be read, ConfigError where two have the same name."""
    sheets = {name: read_sheet(name) for name in given}
    names = Counter(sheet.name for sheet in sheets.values())
    for name, sheet in sheets.items():
        if names[sheet.name] > 1 or given.count(name) > 1:
            raise ConfigError(f"{name}: there is another game of the name {sheet.name}; name each game once")
    return sheets


def _runs(
    sheets: Mapping[str, RuleSheet],
    methods: Sequence[str],
    configs: Sequence[str],
    seeds: Sequence[int | None],
    *,
    seeded: bool,
) -> Iterator[SweepRun]:
    """Yield the runs: of all games with the first configuration and seed by each method, with the next seed, and so on.

    `seeded` says whether the name of a run tells its seed. Raises ConfigError where two configurations have one name.
    """
    short = {config: Path(config).stem for config in configs}
    if len(set(short.values())) < len(short):
        raise ConfigError("two configurations have the same name; rename one of the files")
    models = {method: method_named(method).settings for method in methods}
    for config, seed, (method, model) in product(configs, seeds, models.items()):
        changes = {"": {} if seed is None else {"seed": seed}}
        settings: LearnerSettings = read_settings(model, config, changes, beside=list(models.values()))
        for given, sheet in sheets.items():
            parts = [
                sheet.name,
                *([method] if len(methods) > 1 else []),
                *([short[config]] if len(configs) > 1 else []),
            ]
            name = "-".join([*parts, *([f"seed{seed}"] if seeded else [])])
            yield SweepRun(name, sheet, given, method, config, short[config], settings)


def _line(result: GameResult) -> str:
    """Return one line on a finished run."""
    if result.error:
        return f"{result.run}: {result.error}"
    board = "no board" if result.board_source == "none" else f"board of {result.cells} cells"
    said = ""
    if result.win_percent is not None and result.ci95 is not None:
        low, high = result.ci95
        helps = "" if result.helps else ", no knowledge helps"
        said = f", {result.win_percent:.1f} % ({low:.0f}–{high:.0f}){helps}"
    return f"{result.run}: {board}{said}, {result.run_s:.0f} s"


def _summary(results: Sequence[GameResult]) -> str:
    failed, helped = sum(bool(each.error) for each in results), sum(each.helps for each in results)
    games, runs = len({each.game for each in results}), len(results)
    what = f"{games} games" if games == runs else f"{runs} runs of {games} games"
    said = f"{what}: knowledge helps in {helped}, none helps in {runs - helped - failed}"
    return f"{said}, {failed} could not be run" if failed else said
