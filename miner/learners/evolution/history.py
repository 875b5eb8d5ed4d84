"""The history of an evolution, read from its run's folder. The evolution need not be finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl_miner.miner.learners.evolution.config import use_of
from gdl_miner.miner.learners.evolution.tables import GENERATIONS, GENERATIONS_FILE, INDIVIDUALS, INDIVIDUALS_FILE, UNIT
from gdl_miner.miner.learners.requests import ValuesTried
from gdl_miner.miner.play.pairing import match_score
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.wording import count_playouts
from gdl_miner.miner.results.history import RunFiles, RunHistory, StepProgress, read_run_files
from gdl_miner.miner.results.store import LONG_TRIAL

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvolutionHistory", "FitnessCurve", "fitness_curves", "read_history"]


class EvolutionHistory(RunHistory):
    """An evolution as far as it has come."""

    def __init__(self, files: RunFiles) -> None:
        super().__init__(files)
        generations = files.tables[GENERATIONS_FILE]
        # One row per finished generation with individuals.
        self.generations: pd.DataFrame = generations.dropna(subset=["best"]).reset_index(drop=True)
        self.individuals = files.tables[INDIVIDUALS_FILE]

    @property
    def unit(self) -> str:
        """A step is a generation."""
        return UNIT

    @property
    def best(self) -> pd.DataFrame:
        """The first individual of every finished generation."""
        return self.individuals[self.individuals["rank"] == 1].sort_values("generation")

    @property
    def planned(self) -> int:
        """The number of generations that the configuration asks for."""
        return int(self.settings["evolution"]["generations"])

    @property
    def values(self) -> str:
        """The origin of the values of states that all individuals have, in words; empty where they have none."""
        start, steps = self.content.get("start"), self.settings["evolution"].get("value_steps", 0)
        if start is not None and start.get("values", True):
            return f"with values of states from {Path(start['given']).name}"
        games = f"{steps * self.settings['values']['games']} games"
        values = f"with values of states from {games}" if steps else ""
        found = self.value_trial or {}
        trials = [trial for name, trial in found.items() if name != LONG_TRIAL]
        if not trials:
            return values
        use = use_of([self._tried(trial) for trial in trials])
        deep = count_playouts(trials[0]["baseline_playouts"])
        if use == "mixed":
            return f"{values}, mixed with playouts: in searches of {deep} this is better than values alone"
        if use == "none":
            return f"without values of states: those from {games} lose in searches of {deep}"
        return f"{values}{self.use_in_long_searches}"

    def _tried(self, trial: Any) -> ValuesTried:
        try:
            return ValuesTried(trial["verdict"], trial["win_percent"] / 100)
        except (KeyError, TypeError, ValueError):
            raise self.damaged_trial() from None

    @property
    def validates(self) -> bool:
        """Whether the configuration asks for a validation of the champion."""
        return bool(self.settings["tournament"]["validation_matches"])

    @property
    def step_table(self) -> pd.DataFrame:
        """The finished generations."""
        return self.generations

    @cached_property
    def progress(self) -> Sequence[StepProgress]:
        """The best of every finished generation."""
        return tuple(
            StepProgress(
                int(row["generation"]),
                str(row["best"]),
                int(row["best_matches"]),
                float(row["best_win_percent"]),
                (float(row["best_ci95_low"]), float(row["best_ci95_high"])),
                float(row["best_elo"]),
                float(row["best_elo_se"]),
                int(row["best_features"]),
            )
            for _, row in self.generations.iterrows()
        )


@dataclass(frozen=True)
class FitnessCurve:
    """The fitness of an individual in the course of a tournament (thesis figure 6.1)."""

    name: str
    matches: tuple[int, ...]  # [pair] matches played so far
    win_percent: tuple[float, ...]  # [pair] win percentage in all of these matches
    round_ends: tuple[int, ...]  # [round] matches played when the round ended


def read_history(folder: Path) -> EvolutionHistory:
    """Read the folder of an evolution and change nothing there; the run may be going on, interrupted or complete.

    Raises ConfigError where the folder holds no run, a run of another format, or damaged tables.
    """
    return EvolutionHistory(read_run_files(folder, {GENERATIONS_FILE: GENERATIONS, INDIVIDUALS_FILE: INDIVIDUALS}))


def fitness_curves(history: EvolutionHistory, generation: int) -> tuple[FitnessCurve, ...]:
    """Return a curve for each individual of a generation, first the curves with the most matches."""
    matches = history.matches
    rows = matches[(matches["generation"] == generation) & (matches["phase"] == "tournament")]
    scores: dict[str, list[tuple[int, Score]]] = {}  # individual: round and score, pair by pair
    for _, pair in rows.groupby(rows["id"].str.rpartition("-s")[0], sort=False):
        name, score = _pair_score(pair)
        scores.setdefault(name, []).append((int(pair["round"].iloc[0]), score))
    curves = [_curve(name, played) for name, played in scores.items()]
    return tuple(sorted(curves, key=lambda curve: (-curve.matches[-1], -curve.win_percent[-1], curve.name)))


def _pair_score(pair: pd.DataFrame) -> tuple[str, Score]:
    """Return the individual of a pair and its score.

    In games of one role the individual and the baseline both play alone, and their goals are compared.
    """
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
