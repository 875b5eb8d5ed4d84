"""One run of a sweep, as one task of an executor."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.play.executor import SerialExecutor
from gdl_miner.miner.runs.driver import drive_run
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.mirror import fetch_run, keep_mirror
from gdl_miner.miner.runs.reporting import LogReporter
from gdl_miner.miner.runs.settings import LearnerSettings
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run, new_run, run_content
from gdl_miner.miner.sweep.game_result import GameResult, found_in_run

LOG = "log.txt"


@dataclass(frozen=True)
class SweepRun:
    """A run of a sweep: a game, a learning method, a configuration and a seed."""

    name: str  # of its folder in that of the sweep
    sheet: RuleSheet
    given: str  # the name or path of the sheet that the user gave
    method: str
    source: str  # the name or path of the configuration that the user gave
    config: str  # its short name
    settings: LearnerSettings
    mirror: str = ""  # URL of the mirror of its folder; empty: none

    def result(self, **known: Any) -> GameResult:
        """Return the result of the run, of which the other fields are known."""
        game = (self.sheet.name, self.sheet.digest)
        return GameResult(self.name, *game, self.method, self.config, self.settings.seed, **known)


@dataclass(frozen=True)
class FinishedRun:
    """The result of a run, and its folder."""

    result: GameResult
    files: Mapping[str, bytes] = field(default_factory=dict)  # of the run's folder, by path; none if the run failed


def run_game(command: list[str], run: SweepRun) -> FinishedRun:
    """Do a run from its beginning to its end in this process, in a folder that is removed afterwards.

    A run that another process has begun goes on from its mirror.

    A game that cannot be run (its rules are faulty or too large, or it has chance and features are to be mined) has a
    result that says so. `command` has the words of the command line after the program.
    """
    sheet, begun = run.sheet, time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / run.name
        try:
            machine = load_machine(sheet)
            setup = _setup(run, folder, machine, command)
            begun_here = setup.journal.finished == 0
            if not setup.store.ended:
                with (folder / LOG).open("a", encoding="utf-8") as log:
                    drive_run(setup, SerialExecutor(), LogReporter(log))
        except UserError as error:
            return FinishedRun(run.result(error=str(error), run_s=time.monotonic() - begun))
        known = found_in_run(folder, machine)
        if begun_here:
            known["run_s"] = time.monotonic() - begun
        result = run.result(**known)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return FinishedRun(result, files)


def _setup(run: SweepRun, folder: Path, machine: Machine, command: list[str]) -> RunSetup:
    """Return a run that begins in the folder, or goes on from its mirror."""
    content = run_content(method_named(run.method), run.settings, run.sheet, run.given, run.source)
    if not run.mirror:
        return new_run(folder, content, run.settings, machine, command)
    if not fetch_run(run.mirror, folder):
        setup = new_run(folder, content, run.settings, machine, command)
        keep_mirror(folder, run.mirror)
        return setup
    setup = interrupted_run(folder)
    if setup.maker.made.run != content["fingerprint"]:
        raise ConfigError(f"{run.mirror}: the mirror of another run; give another --mirror")
    setup.check()
    return setup
