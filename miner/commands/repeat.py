"""`miner repeat` makes a run again and says whether the bytes agree."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.version import program_version
from gdl_miner.miner.commands.driving import check_run, drive
from gdl_miner.miner.commands.workplace import DEFAULT_EXECUTOR, Address, Executors, Workers
from gdl_miner.miner.results.agreement import ByteAgreement, compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.method import method_of
from gdl_miner.miner.runs.plugins import check_plugins
from gdl_miner.miner.runs.reporting import reporter_for
from gdl_miner.miner.runs.run_lock import lock_run
from gdl_miner.miner.runs.setup import kept_rules, new_run, read_settings
from gdl_miner.miner.runs.start import kept_start

_SHOWN = 10  # differing files that are named


def repeat(
    run: Annotated[Path, typer.Argument(help="The folder of a complete run.", metavar="RUN")],
    out: Annotated[
        Path | None, typer.Option(help="The folder of the repetition, new or empty.", show_default="RUN-again")
    ] = None,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
) -> None:
    """Run a complete run's game, configuration and seed again, and say whether the bytes agree.

    The comparison covers tables, knowledge files, match records and the champion. The exit status is 0 where all agree
    and 1 where something differs.
    """
    check_run(executor, workers, address)
    history = read_run(run)
    if not history.complete:
        raise ConfigError(f"{run}: the run is not complete; finish it first with `miner resume {run}`")
    check_plugins(history.content, run / "config.json")
    settings = read_settings(method_of(history.content), run, history.content)
    reporter = reporter_for()
    try:
        machine = load_machine(kept_rules(RunStore(run), history.content), progress=reporter.note)
        folder = out or run.with_name(f"{run.name}-again")
        content = {key: value for key, value in history.content.items() if key != "format"}
        start = kept_start(RunStore(run), content, machine.sheet)
        setup = new_run(folder, content, settings, machine, sys.argv[1:], start)
        reporter.note(f"repeating {run} in {folder}")
    except BaseException:
        reporter.close()
        raise
    with lock_run(folder):
        drive(setup, reporter, executor, workers, address)
    agreement = compare_bytes(run, folder)
    _say(agreement, run, folder, history.environment.get("version"))
    raise typer.Exit(0 if agreement.complete else 1)


def _say(agreement: ByteAgreement, run: Path, folder: Path, version: str | None) -> None:
    if agreement.complete:
        print(f"{run} and {folder} agree: {len(agreement.same)} files, byte for byte")
        return
    differing, files = len(agreement.differing), len(agreement.same) + len(agreement.differing)
    print(f"{run} and {folder} differ in {differing} of {files} files:")
    for line in agreement.differing[:_SHOWN]:
        print(f"  {line}")
    if len(agreement.differing) > _SHOWN:
        print(f"  … and {len(agreement.differing) - _SHOWN} more")
    if version != program_version():
        print(f"the run was made by gdl-miner {version}, this is {program_version()}; results may change with versions")
