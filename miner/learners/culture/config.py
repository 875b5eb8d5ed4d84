"""The configuration of cultural coevolution."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_SEED
from gdl_miner.agent.values import ValueShape
from gdl_miner.miner.learners.culture.forages import ForageSettings
from gdl_miner.miner.learners.values.settings import CurveSettings
from gdl_miner.miner.runs.settings import (
    ExecutionSettings,
    LongSearchSettings,
    MiningTable,
    RecordSettings,
    SearchSettings,
    Settings,
)


class CultureSettings(CurveSettings):
    """The species, their forages, each part of their culture, and the matches that measure them."""

    forages: int = Field(ge=1, le=999)
    individuals: int = Field(ge=1, le=999)
    opponents: int = Field(ge=1, le=MAX_COUNT)
    shards: int = Field(ge=1, le=64)
    levels: bool
    exploration: float = Field(ge=0, le=1)
    opponent_exploration: float = Field(ge=0, le=1)
    move_limit: int = Field(ge=1, le=MAX_COUNT)
    differences: bool
    rule: Literal["even", "coherent"]
    step_size: float = Field(gt=0, le=MAX_FACTOR)
    decay: float = Field(ge=0, lt=1)
    trace: float = Field(ge=0, le=1)
    coevolution: bool
    fittest: float = Field(gt=0, le=0.5)
    mutation: float = Field(ge=0, le=1)
    ants: bool
    pheromone_influence: float = Field(ge=0, le=10)
    desirability_influence: float = Field(ge=0, le=10)
    persistence: float = Field(ge=0, lt=1)
    beliefs: bool
    belief_states: int = Field(ge=1, le=MAX_COUNT)
    belief_eviction: float = Field(gt=0, le=1)
    scale_games: int = Field(ge=0, le=MAX_COUNT)

    @model_validator(mode="after")
    def _levels_are_stages(self) -> Self:
        if self.levels and self.stages:
            raise ValueError("levels make every number of pieces a stage; remove stages, or set levels = false")
        return self

    @property
    def shape(self) -> ValueShape:
        """The facts and tuples that the network looks at."""
        return ValueShape(self.tuple_shapes, tuple(self.stages), self.symmetries, self.levels, species=True)

    @property
    def fit(self) -> int:
        """The number of players of a species that mate and influence the beliefs."""
        return max(1, round(self.fittest * self.individuals))

    def forage(self, seed: int, forages: int) -> ForageSettings:
        """Return the settings of a forage that follows `forages` others."""
        games = forages * self.opponents + np.arange(self.opponents)
        step = self.step_size if self.differences else 0.0
        return ForageSettings(
            seed=seed,
            exploration=self.exploration,
            opponent_exploration=self.opponent_exploration,
            move_limit=self.move_limit,
            coherent=self.rule == "coherent",
            trace=self.trace,
            steps=np.asarray(step * (1 - self.decay) ** games, np.float64),
        )

    def scaling(self, seed: int, roles: int) -> ForageSettings | None:
        """Return the settings of the games that put the species on one scale, in which nobody learns; None: no games.

        There are as many clones of the fittest as players of a species, and these are the games of one for each role.
        """
        if not self.scale_games:
            return None
        games = -(-self.scale_games // (roles * self.individuals))
        return replace(self.forage(seed, 0), steps=np.zeros(games), opponent_exploration=self.exploration)


class CultureConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    defaults = ("default", "culture")
    seed: int = Field(ge=0, le=MAX_SEED)
    culture: CultureSettings
    search: SearchSettings
    long_searches: LongSearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""
        return self.culture.steps

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""
        return self.culture.validation_matches > 0
