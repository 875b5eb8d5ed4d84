"""New runs of the configuration `quick`, with changed settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import RunSetup, new_run, run_content
from gdl_miner.miner.runs.start import read_start


def quick_run(
    folder: Path,
    game: str,
    method: LearningMethod[Any],
    changes: Mapping[str, Mapping[str, Any]],
    file: Path | None = None,
) -> RunSetup:
    """Make the folder of a run that starts from a knowledge file, if one is given."""
    settings, machine = read_settings(method.settings, "quick", dict(changes)), load_machine(game)
    start = None if file is None else read_start(file, machine, method)
    content = run_content(method, settings, machine.sheet, game, "test", start)
    return new_run(folder, content, settings, machine, ["learn"], start)
