"""The history of a run that learns features from the ends of games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pandas as pd

from miner.learners.gifl.tables import GIFL_FILE, UNIT
from miner.results.history import RunFiles, RunHistory, StepProgress

__all__ = ["GiflHistory"]


class GiflHistory(RunHistory):
    """A run as far as it has come."""

    def __init__(self, files: RunFiles) -> None:
        super().__init__(files)
        self.steps: pd.DataFrame = files.tables[GIFL_FILE]

    @property
    def unit(self) -> str:
        """A step is a step."""
        return UNIT

    @property
    def planned(self) -> int:
        """The number of steps that the configuration asks for."""
        return int(self.settings["gifl"]["steps"])

    @property
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the best."""
        return bool(self.settings["gifl"]["validation_matches"])

    @property
    def step_table(self) -> pd.DataFrame:
        """The rows of the finished steps."""
        return self.steps

    @cached_property
    def progress(self) -> Sequence[StepProgress]:
        """The result of every finished step against bare UCT."""
        return tuple(
            StepProgress(
                int(row["step"]),
                str(row["name"]),
                int(row["matches"]),
                float(row["win_percent"]),
                (float(row["ci95_low"]), float(row["ci95_high"])),
                float(row["elo"]),
                float(row["elo_se"]),
                int(row["features"]),
            )
            for _, row in self.steps.iterrows()
        )
