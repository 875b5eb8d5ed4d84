"""Learning features from the ends of games as a learning method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.gifl import study_shard
from gdl_miner.miner.learners.curve.history import CurveHistory
from gdl_miner.miner.learners.curve.report import curve_report, curve_table
from gdl_miner.miner.learners.curve.tables import UNIT
from gdl_miner.miner.learners.gifl.config import GiflConfig
from gdl_miner.miner.learners.gifl.learner import GiflLearner
from gdl_miner.miner.learners.gifl.state import unpack_state
from gdl_miner.miner.learners.gifl.tables import GIFL, GIFL_FILE, SHOWN
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.settings import parse_settings, read_settings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.history import read_run_files
from gdl_miner.miner.results.report import ReportParts

__all__ = ["GIFL_LEARNING", "GiflMethod"]


class GiflMethod:
    """Facts and moves that lead to the ends of random games."""

    name = "gifl"
    summary = "conjunctions of facts and a move that lead on to the ends of random games, or away from them"
    unit = UNIT
    starts_from: StartKind | None = None
    tables: Mapping[str, Sequence[str]] = {GIFL_FILE: GIFL}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> GiflConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(GiflConfig, name_or_path, changes)

    def parse_config(self, value: object) -> GiflConfig:
        """Return the configuration in a config.json."""
        return parse_settings(GiflConfig, value)

    def check_game(self, settings: GiflConfig, game: PreparedGame) -> None:
        """Raise ConfigError where the game is not one of two roles that take turns."""
        study_shard(game, settings.learning())

    def check_start(self, settings: GiflConfig, game: PreparedGame, start: Knowledge) -> None:
        """Do nothing; features are learned from random games alone, so no run has a start."""

    def begin(self, settings: GiflConfig, maker: KnowledgeMaker) -> GiflLearner:
        """Return a learner before its first game."""
        return GiflLearner(settings, maker)

    def resume(
        self,
        settings: GiflConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> GiflLearner:
        """Return a learner between two steps."""
        return GiflLearner(settings, maker, unpack_state(packed, knowledge))

    def read_history(self, folder: Path) -> CurveHistory:
        """Read a run as far as it has come."""
        return CurveHistory(read_run_files(folder, self.tables), "gifl", GIFL_FILE)

    def described(self, history: CurveHistory) -> str:
        """Return the number of games of a step in words."""
        return f"{history.settings['gifl']['games']} games a step"

    def draw_plots(self, history: CurveHistory) -> None:
        """Draw nothing; the chart is in the report and on the terminal."""

    def report_parts(self, history: CurveHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        learned = f"The champion learned features from the ends of {history.games} random games"
        return curve_report(history, learned, knowledge, machine, own=SHOWN)

    def terminal_tables(self, history: CurveHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve, step by step, with the features of each side."""
        return [curve_table(history, width, own=[name for name in SHOWN if history.curve[name].any()])]


GIFL_LEARNING = GiflMethod()
