"""A run as it can be read from its folder at any moment: settings, tables and champion, finished or not."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from agent.errors import ConfigError
from miner.play.pairing import match_score
from miner.play.rating import Score
from miner.results.store import RunStore
from miner.results.tables import GENERATIONS, INDIVIDUALS, MATCHES, TIMINGS

__all__ = ["FitnessCurve", "RunHistory", "count_matches", "count_playouts", "fitness_curves", "read_history"]


@dataclass(frozen=True)
class RunHistory:
    """What a run has left so far."""

    folder: Path
    content: dict[str, Any]  # config.json
    environment: dict[str, Any]  # env.json
    generations: pd.DataFrame  # one row per finished generation with individuals
    individuals: pd.DataFrame
    matches: pd.DataFrame
    timings: pd.DataFrame
    champion: dict[str, Any] | None  # champion.json

    @property
    def settings(self) -> dict[str, Any]:
        """The run's configuration."""
        settings: dict[str, Any] = self.content["config"]
        return settings

    @property
    def best(self) -> pd.DataFrame:
        """The first individual of every finished generation."""
        return self.individuals[self.individuals["rank"] == 1].sort_values("generation")

    @property
    def planned(self) -> int:
        """Generations that the configuration asks for."""
        return int(self.settings["evolution"]["generations"])

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        validated = self.champion is not None or self.settings["tournament"]["validation_matches"] == 0
        return validated and len(self.generations) == self.planned


@dataclass(frozen=True)
class FitnessCurve:
    """How the fitness of an individual settled while a tournament went on (thesis figure 6.1)."""

    name: str
    matches: tuple[int, ...]  # [pair] matches played so far
    win_percent: tuple[float, ...]  # [pair] of all of them
    round_ends: tuple[int, ...]  # [round] matches played when it ended


def read_history(folder: Path) -> RunHistory:
    """Reads a run's folder, whether the run is going on, interrupted or complete; changes nothing there.

    Raises ConfigError where it holds no run, one of another format, or damaged tables.
    """
    _, content = RunStore.open(folder)
    champion = folder / "champion.json"
    generations = _table(folder / "generations.csv", GENERATIONS)
    return RunHistory(
        folder,
        content,
        _json(folder / "env.json"),
        generations.dropna(subset=["best"]).reset_index(drop=True),
        _table(folder / "individuals.csv", INDIVIDUALS),
        _table(folder / "matches.csv", MATCHES),
        _table(folder / "timings.csv", TIMINGS),
        _json(champion) if champion.exists() else None,
    )


def count_playouts(playouts: int) -> str:
    """`1 playout`, `30 playouts`."""
    return f"{playouts} playout{'s'[: playouts != 1]}"


def count_matches(matches: int, draws: int) -> str:
    """`100 matches`, `100 matches, 12 drawn`."""
    return f"{matches} match{'es'[: 2 * (matches != 1)]}" + (f", {draws} drawn" if draws else "")


def fitness_curves(history: RunHistory, generation: int) -> tuple[FitnessCurve, ...]:
    """A curve per individual of a generation, those that played longest first."""
    matches = history.matches
    rows = matches[(matches["generation"] == generation) & (matches["phase"] == "tournament")]
    scores: dict[str, list[tuple[int, Score]]] = {}  # individual: round and score, pair by pair
    for _, pair in rows.groupby(rows["id"].str.rpartition("-s")[0], sort=False):
        name, score = _pair_score(pair)
        scores.setdefault(name, []).append((int(pair["round"].iloc[0]), score))
    curves = [_curve(name, played) for name, played in scores.items()]
    return tuple(sorted(curves, key=lambda curve: (-curve.matches[-1], -curve.win_percent[-1], curve.name)))


def _pair_score(pair: pd.DataFrame) -> tuple[str, Score]:
    """The individual of a pair and its score; in games of one role both play alone and the goals are compared."""
    seats = [str(players).split() for players in pair["players"]]
    goals = [[int(goal) for goal in str(text).split()] for text in pair["goals"]]
    name = next(player for players in seats for player in players if player != "baseline")
    if len(seats[0]) == 1:
        return name, match_score([goals[seats.index([name])][0], goals[seats.index(["baseline"])][0]], 0)
    scores = (match_score(goal, players.index(name)) for players, goal in zip(seats, goals, strict=True))
    return name, sum(scores, start=Score())


def _curve(name: str, played: Sequence[tuple[int, Score]]) -> FitnessCurve:
    total = Score()
    matches: list[int] = []
    percents: list[float] = []
    ends: dict[int, int] = {}
    for number, score in played:
        total += score
        matches.append(total.matches)
        percents.append(total.win_percent)
        ends[number] = total.matches
    return FitnessCurve(name, tuple(matches), tuple(percents), tuple(ends.values()))


def _table(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """A table's finished lines; an empty table where there is none yet."""
    try:
        content = path.read_bytes() if path.exists() else b""
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


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: the file is missing; restore it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}; restore the file") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: an object is expected; restore the file")
    return value
