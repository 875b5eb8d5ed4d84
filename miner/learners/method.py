"""The interface of a learning method: its name, its configuration, its learner and the display of its runs.

A new learning method is a package beside `evolution` with a `LearningMethod` that is listed in `registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from rich.console import RenderableType

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.learner import KnowledgeMaker, Learner
from gdl_miner.miner.learners.settings import RunSettings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.history import RunHistory
from gdl_miner.miner.results.report import ReportParts

__all__ = ["LearningMethod", "StartKind", "tables_of"]

StartKind = Literal["values", "values or candidates", "features"]
"""The knowledge that a run can start from: values of states of its game, or also features with conditions of its game,
or features of its game or another one."""

SettingsT = TypeVar("SettingsT", bound=RunSettings)
HistoryT = TypeVar("HistoryT", bound=RunHistory)


class LearningMethod(Protocol[SettingsT, HistoryT]):
    """One learning method."""

    @property
    def name(self) -> str:
        """The name of the method in `miner learn --with` and in config.json."""

    @property
    def summary(self) -> str:
        """A short description for `--help`."""

    @property
    def unit(self) -> str:
        """The name of a step, in the singular, such as `generation`."""

    @property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """The CSV files that the learner fills, with the columns that they have in every run."""

    @property
    def starts_from(self) -> StartKind | None:
        """The knowledge that a run can start from; None where all runs begin without knowledge."""

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> SettingsT:
        """Read a shipped configuration by name or a file by path, and apply `changes` (section, key, value) to it.

        Raises ConfigError with file, line and key where something is unknown or impossible.
        """

    def parse_config(self, value: object) -> SettingsT:
        """Return the settings in a config.json. Raises ValueError naming the first key that does not fit."""

    def check_game(self, settings: SettingsT, game: PreparedGame) -> None:
        """Raise ConfigError where the settings do not fit the game; a new run asks before it makes its folder."""

    def check_start(self, settings: SettingsT, game: PreparedGame, start: Knowledge) -> None:
        """Raise ConfigError where a run cannot start from this knowledge.

        It is of the game, and has what `starts_from` says; no method is asked where that is None.
        """

    def begin(self, settings: SettingsT, maker: KnowledgeMaker) -> Learner:
        """Return a learner at its beginning."""

    def resume(
        self,
        settings: SettingsT,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> Learner:
        """Return a learner in the state that `LearnerState.pack` packed; `knowledge(step, name)` reads a member's file.

        Raises OtherVersionError where another version packed it; ValueError, KeyError, TypeError or AttributeError
        where `pack` cannot have made the value; KnowledgeError where a file cannot be read.
        """

    def read_history(self, folder: Path) -> HistoryT:
        """Read a run as far as it has come. Raises ConfigError where the folder holds no run, or damaged tables."""

    def described(self, history: HistoryT) -> str:
        """Return a few words on the size of a run, such as `8 individuals`."""

    def draw_plots(self, history: HistoryT) -> None:
        """Draw the pictures of a run into its folder; there are none before the first step is finished."""

    def report_parts(self, history: HistoryT, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the method's parts of the report on a run with at least one finished step.

        `knowledge` is the content of best.xml.
        """

    def terminal_tables(self, history: HistoryT, width: int) -> Sequence[RenderableType]:
        """Return the tables that `miner inspect` shows for a run with at least one finished step."""


@runtime_checkable
class _ChoosesColumns(Protocol):
    """A learning method whose tables have further columns in some runs."""

    def tables_of(self, settings: Any) -> Mapping[str, Sequence[str]]:
        """Return the tables of a run with these settings, with all their columns."""


def tables_of(method: LearningMethod[Any, Any], settings: RunSettings) -> Mapping[str, Sequence[str]]:
    """Return the CSV files that the learner of a run fills, with all their columns.

    They are those of the method, unless the method has a function `tables_of` that chooses them by the settings.
    """
    return method.tables_of(settings) if isinstance(method, _ChoosesColumns) else method.tables
