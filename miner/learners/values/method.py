"""Learning of values as a learning method."""

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
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.settings import parse_settings, read_settings
from gdl_miner.miner.learners.values.config import ValuesConfig
from gdl_miner.miner.learners.values.learner import ValueTrainingLearner
from gdl_miner.miner.learners.values.state import unpack_state
from gdl_miner.miner.learners.values.tables import TRAINING, TRAINING_FILE
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.history import read_run_files
from gdl_miner.miner.results.report import ReportParts
from gdl_miner.miner.training import weights_from

__all__ = ["VALUES", "ValuesMethod"]


class ValuesMethod:
    """Temporal differences over self-play."""

    name = "values"
    summary = "temporal differences over games against itself, which tell what states are worth"
    unit = UNIT
    starts_from: StartKind | None = "values"
    tables: Mapping[str, Sequence[str]] = {TRAINING_FILE: TRAINING}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> ValuesConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(ValuesConfig, name_or_path, changes)

    def parse_config(self, value: object) -> ValuesConfig:
        """Return the configuration in a config.json."""
        return parse_settings(ValuesConfig, value)

    def check_game(self, settings: ValuesConfig, game: PreparedGame) -> None:
        """Raise ConfigError where the shapes do not fit the game."""
        layout_for(game.machine(), settings.values.shape)

    def check_start(self, settings: ValuesConfig, game: PreparedGame, start: Knowledge) -> None:
        """Raise ConfigError where the network of the settings has no place for the values."""
        assert start.values is not None
        weights_from(game, settings.values.shape, start.values)

    def begin(self, settings: ValuesConfig, maker: KnowledgeMaker) -> ValueTrainingLearner:
        """Return a learner before its first training game."""
        return ValueTrainingLearner(settings, maker)

    def resume(
        self,
        settings: ValuesConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> ValueTrainingLearner:
        """Return a learner between two steps."""
        return ValueTrainingLearner(settings, maker, unpack_state(packed, knowledge))

    def read_history(self, folder: Path) -> CurveHistory:
        """Read a run as far as it has come."""
        return CurveHistory(read_run_files(folder, self.tables), "values", TRAINING_FILE)

    def described(self, history: CurveHistory) -> str:
        """Return the training games of a step in words, and what trials have found out about the values."""
        said = f"{history.settings['values']['games']} games a step"
        if len(history.settings["discount"]["factors"]) > 1 and not history.curve.empty:
            said += f", a discount of {history.curve['discount'].iloc[-1]}"
        return f"{said}{history.use_in_long_searches}"

    def draw_plots(self, history: CurveHistory) -> None:
        """Draw nothing; the curves are in the report and on the terminal."""

    def report_parts(self, history: CurveHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        learned = f"The champion learned what states are worth from {history.games} games against itself"
        return curve_report(history, learned, knowledge, machine)

    def terminal_tables(self, history: CurveHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve, step by step: against bare UCT, the best before and random moves."""
        return [curve_table(history, width)]


VALUES = ValuesMethod()
