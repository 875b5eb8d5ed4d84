"""The history of a run with a learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from gdl_miner.miner.learners.curve.tables import UNIT
from gdl_miner.miner.results.history import RunFiles, RunHistory, StepProgress

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CurveHistory"]


class CurveHistory(RunHistory):
    """A run as far as it has come."""

    def __init__(self, files: RunFiles, section: str, table: str) -> None:
        """Take the section of the configuration and the CSV file of the learner."""
        super().__init__(files)
        self._section = section
        self.curve: pd.DataFrame = files.tables[table]

    @property
    def unit(self) -> str:
        """A step is a step."""
        return UNIT

    @property
    def planned(self) -> int:
        """The largest number of steps that the configuration allows."""
        return int(self.settings[self._section]["steps"])

    @property
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the best."""
        return bool(self.settings[self._section]["validation_matches"])

    @property
    def step_table(self) -> pd.DataFrame:
        """The rows of the finished steps."""
        return self.curve

    @property
    def games(self) -> int:
        """The number of training games."""
        return int(self.curve["games"].sum())

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
                int(row.get("features", 0)),
            )
            for _, row in self.curve.iterrows()
        )
