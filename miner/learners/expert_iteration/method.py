"""Expert iteration as a learning method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.curve.history import CurveHistory
from gdl_miner.miner.learners.curve.report import curve_report, curve_table
from gdl_miner.miner.learners.curve.tables import UNIT
from gdl_miner.miner.learners.expert_iteration.config import ExpertConfig
from gdl_miner.miner.learners.expert_iteration.learner import ExpertIterationLearner
from gdl_miner.miner.learners.expert_iteration.state import unpack_state
from gdl_miner.miner.learners.expert_iteration.tables import EXPERT, EXPERT_FILE
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.settings import parse_settings, read_settings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.history import read_run_files
from gdl_miner.miner.results.report import ReportParts
from gdl_miner.miner.training import weights_from

__all__ = ["EXPERT_ITERATION", "ExpertHistory", "ExpertIterationMethod"]


class ExpertHistory(CurveHistory):
    """A run of expert iteration as far as it has come."""

    @property
    def planned(self) -> int:
        """The number of times that the apprentice is measured."""
        return len(self.settings["expert"]["measured_after"])


class ExpertIterationMethod:
    """An apprentice that guides a search learns from it."""

    name = "expert-iteration"
    summary = "a policy over patterns, which grow one by one, guides the search that it learns from"
    unit = UNIT
    starts_from: StartKind | None = "features"
    tables: Mapping[str, Sequence[str]] = {EXPERT_FILE: EXPERT}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> ExpertConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(ExpertConfig, name_or_path, changes)

    def parse_config(self, value: object) -> ExpertConfig:
        """Return the configuration in a config.json."""
        return parse_settings(ExpertConfig, value)

    def check_game(self, settings: ExpertConfig, game: PreparedGame) -> None:
        """Raise ConfigError where values are to be learned first, and their shapes do not fit the game.

        Without a board, moves alone are features.
        """
        if settings.expert.value_steps:
            layout_for(game.machine(), settings.values.shape)

    def check_start(self, settings: ExpertConfig, game: PreparedGame, start: Knowledge) -> None:
        """Raise ConfigError where values are to learn on, and the network of the settings has no place for them.

        All features of the game are accepted.
        """
        if start.values is not None and settings.expert.values_learn_on:
            weights_from(game, settings.values.shape, start.values)

    def begin(self, settings: ExpertConfig, maker: KnowledgeMaker) -> ExpertIterationLearner:
        """Return a learner before its first game."""
        return ExpertIterationLearner(settings, maker)

    def resume(
        self,
        settings: ExpertConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> ExpertIterationLearner:
        """Return a learner between two steps."""
        return ExpertIterationLearner(settings, maker, unpack_state(packed, knowledge))

    def read_history(self, folder: Path) -> ExpertHistory:
        """Read a run as far as it has come."""
        return ExpertHistory(read_run_files(folder, self.tables), "expert", EXPERT_FILE)

    def described(self, history: ExpertHistory) -> str:
        """Return the number of games that are played together in words."""
        return f"{history.settings['expert']['games_at_once']} games at once"

    def draw_plots(self, history: ExpertHistory) -> None:
        """Draw nothing; the curves are in the report and on the terminal."""

    def report_parts(self, history: ExpertHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        learned = f"The champion learned what its own searches prefer from {history.games} games against itself"
        return curve_report(history, learned, knowledge, machine)

    def terminal_tables(self, history: ExpertHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve, step by step: against bare UCT, the best before and random moves."""
        return [curve_table(history, width)]


EXPERT_ITERATION = ExpertIterationMethod()
