"""A run of a learning method in this process, with the libraries of the extra `learn`."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.api.game import Game
from gdl_miner.miner.play.executor import SerialExecutor
from gdl_miner.miner.results.store import BEST
from gdl_miner.miner.runs.driver import drive_run
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.reporting import LogReporter, reporter_for
from gdl_miner.miner.runs.run_lock import lock_run
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import interrupted_run, new_run, run_content


def learn_by_run(
    game: Game,
    name: str,
    config: str,
    changes: Mapping[str, Mapping[str, Any]],
    folder: str | os.PathLike[str] | None,
    seed: int,
    *,
    or_resume: bool,
    show: bool,
) -> Knowledge:
    """Make or continue a run, in a folder that is removed where none is given, and return the best knowledge.

    See `learn`.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="gdl-miner-") as own:
            return learn_by_run(game, name, config, changes, own, seed, or_resume=False, show=show)
    method, machine, path = method_named(name), game.machine, Path(folder)
    asked: dict[str, Any] = {
        section: dict(entries) if isinstance(entries, Mapping) else entries for section, entries in changes.items()
    }
    asked[""] = {"seed": seed}
    settings = read_settings(method.settings, config, asked)
    content = run_content(method, settings, machine.sheet, machine.sheet.source, config)
    begun = or_resume and (path / "config.json").exists()
    setup = None if begun else new_run(path, content, settings, machine, [])
    reporter = reporter_for() if show else LogReporter(io.StringIO())
    try:
        with lock_run(path):
            if setup is None:
                setup = interrupted_run(path, machine)
                setup.check_content(content, "give another folder")
            if not setup.is_complete():
                setup.check()
                drive_run(setup, SerialExecutor(), reporter)
    finally:
        reporter.close()
    return read_knowledge(path / BEST, machine.sheet)
