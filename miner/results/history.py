"""The history of a run, read from its folder: settings, tables and champion. The run need not be finished."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.bounded import read_bounded
from gdl_miner.miner.play.wording import count_playouts
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.store import LONG_TRIAL, PRUNING, VALUE_TRIAL, RunStore
from gdl_miner.miner.results.tables import MATCHES, MATCHES_FILE, TIMINGS, TIMINGS_FILE

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunFiles", "RunHistory", "StepProgress", "read_run_files"]


@dataclass(frozen=True)
class RunFiles:
    """The content of a run's folder."""

    folder: Path
    content: dict[str, Any]  # config.json
    environment: dict[str, Any]  # env.json
    matches: pd.DataFrame
    timings: pd.DataFrame
    champion: dict[str, Any] | None  # champion.json; None where there is none yet
    pruning: dict[str, Any] | None  # pruning.json; None where nothing was pruned yet
    value_trial: dict[str, Any] | None  # value_trial.json; None where no values were tried
    tables: Mapping[str, pd.DataFrame]  # tables of the learning method, by file name


@dataclass(frozen=True)
class StepProgress:
    """The result of the best player of a finished step against bare UCT."""

    step: int
    name: str
    matches: int
    win_percent: float
    ci95: tuple[float, float]
    elo: float
    elo_se: float
    features: int  # number of features in all its lists


class RunHistory(ABC):
    """A run as far as it has come; each learning method has a subclass that adds its own data."""

    def __init__(self, files: RunFiles) -> None:
        self.folder = files.folder
        self.content = files.content
        self.environment = files.environment
        self.matches = files.matches
        self.timings = files.timings
        self.champion = files.champion
        self.pruning = files.pruning
        self.value_trial = files.value_trial
        self.tables = files.tables

    @property
    @abstractmethod
    def unit(self) -> str:
        """The name of a step, in the singular."""

    @property
    def settings(self) -> dict[str, Any]:
        """The run's configuration."""
        settings: dict[str, Any] = self.content["config"]
        return settings

    @property
    @abstractmethod
    def planned(self) -> int:
        """The number of steps that the configuration asks for."""

    @property
    @abstractmethod
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the champion."""

    @property
    @abstractmethod
    def step_table(self) -> pd.DataFrame:
        """A row for every finished step in which a player with knowledge played; the first column is the step."""

    @property
    @abstractmethod
    def progress(self) -> Sequence[StepProgress]:
        """The result of the best player in each step of `step_table`."""

    @property
    def use_in_long_searches(self) -> str:
        """The end of a sentence, which says where long searches mix values with playouts; empty where they do not.

        Raises ConfigError where the file of the trial is damaged.
        """
        try:
            trial = (self.value_trial or {}).get(LONG_TRIAL, {"trusted_playouts": 0})
            trusted = int(trial["trusted_playouts"])
        except (KeyError, TypeError, ValueError):
            raise self.damaged_trial() from None
        return f", mixed with playouts in searches of more than {count_playouts(trusted)}" if trusted else ""

    def damaged_trial(self) -> ConfigError:
        """Return the error about a damaged file of trials of values."""
        return ConfigError(
            f"{self.folder / VALUE_TRIAL}: the trial of values is damaged, or of another version; restore it, or "
            "read the run with the version that env.json names"
        )

    @property
    def helps(self) -> bool:
        """Whether the champion beat the baseline in fresh matches, as far as that is known."""
        # a run that does not say so kept its champion
        return self.champion is None or bool(self.champion.get("helps", True))

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return (self.champion is not None or not self.validates) and len(self.progress) == self.planned


def read_run_files(folder: Path, tables: Mapping[str, Sequence[str]]) -> RunFiles:
    """Read a run's folder and change nothing there; the run may be going on, interrupted or complete.

    `tables` maps the file names of the learning method's tables to their columns. Raises ConfigError where the folder
    holds no run, a run of another format, or damaged tables.
    """
    _, content = RunStore.open(folder)
    champion, pruning, trial = folder / "champion.json", folder / PRUNING, folder / VALUE_TRIAL
    environment = read_object(folder / "env.json", "restore it")
    own = {name: _table(folder / name, columns) for name, columns in tables.items()}
    return RunFiles(
        folder,
        content,
        environment,
        _table(folder / MATCHES_FILE, MATCHES),
        _table(folder / TIMINGS_FILE, TIMINGS),
        read_object(champion, "restore it") if champion.exists() else None,
        read_object(pruning, "restore it") if pruning.exists() else None,
        read_object(trial, "restore it") if trial.exists() else None,
        own,
    )


def _table(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read the finished lines of a table; the table is empty where its file does not exist yet."""
    import pandas as pd  # here, because it takes a second to load, and most commands read no tables

    try:
        content = read_bounded(path) if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        table = pd.read_csv(io.BytesIO(whole)) if whole else pd.DataFrame(columns=list(columns))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the table is damaged ({error}); restore it from a copy") from None
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ConfigError(
            f"{path}: the columns are those of another version (there is no {missing[0]}); read the run with the "
            "version that env.json names"
        )
    return table
