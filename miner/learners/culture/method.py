"""Cultural coevolution as a learning method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.culture.learner import CultureLearner
from gdl_miner.miner.learners.culture.state import unpack_state
from gdl_miner.miner.learners.culture.tables import CULTURE, CULTURE_FILE
from gdl_miner.miner.learners.curve.history import CurveHistory
from gdl_miner.miner.learners.curve.report import curve_report, curve_table
from gdl_miner.miner.learners.curve.tables import UNIT
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.settings import parse_settings, read_settings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.history import read_run_files
from gdl_miner.miner.results.report import ReportParts

__all__ = ["CULTURE_LEARNING", "CultureMethod"]


class CultureMethod:
    """Species of players that learn values, mate, lay pheromone and share beliefs."""

    name = "culture"
    summary = "species of players, one for each role, that learn values, mate, lay pheromone and share beliefs"
    unit = UNIT
    starts_from: StartKind | None = None
    tables: Mapping[str, Sequence[str]] = {CULTURE_FILE: CULTURE}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> CultureConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(CultureConfig, name_or_path, changes)

    def parse_config(self, value: object) -> CultureConfig:
        """Return the configuration in a config.json."""
        return parse_settings(CultureConfig, value)

    def check_game(self, settings: CultureConfig, game: PreparedGame) -> None:
        """Raise ConfigError where the shapes do not fit the game."""
        layout_for(game.machine(), settings.culture.shape)

    def check_start(self, settings: CultureConfig, game: PreparedGame, start: Knowledge) -> None:
        """Do nothing; the players of a species all begin without knowledge, so no run has a start."""

    def begin(self, settings: CultureConfig, maker: KnowledgeMaker) -> CultureLearner:
        """Return a learner whose players know nothing."""
        return CultureLearner(settings, maker)

    def resume(
        self,
        settings: CultureConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> CultureLearner:
        """Return a learner between two steps."""
        return CultureLearner(settings, maker, unpack_state(packed, knowledge))

    def read_history(self, folder: Path) -> CurveHistory:
        """Read a run as far as it has come."""
        return CurveHistory(read_run_files(folder, self.tables), "culture", CULTURE_FILE)

    def described(self, history: CurveHistory) -> str:
        """Return the number of players of a species in words."""
        return f"{history.settings['culture']['individuals']} individuals of each role"

    def draw_plots(self, history: CurveHistory) -> None:
        """Draw nothing; the curves are in the report and on the terminal."""

    def report_parts(self, history: CurveHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        learned = f"The champion learned what states are worth from {history.games} games between the species"
        return curve_report(history, learned, knowledge, machine)

    def terminal_tables(self, history: CurveHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve, step by step: against bare UCT, the best before and random moves."""
        return [curve_table(history, width)]


CULTURE_LEARNING = CultureMethod()
