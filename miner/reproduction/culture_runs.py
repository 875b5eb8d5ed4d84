"""The runs of `miner learn --with culture` that Sharma's tables need, each made once and then kept."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from agent.knowledge import Knowledge, read_knowledge
from agent.reasoner.machine import Machine
from miner.commands.evolve import learn
from miner.commands.resume import resume
from miner.commands.workplace import ExecutorKind
from miner.reproduction.sharma import CultureStage, SharmaGame

__all__ = ["WAYS", "CultureRuns", "Way"]

_ALONE_OPPONENTS = 20  # games of the only player of a role in a forage: 99 forages make about Sharma's 2 000 games


@dataclass(frozen=True)
class Way:
    """A way to learn: a shipped configuration, and whether tuples of cells have weights beside facts."""

    name: str
    config: str
    tuples: bool


WAYS = (Way("facts", "culture-seed", tuples=False), Way("tuples", "culture", tuples=True))


@dataclass(frozen=True)
class CultureRuns:
    """The runs in a folder."""

    out: Path
    seed: int
    scale: float  # steps of every run as a share of those of its configuration
    executor: ExecutorKind
    progress: Callable[[str], None]

    def knowledge(self, game: SharmaGame, stage: CultureStage, way: Way, machine: Machine) -> Knowledge:
        """Return what a run has learned; the run is made, or completed, or taken as it is."""
        folder = self.out / f"{game.name}-{stage.name}-{way.name}"
        with redirect_stdout(sys.stderr):
            self._complete(folder, game, stage, way)
        return read_knowledge(folder / "best.xml", machine.sheet)

    def _complete(self, folder: Path, game: SharmaGame, stage: CultureStage, way: Way) -> None:
        if (folder / "config.json").exists():
            self.progress(f"{game.name}: taking the run in {folder}")
            resume(folder, executor=self.executor)
        else:
            self.out.mkdir(parents=True, exist_ok=True)
            config = self.out / f"{folder.name}.toml"
            config.write_text(_as_toml(self._settings(game, stage, way)), "utf-8")
            learn(game.name, "culture", config=str(config), seed=self.seed, out=folder, executor=self.executor)

    def _settings(self, game: SharmaGame, stage: CultureStage, way: Way) -> dict[str, Any]:
        """Return the settings of [culture] in which a run differs from the default configuration."""
        text = (files("configs") / f"{way.config}.toml").read_text("utf-8")
        settings: dict[str, Any] = {**tomllib.loads(text)["culture"], **stage.parts, "validation_matches": 0}
        if way.tuples:
            settings |= {"shapes": list(game.shapes), "levels": game.levels, "opponents": game.opponents}
        elif stage.alone:
            settings |= {"individuals": 1, "opponents": _ALONE_OPPONENTS, "opponent_exploration": 1.0}
        settings["steps"] = max(1, round(self.scale * settings["steps"]))
        return settings


def _as_toml(settings: dict[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    return "\n".join(["[culture]", *lines, ""])
