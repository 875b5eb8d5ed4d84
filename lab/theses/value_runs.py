"""The runs of `miner learn` that Sharma's tables need, each made once and then kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.commands.workplace import ExecutorKind
from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.settings import read_sections
from gdl_miner.miner.learners.values.config import ValuesConfig
from lab.theses.kept_runs import keep_run
from lab.theses.sharma import CultureStage, SharmaGame

__all__ = ["WAYS", "ValueRuns", "Way"]

_ALONE_OPPONENTS = 20  # games of the only player of a role in a forage: 99 forages make about Sharma's 2 000 games


@dataclass(frozen=True)
class Way:
    """A way to learn: a shipped configuration, and whether tuples of cells have weights beside facts."""

    name: str
    config: str
    tuples: bool


WAYS = (Way("facts", "culture-seed", tuples=False), Way("tuples", "culture", tuples=True))


@dataclass(frozen=True)
class ValueRuns:
    """The runs in a folder."""

    out: Path
    seed: int
    scale: float  # steps of every run as a share of those of its configuration
    executor: ExecutorKind
    progress: Callable[[str], None]

    def culture(self, game: SharmaGame, stage: CultureStage, way: Way, machine: Machine) -> Knowledge:
        """Return what a run of `culture` has learned; the run is made, or completed, or taken as it is."""
        settings = self._culture_settings(game, stage, way)
        return self._learned(f"{game.name}-{stage.name}-{way.name}", "culture", settings, machine)

    def values(self, machine: Machine) -> Knowledge:
        """Return what a run of `values` with the default configuration has learned, as `culture` does."""
        steps = read_sections(ValuesConfig, "default")["values"]["steps"]
        settings = {"steps": self._scaled(steps), "validation_matches": 0}
        return self._learned(f"{machine.sheet.name}-values", "values", settings, machine)

    def _learned(self, name: str, method: str, settings: dict[str, Any], machine: Machine) -> Knowledge:
        folder = self.out / name
        sections = {method: settings}
        keep_run(folder, machine.sheet.name, method, sections, self.seed, self.executor, self.progress)
        return read_knowledge(folder / "best.xml", machine.sheet)

    def _culture_settings(self, game: SharmaGame, stage: CultureStage, way: Way) -> dict[str, Any]:
        """Return the settings of [culture] in which a run differs from the default configuration."""
        shipped = read_sections(CultureConfig, way.config)["culture"]
        settings: dict[str, Any] = {**shipped, **stage.parts, "validation_matches": 0}
        if way.tuples:
            settings |= {"shapes": list(game.shapes), "levels": game.levels, "opponents": game.opponents}
        elif stage.alone:
            settings |= {"individuals": 1, "opponents": _ALONE_OPPONENTS, "opponent_exploration": 1.0}
        settings["steps"] = self._scaled(settings["steps"])
        return settings

    def _scaled(self, steps: int) -> int:
        return max(1, round(self.scale * steps))
