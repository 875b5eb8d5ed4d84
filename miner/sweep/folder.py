"""The folder of a sweep: a folder for each run with its result, the table and the page.

sweep.json sweep.csv index.html
RUN/result.json
RUN/…
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import is_unfinished, remove_unfinished, replace_file, storing, unfinished_path
from gdl_miner.miner.results.json_file import first_difference, read_object, write_object
from gdl_miner.miner.results.store import check_entries
from gdl_miner.miner.results.tables import show
from gdl_miner.miner.sweep.game_result import COLUMNS, GameResult
from gdl_miner.miner.sweep.game_run import FinishedRun, SweepRun
from gdl_miner.miner.sweep.page import sweep_page

PLAN, TABLE, PAGE, RESULT = "sweep.json", "sweep.csv", "index.html", "result.json"
FORMAT = 3

_ADVICE = "restore it, or give another --out"


class SweepFolder:
    """The files of a sweep, new or continued."""

    def __init__(self, folder: Path, runs: Sequence[SweepRun], *, seeded: bool) -> None:
        """Make the folder, or go on in it.

        Args:
            folder: the folder.
            runs: the runs that are to be done.
            seeded: whether each run has a seed of its own, rather than that of its configuration.

        Raises:
            ConfigError: the folder holds anything but a sweep of the same methods and configurations, or cannot be
                made.
        """
        self.folder = folder
        self._planned = {run.name for run in runs}
        left_out = {"execution", "seed"} if seeded else {"execution"}
        decisive = dict[str, dict[str, Any]]()
        for run in runs:
            settings = json.loads(run.settings.model_dump_json(exclude=left_out))
            decisive.setdefault(run.method, {})[run.config] = settings
        self._content = {"format": FORMAT, "configurations": decisive}
        with storing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        check_entries(folder)
        if (folder / PLAN).exists():
            self._check(read_object(folder / PLAN, _ADVICE))
        elif not all(is_unfinished(path) for path in folder.iterdir()):
            raise ConfigError(f"{folder}: the folder is not empty and holds no sweep; give another --out")
        else:
            write_object(folder / PLAN, self._content)

    @property
    def plan_path(self) -> Path:
        """The path of the file that says how the sweep learns."""
        return self.folder / PLAN

    def result(self, run: SweepRun) -> GameResult | None:
        """Return the result of a run; None if it has none yet, or failed and may be tried again.

        Raises ConfigError where the result is that of other rules.
        """
        found = self._results.get(run.name)
        if found is None:
            return None
        if found.digest != run.sheet.digest:
            path = self.folder / run.name / RESULT
            raise ConfigError(f"{path}: the rules of {run.sheet.name} have changed since; give another --out")
        return None if found.error else found

    def keep(self, finished: FinishedRun) -> None:
        """Write a run and its result at once, and the table and the page of all results."""
        run = self.folder / finished.result.run
        remove_unfinished(self.folder)
        new = unfinished_path(run)
        with storing(run):
            new.mkdir()
            for path, content in finished.files.items():
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(content)
            write_object(new / RESULT, finished.result.as_json())
            shutil.rmtree(run, ignore_errors=True)
            new.replace(run)
        self._results[finished.result.run] = finished.result
        self.write_tables()

    def write_tables(self) -> None:
        """Write sweep.csv and index.html from all results."""
        results = self.results()
        table = io.StringIO()
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: show(cell) for name, cell in each.row().items()} for each in results)
        replace_file(self.folder / TABLE, table.getvalue().encode())
        missing = len(self._planned - {each.run for each in results})
        replace_file(self.folder / PAGE, sweep_page(results, missing).encode())

    def results(self) -> Sequence[GameResult]:
        """Return all results, also of runs that failed, by game, method, configuration and seed."""
        return sorted(self._results.values(), key=lambda each: (each.game, each.learner, each.config, each.seed))

    @cached_property
    def _results(self) -> dict[str, GameResult]:
        """All results by the names of their folders."""
        return {path.parent.name: self._read(path) for path in self.folder.glob(f"[!.]*/{RESULT}")}

    def _read(self, path: Path) -> GameResult:
        try:
            return GameResult.from_json(read_object(path, _ADVICE))
        except (TypeError, KeyError) as error:
            raise ConfigError(
                f"{path}: no result of this version ({error}); remove it, or give another --out"
            ) from None

    def _check(self, found: dict[str, Any]) -> None:
        for key in self._content:
            if found.get(key) != self._content[key]:
                where, had, given = first_difference(found.get(key), self._content[key])
                raise ConfigError(
                    f"{self.folder / PLAN}: another {key.removesuffix('s')} than this sweep's: {where or key} was "
                    f"{had} and now is {given}; go on with the options that it had, or give another --out"
                )
