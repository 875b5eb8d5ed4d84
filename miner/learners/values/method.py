"""Learning of values as a learning method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType
from rich.table import Table

from agent.knowledge import Knowledge
from agent.reasoner.machine import Machine
from miner.learners.learner import KnowledgeMaker
from miner.learners.settings import parse_settings, read_settings
from miner.learners.values.config import ValuesConfig
from miner.learners.values.history import ValuesHistory
from miner.learners.values.learner import ValueTrainingLearner
from miner.learners.values.report import report_parts
from miner.learners.values.state import unpack_state
from miner.learners.values.tables import TRAINING, TRAINING_FILE, UNIT
from miner.play.prepared_game import PreparedGame
from miner.results.history import read_run_files
from miner.results.report import ReportParts
from miner.results.terminal_plots import whisker
from miner.training import layout_for, weights_from

__all__ = ["VALUES", "ValuesMethod"]

_COLUMNS = 66  # characters of the table of the learning curve beside its plot
_LEAST_PLOT, _WIDEST_PLOT = 12, 48


class ValuesMethod:
    """Temporal differences over self-play."""

    name = "values"
    summary = "temporal differences over games against itself, which tell what states are worth"
    unit = UNIT
    tables: Mapping[str, Sequence[str]] = {TRAINING_FILE: TRAINING}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> ValuesConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(ValuesConfig, name_or_path, changes)

    def parse_config(self, value: object) -> ValuesConfig:
        """Return the configuration in a config.json."""
        return parse_settings(ValuesConfig, value)

    def check_game(self, settings: ValuesConfig, game: PreparedGame) -> None:
        """Raise ConfigError where the shapes do not fit the game."""
        layout_for(game, settings.values.shape)

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

    def read_history(self, folder: Path) -> ValuesHistory:
        """Read a run as far as it has come."""
        return ValuesHistory(read_run_files(folder, self.tables))

    def described(self, history: ValuesHistory) -> str:
        """Return the number of training games of a step in words."""
        return f"{history.settings['values']['games']} games a step"

    def draw_plots(self, history: ValuesHistory) -> None:
        """Draw nothing; the curves are in the report and on the terminal."""

    def report_parts(self, history: ValuesHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        return report_parts(history, knowledge, machine)

    def terminal_tables(self, history: ValuesHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve, step by step: against bare UCT, the best before and random moves."""
        table = Table(
            box=None,
            padding=(0, 1),
            title="Learning curve against bare UCT, the best before (past) and random moves",
            title_justify="left",
            title_style="bold",
        )
        for heading in ("step", "games", "error", "win %", "95 %", "past %", "random %", "weights"):
            table.add_column(heading, justify="right", no_wrap=True)
        room = max(_LEAST_PLOT, min(_WIDEST_PLOT, width - _COLUMNS))
        table.add_column(f"0 %{'100 %':>{room - 3}}", no_wrap=True, style="cyan")
        for _, row in history.training.iterrows():
            score = (float(row["win_percent"]), float(row["ci95_low"]), float(row["ci95_high"]))
            past, random = (row[f"{name}_win_percent"] for name in ("past", "random"))
            table.add_row(
                str(int(row["step"])),
                str(int(row["games"])),
                f"{row['rms_error']:.3f}",
                f"{score[0]:.1f}",
                f"{score[1]:.0f}–{score[2]:.0f}",
                "" if pd.isna(past) else f"{past:.1f}",
                "" if pd.isna(random) else f"{random:.1f}",
                str(int(row["weights"])),
                whisker(*score, (0.0, 100.0), room, 50.0),
            )
        return [table]


VALUES = ValuesMethod()
