"""Evolution as a learning method."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameters import PARAMETERS
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.evolution.config import TRUST, EvolutionConfig, read_config
from gdl_miner.miner.learners.evolution.history import EvolutionHistory, read_history
from gdl_miner.miner.learners.evolution.inspection import terminal_tables
from gdl_miner.miner.learners.evolution.loop import Evolution
from gdl_miner.miner.learners.evolution.report import report_parts
from gdl_miner.miner.learners.evolution.state import unpack_state
from gdl_miner.miner.learners.evolution.tables import (
    GENERATIONS,
    GENERATIONS_FILE,
    INDIVIDUALS,
    INDIVIDUALS_FILE,
    UNIT,
    individual_columns,
)
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.requests import START, Entrant
from gdl_miner.miner.learners.settings import parse_settings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.report import ReportParts

__all__ = ["EVOLUTION", "EvolutionMethod"]


class EvolutionMethod:
    """Evolution of feature lists, weights and search parameters, as in the thesis."""

    name = "evolution"
    summary = "a genetic algorithm over mined features, their weights and the parameters of the search"
    unit = UNIT
    starts_from: StartKind | None = "values or candidates"
    tables: Mapping[str, Sequence[str]] = {GENERATIONS_FILE: GENERATIONS, INDIVIDUALS_FILE: INDIVIDUALS}

    def tables_of(self, settings: EvolutionConfig) -> Mapping[str, Sequence[str]]:
        """Return the tables with the columns of the optional genes that the settings name."""
        return {**self.tables, INDIVIDUALS_FILE: individual_columns(settings.gene_names)}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> EvolutionConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_config(name_or_path, changes)

    def parse_config(self, value: object) -> EvolutionConfig:
        """Return the configuration in a config.json."""
        return parse_settings(EvolutionConfig, value)

    def check_game(self, settings: EvolutionConfig, game: PreparedGame) -> None:
        """Raise ConfigError where values are to be learned first, and their shapes do not fit the game."""
        if settings.evolution.value_steps:
            layout_for(game.machine(), settings.values.shape)

    def check_start(self, settings: EvolutionConfig, game: PreparedGame, start: Knowledge) -> None:
        """Raise ConfigError where the start has an optional parameter whose gene the settings do not name.

        The parameter may also be the default of files or that of individuals; all individuals have the latter. All
        values are accepted, because every individual has them as they are, with the limit of trust in them. Of a start
        without values the features alone are taken.
        """
        if start.values is None:
            return
        taken = {*settings.gene_names, TRUST}
        for row in PARAMETERS:
            value = getattr(start.parameters, row.name)
            if row.optional and row.name not in taken and value not in (row.default, row.evolved):
                example = f"{row.name} = {json.dumps([row.evolved, value])}"
                raise ConfigError(
                    f"--start: the player has {row.name} {value}, but this evolution has no such gene; name {row.name} "
                    f"under [genes] of the configuration, as in {example}, or take the parameter out of the file"
                )

    def begin(self, settings: EvolutionConfig, maker: KnowledgeMaker) -> Evolution:
        """Return an evolution before its first match."""
        return Evolution(settings, maker)

    def resume(
        self,
        settings: EvolutionConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> Evolution:
        """Return an evolution between two generations."""

        def features(generation: int, name: str) -> Any:
            known = knowledge(generation, name)
            return known.winning, known.losing

        start = maker.valued_start
        if start is None and packed.get("value_steps") and packed.get("use") != "none":
            start = knowledge(0, START)
        entrant = None if start is None else Entrant(START, start)
        return Evolution(settings, maker, unpack_state(packed, features, entrant))

    def read_history(self, folder: Path) -> EvolutionHistory:
        """Read an evolution as far as it has come."""
        return read_history(folder)

    def described(self, history: EvolutionHistory) -> str:
        """Return the size of the population and the origin of its values in words."""
        return f"{history.settings['evolution']['population']} individuals {history.values}".rstrip()

    def draw_plots(self, history: EvolutionHistory) -> None:
        """Draw fitness.png and features.png."""
        from gdl_miner.miner.learners.evolution.plots import draw_plots  # imported on first use: Matplotlib takes long

        draw_plots(history)

    def report_parts(self, history: EvolutionHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the sections on fitness, the last tournament, features, parameters and generations."""
        return report_parts(history, knowledge, machine)

    def terminal_tables(self, history: EvolutionHistory, width: int) -> Sequence[RenderableType]:
        """Return tables of fitness, feature classes and parameters over generations."""
        return terminal_tables(history, width)


EVOLUTION = EvolutionMethod()
