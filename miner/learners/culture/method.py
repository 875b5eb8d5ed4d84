"""Cultural coevolution as a learning method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType
from rich.table import Table

from agent.errors import ConfigError
from agent.knowledge import Knowledge
from agent.reasoner.machine import Machine
from miner.learners.culture.config import CultureConfig
from miner.learners.culture.learner import CultureLearner
from miner.learners.culture.state import unpack_state
from miner.learners.culture.tables import CULTURE, CULTURE_FILE, UNIT
from miner.learners.learner import KnowledgeMaker
from miner.learners.settings import parse_settings, read_settings
from miner.play.prepared_game import PreparedGame
from miner.results.history import RunFiles, RunHistory, StepProgress, read_run_files
from miner.results.report import Card, ReportParts, champion_values, common_cards, common_sections, strength_card
from miner.results.terminal_plots import whisker
from miner.training import layout_for

__all__ = ["CULTURE_LEARNING", "CultureHistory", "CultureMethod"]

_COLUMNS = 56  # characters of the table of the learning curve beside its plot
_LEAST_PLOT, _WIDEST_PLOT = 12, 48


class CultureHistory(RunHistory):
    """A run as far as it has come."""

    def __init__(self, files: RunFiles) -> None:
        super().__init__(files)
        self.culture: pd.DataFrame = files.tables[CULTURE_FILE]

    @property
    def unit(self) -> str:
        """A step is a step."""
        return UNIT

    @property
    def planned(self) -> int:
        """The number of steps that the configuration asks for."""
        return int(self.settings["culture"]["steps"])

    @property
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the best."""
        return bool(self.settings["culture"]["validation_matches"])

    @property
    def step_table(self) -> pd.DataFrame:
        """The rows of the finished steps."""
        return self.culture

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
            for _, row in self.culture.iterrows()
        )


class CultureMethod:
    """Species of players that learn values, mate, lay pheromone and share beliefs."""

    name = "culture"
    summary = "species of players, one for each role, that learn values, mate, lay pheromone and share beliefs"
    unit = UNIT
    tables: Mapping[str, Sequence[str]] = {CULTURE_FILE: CULTURE}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> CultureConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(CultureConfig, name_or_path, changes)

    def parse_config(self, value: object) -> CultureConfig:
        """Return the configuration in a config.json."""
        return parse_settings(CultureConfig, value)

    def check_game(self, settings: CultureConfig, game: PreparedGame) -> None:
        """Raise ConfigError where the shapes do not fit the game."""
        layout_for(game, settings.culture.shape)

    def check_start(self, settings: CultureConfig, game: PreparedGame, start: Knowledge) -> None:
        """Raise ConfigError, because the players of a species all begin without knowledge."""
        raise ConfigError(f"--with {self.name}: its players begin without knowledge; leave --start out")

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

    def read_history(self, folder: Path) -> CultureHistory:
        """Read a run as far as it has come."""
        return CultureHistory(read_run_files(folder, self.tables))

    def described(self, history: CultureHistory) -> str:
        """Return the number of players of a species in words."""
        return f"{history.settings['culture']['individuals']} individuals of each role"

    def draw_plots(self, history: CultureHistory) -> None:
        """Draw nothing; the curves are in the report and on the terminal."""

    def report_parts(self, history: CultureHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts of the report."""
        last = history.culture.iloc[-1]
        cards = [
            strength_card(history),
            Card("weights", f"{int(last['weights'])}", f"{int(history.culture['games'].sum())} training games"),
            *common_cards(history),
        ]
        learned = f"{int(history.culture['games'].sum())} games between the species taught what states are worth"
        return ReportParts(learned, cards, [champion_values(knowledge, machine), *common_sections(history)])

    def terminal_tables(self, history: CultureHistory, width: int) -> Sequence[RenderableType]:
        """Return the learning curve: against bare UCT and against the best before, step by step."""
        table = Table(
            box=None,
            padding=(0, 1),
            title="Learning curve against bare UCT and against the best before (past)",
            title_justify="left",
            title_style="bold",
        )
        for heading in ("step", "games", "error", "win %", "95 %", "past %", "weights"):
            table.add_column(heading, justify="right", no_wrap=True)
        room = max(_LEAST_PLOT, min(_WIDEST_PLOT, width - _COLUMNS))
        table.add_column(f"0 %{'100 %':>{room - 3}}", no_wrap=True, style="cyan")
        for _, row in history.culture.iterrows():
            score = (float(row["win_percent"]), float(row["ci95_low"]), float(row["ci95_high"]))
            past = row["past_win_percent"]
            table.add_row(
                str(int(row["step"])),
                str(int(row["games"])),
                f"{row['rms_error']:.3f}",
                f"{score[0]:.1f}",
                f"{score[1]:.0f}–{score[2]:.0f}",
                "" if pd.isna(past) else f"{past:.1f}",
                str(int(row["weights"])),
                whisker(*score, (0.0, 100.0), room, 50.0),
            )
        return [table]


CULTURE_LEARNING = CultureMethod()
