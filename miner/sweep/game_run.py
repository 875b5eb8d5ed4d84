"""The run of one game, as one task of an executor."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.play.executor import SerialExecutor
from gdl_miner.miner.runs.driver import drive_run
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.reporting import LogReporter
from gdl_miner.miner.runs.settings import LearnerSettings
from gdl_miner.miner.runs.setup import new_run, run_content
from gdl_miner.miner.sweep.game_result import GameResult, result_of_run

LOG = "log.txt"


@dataclass(frozen=True)
class SweepPlan:
    """The part of a sweep that all its games have in common."""

    method: str  # name of the learning method
    settings: LearnerSettings
    source: str  # the name that the user gave for the configuration
    command: list[str]  # words of the command line after the program


@dataclass(frozen=True)
class GameToRun:
    """One game of a sweep."""

    sheet: RuleSheet
    given: str  # the name or path that the user gave


@dataclass(frozen=True)
class FinishedGame:
    """The result of a game, and its run."""

    result: GameResult
    files: Mapping[str, bytes] = field(default_factory=dict)  # of the run's folder, by path; none if the run failed


def run_game(plan: SweepPlan, game: GameToRun) -> FinishedGame:
    """Run a game from its beginning to its end in this process, in a folder that is removed afterwards.

    A game that cannot be run (its rules are faulty or too large, or it has chance and features are to be mined) has a
    result that says so.
    """
    sheet, begun = game.sheet, time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / sheet.name
        try:
            content = run_content(method_named(plan.method), plan.settings, sheet, game.given, plan.source)
            machine = load_machine(sheet)
            setup = new_run(folder, content, plan.settings, machine, plan.command)
            with (folder / LOG).open("w", encoding="utf-8") as log:
                drive_run(setup, SerialExecutor(), LogReporter(log))
        except UserError as error:
            return FinishedGame(GameResult(sheet.name, sheet.digest, str(error), run_s=time.monotonic() - begun))
        result = result_of_run(folder, machine, time.monotonic() - begun)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return FinishedGame(result, files)
