"""The history of a run that learned values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pandas as pd

from miner.learners.values.tables import TRAINING_FILE, UNIT
from miner.results.history import RunFiles, RunHistory, StepProgress

__all__ = ["ValuesHistory"]


class ValuesHistory(RunHistory):
    """A run as far as it has come."""

    def __init__(self, files: RunFiles) -> None:
        super().__init__(files)
        self.training: pd.DataFrame = files.tables[TRAINING_FILE]

    @property
    def unit(self) -> str:
        """A step is a step."""
        return UNIT

    @property
    def planned(self) -> int:
        """The largest number of steps that the configuration allows."""
        return int(self.settings["values"]["steps"])

    @property
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the best."""
        return bool(self.settings["values"]["validation_matches"])

    @property
    def step_table(self) -> pd.DataFrame:
        """The rows of the finished steps."""
        return self.training

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
                0,
            )
            for _, row in self.training.iterrows()
        )
