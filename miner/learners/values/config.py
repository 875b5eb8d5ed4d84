"""The configuration of learning values."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from agent.knowledge import Parameters
from agent.limits import MAX_COUNT, MAX_FACTOR
from agent.values import read_shape
from miner.learners.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings
from miner.training import RoundSettings, ValueShape

__all__ = ["ValuesConfig", "ValuesSettings"]


class ValuesSettings(Settings):
    """The training games, the network and the matches that measure it."""

    steps: int = Field(ge=1, le=999)
    games: int = Field(ge=1, le=MAX_COUNT)
    shards: int = Field(ge=1, le=64)
    shapes: Literal["auto"] | list[str]
    stages: list[int]
    symmetries: bool
    exploration: float = Field(ge=0, le=1)
    opening: int = Field(ge=0, le=999)
    move_limit: int = Field(ge=1, le=MAX_COUNT)
    step_size: float = Field(gt=0, le=MAX_FACTOR)
    trace: float = Field(ge=0, le=1)
    matches: int = Field(ge=2, le=MAX_COUNT)
    random_matches: int = Field(ge=0, le=MAX_COUNT)
    patience: int = Field(ge=1, le=999)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)
    uct_c: float = Field(ge=0, le=100)
    value_weight: float = Field(ge=0, le=1)
    experience: int = Field(ge=0, le=MAX_COUNT)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for each in () if self.shapes == "auto" else self.shapes:
            read_shape(each)
        if any(number < 1 for number in self.stages) or self.stages != sorted(set(self.stages)):
            raise ValueError(f"stages are {self.stages}; give numbers of pieces from 1, in ascending order")
        self.parameters()
        return self

    def parameters(self) -> Parameters:
        """Return the parameters of the player."""
        return Parameters(uct_c=self.uct_c, value_weight=self.value_weight, experience=self.experience, solver=True)

    @property
    def shape(self) -> ValueShape:
        """The facts and tuples that the network looks at."""
        shapes = None if self.shapes == "auto" else tuple(self.shapes)
        return ValueShape(shapes, tuple(self.stages), self.symmetries)

    def round(self, seed: int) -> RoundSettings:
        """Return the settings of one shard of a step."""
        return RoundSettings(
            games=-(-self.games // self.shards),
            seed=seed,
            exploration=self.exploration,
            opening=self.opening,
            move_limit=self.move_limit,
            step=self.step_size,
            trace=self.trace,
        )


class ValuesConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    seed: int = Field(ge=0)
    values: ValuesSettings
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings
