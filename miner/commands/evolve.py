"""`miner evolve` and `miner learn` make a new run."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.agent.commands.options import Game, completing
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.new_file import make_folder
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SEED
from gdl_miner.agent.reasoner.checking import sheet_warnings
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.commands.driving import check_run, conclude, drive
from gdl_miner.miner.commands.resume import go_on
from gdl_miner.miner.commands.workplace import DEFAULT_EXECUTOR, Address, ExecutorKind, Executors, Workers
from gdl_miner.miner.runs.method import OWN_METHODS, method_named, method_names
from gdl_miner.miner.runs.mirror import checked_mirror, fetch_run, has_mirror, keep_mirror
from gdl_miner.miner.runs.reporting import reporter_for
from gdl_miner.miner.runs.run_lock import lock_run
from gdl_miner.miner.runs.settings import read_settings, shipped_configs
from gdl_miner.miner.runs.setup import new_run, run_content
from gdl_miner.miner.runs.start import read_start, with_symmetries_of

Config = Annotated[
    str,
    typer.Option(
        help=f"{', '.join(shipped_configs())}, or a TOML file of what differs from the method's defaults.",
        autocompletion=completing(shipped_configs),
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="Every random decision follows from it.")]
Playouts = Annotated[int | None, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.")]
ValuesFile = Annotated[
    Path | None,
    typer.Option(
        help="A knowledge file from which the run starts: with values, or with features as candidates.",
        show_default=False,
    ),
]
StartFile = Annotated[
    Path | None,
    typer.Option(
        help="A knowledge file from which the run starts: of the same game with values of states, for evolution also "
        "with features as candidates, or, for expert-iteration, of this or another game with features.",
        show_default=False,
    ),
]
OrResume = Annotated[
    bool, typer.Option("--or-resume", help="Continue the run that [b]--out[/b] may hold: one command for every start.")
]
MirrorUrl = Annotated[
    str | None,
    typer.Option(
        "--mirror",
        metavar="URL",
        help="Copy the folder there as the run goes on (file://, s3://, …); [b]--or-resume[/b] fetches it from there.",
        show_default=False,
    ),
]
Out = Annotated[Path | None, typer.Option(help="The run's folder, new or empty.", show_default="results/GAME/TIME")]

_CHECK_S = 5.0  # for what shows when rules are grounded, and as much for matches
_METHODS = "; ".join(f"{name}: {method_named(name).summary}" for name in OWN_METHODS)


def evolve(
    game: Game,
    config: Config = "default",
    seed: Seed = None,
    generations: Annotated[int | None, typer.Option(min=1, max=999, help="Generations to evolve.")] = None,
    population: Annotated[int | None, typer.Option(min=2, max=999, help="Individuals per generation.")] = None,
    islands: Annotated[
        int | None, typer.Option(min=1, max=999, help="Populations of networks that breed apart, for many workers.")
    ] = None,
    playouts: Playouts = None,
    start: ValuesFile = None,
    out: Out = None,
    or_resume: OrResume = False,
    mirror: MirrorUrl = None,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
) -> None:
    """Evolve knowledge of a game: train networks, let them play, mine, breed, and measure the champion.

    With [b]--start[/b] the player of a knowledge file meets the networks until one of them is ahead. Where features
    evolve whose weights are fitted, those of the file take part in every fit: conditions as [b]miner learn --with
    gifl[/b] finds them, and patterns as [b]--with expert-iteration[/b] grows them.

    The run's folder holds tables, knowledge files, plots and report.html. The same game, configuration and seed give
    the same knowledge, byte for byte, on any number of workers. An interrupted run goes on with [b]miner resume[/b],
    or with the same command where that has [b]--out[/b] and [b]--or-resume[/b].
    """
    evolves_networks = read_settings(method_named("evolution").settings, config).networks.generations > 0
    changes: dict[str, dict[str, Any]] = {"": {"seed": seed}, "networks": {"islands": islands}}
    changes.setdefault("networks" if evolves_networks else "evolution", {}).update(
        generations=generations, population=population
    )
    changes["search"] = {"playouts": playouts}
    _learn("evolution", game, config, changes, start, out, or_resume, mirror, executor, workers, address)


def learn(
    game: Game,
    method: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="|".join(method_names()),
            help=f"Learning method. {_METHODS}.",
            autocompletion=completing(method_names),
        ),
    ],
    config: Config = "default",
    seed: Seed = None,
    playouts: Playouts = None,
    start: StartFile = None,
    out: Out = None,
    or_resume: OrResume = False,
    mirror: MirrorUrl = None,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
) -> None:
    """Learn knowledge of a game by the learning method that [b]--with[/b] names.

    The run's folder is like that of [b]miner evolve[/b], with tables of the method, and can be resumed, inspected,
    compared and repeated like it. What [b]agent check[/b] warns of in the rules is told before.
    """
    changes = {"": {"seed": seed}, "search": {"playouts": playouts}}
    _learn(method, game, config, changes, start, out, or_resume, mirror, executor, workers, address)


def _learn(
    name: str,
    game: str,
    config: str,
    changes: dict[str, dict[str, Any]],
    start: Path | None,
    out: Path | None,
    or_resume: bool,
    mirror: str | None,
    executor: ExecutorKind,
    workers: int | None,
    address: str | None,
) -> None:
    """Make a new run and drive it to its end; `changes` are the values that the command line changes, by section."""
    check_run(executor, workers, address)
    if or_resume and out is None:
        raise UserError("--or-resume needs the folder of the run that may be there; give --out")
    method = method_named(name)
    asked = {
        section: {key: value for key, value in entries.items() if value is not None}
        for section, entries in changes.items()
    }
    settings = read_settings(method.settings, config, asked)
    reporter, folder = reporter_for(), out
    try:
        reporter.working(f"preparing {game}")
        machine = load_machine(game, progress=reporter.note)
        sheet = machine.sheet
        started = None if start is None else read_start(start, machine, method)
        settings = with_symmetries_of(started, settings)
        content = run_content(method, settings, sheet, game, config, started)
        if mirror is not None:
            mirror = checked_mirror(mirror)
        if or_resume and out is not None:
            if mirror is not None and not (out / "config.json").exists() and fetch_run(mirror, out):
                reporter.note(f"{out} is fetched from {mirror}")
            if (out / "config.json").exists():
                reporter.close()
                go_on(out, executor, workers, address, content, mirror)
                return
        if mirror is not None and has_mirror(mirror):
            raise UserError(
                f"{mirror}: a run is mirrored there; continue it with --or-resume, or give another --mirror"
            )
        folder = out or make_folder(Path("results") / sheet.name / time.strftime("%Y%m%d-%H%M%S"))
        setup = new_run(folder, content, settings, machine, sys.argv[1:], started)
        if mirror is not None:
            keep_mirror(folder, mirror)
        if started is not None and started.note:
            reporter.note(started.note)
        for finding in sheet_warnings(machine, _CHECK_S):
            reporter.note(f"warning: {finding}")
        reporter.note(f"run {folder}: {sheet.name}, seed {settings.seed}")
    except BaseException:
        if out is None and folder is not None:
            with suppress(OSError):  # it is kept where something is in it
                folder.rmdir()
        reporter.close()
        raise
    with lock_run(folder):
        drive(setup, reporter, executor, workers, address)
    conclude(folder, reporter)
