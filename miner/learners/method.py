"""A way to learn, as the commands know it: its name, its configuration, its learner, and how its runs are shown.

To add one: a package beside `evolution` with a `LearningMethod`, listed in `registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rich.console import RenderableType

from agent.gdl import RuleSheet
from agent.knowledge import Geometry, Knowledge
from miner.learners.learner import KnowledgeMaker, Learner
from miner.learners.settings import RunSettings
from miner.results.history import RunHistory
from miner.results.report import ReportParts

__all__ = ["LearningMethod"]

SettingsT = TypeVar("SettingsT", bound=RunSettings)
HistoryT = TypeVar("HistoryT", bound=RunHistory)


class LearningMethod(Protocol[SettingsT, HistoryT]):
    """One way to learn."""

    @property
    def name(self) -> str:
        """What `miner learn --with` and config.json call it."""

    @property
    def summary(self) -> str:
        """One sentence for `--help`."""

    @property
    def unit(self) -> str:
        """What a step is called, in the singular: `generation`."""

    @property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """The CSV files that its learner fills, with their columns."""

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> SettingsT:
        """A shipped configuration by name, or a file by path; `changes` (section, key, value) over it.

        Raises ConfigError with file, line and key where something is unknown or impossible.
        """

    def parse_config(self, value: object) -> SettingsT:
        """The settings in a config.json. Raises ValueError naming the first key that does not fit."""

    def begin(self, settings: SettingsT, maker: KnowledgeMaker) -> Learner:
        """A learner at its beginning."""

    def resume(
        self,
        settings: SettingsT,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> Learner:
        """A learner in the state that `LearnerState.pack` packed; `knowledge(step, name)` reads a member's file.

        Raises OtherVersionError where another version packed it; ValueError, KeyError, TypeError or AttributeError
        where the value is none that `pack` makes; KnowledgeError where a file cannot be read.
        """

    def read_history(self, folder: Path) -> HistoryT:
        """A run as far as it has come. Raises ConfigError where the folder holds none, or damaged tables."""

    def described(self, history: HistoryT) -> str:
        """A few words on the size of a run: `8 individuals`."""

    def draw_plots(self, history: HistoryT) -> None:
        """Draws the pictures of a run into its folder; nothing before a step is finished."""

    def report_parts(
        self, history: HistoryT, knowledge: Knowledge, sheet: RuleSheet, geometry: Geometry
    ) -> ReportParts:
        """What the report says of a run with at least one finished step; `knowledge` is that of best.xml."""

    def terminal_tables(self, history: HistoryT, width: int) -> Sequence[RenderableType]:
        """What `miner inspect` shows of a run with at least one finished step."""
