"""An evolution as it can be read from its run's folder at any moment, finished or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from miner.learners.evolution.tables import GENERATIONS, GENERATIONS_FILE, INDIVIDUALS, INDIVIDUALS_FILE, UNIT
from miner.play.pairing import match_score
from miner.play.rating import Score
from miner.results.history import RunFiles, RunHistory, StepProgress, read_run_files

__all__ = ["EvolutionHistory", "FitnessCurve", "fitness_curves", "read_history"]


class EvolutionHistory(RunHistory):
    """What an evolution has left so far."""

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
        """Generations that the configuration asks for."""
        return int(self.settings["evolution"]["generations"])

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
    """How the fitness of an individual settled while a tournament went on (thesis figure 6.1)."""

    name: str
    matches: tuple[int, ...]  # [pair] matches played so far
    win_percent: tuple[float, ...]  # [pair] of all of them
    round_ends: tuple[int, ...]  # [round] matches played when it ended


def read_history(folder: Path) -> EvolutionHistory:
    """Reads the folder of an evolution, whether it is going on, interrupted or complete; changes nothing there.

    Raises ConfigError where it holds no run, one of another format, or damaged tables.
    """
    return EvolutionHistory(read_run_files(folder, {GENERATIONS_FILE: GENERATIONS, INDIVIDUALS_FILE: INDIVIDUALS}))


def fitness_curves(history: EvolutionHistory, generation: int) -> tuple[FitnessCurve, ...]:
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
