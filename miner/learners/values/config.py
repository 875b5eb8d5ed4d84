"""The configuration of learning values."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from agent.limits import MAX_COUNT, MAX_FACTOR
from agent.search.seeds import derive_seed
from agent.training import LearningRates, RoundSettings, ValueShape
from miner.learners.curve.settings import CurveSettings
from miner.learners.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings

__all__ = ["DiscountSettings", "ValuesConfig", "ValuesSettings"]


class ValuesSettings(CurveSettings):
    """The training games, the network and the matches that measure it."""

    games: int = Field(ge=1, le=MAX_COUNT)
    shards: int = Field(ge=1, le=64)
    exploration: float = Field(ge=0, le=1)
    opening: int = Field(ge=0, le=999)
    move_limit: int = Field(ge=1, le=MAX_COUNT)
    step_size: float = Field(gt=0, le=MAX_FACTOR)
    trace: float = Field(ge=0, le=1)
    patience: int = Field(ge=1, le=999)

    @property
    def shape(self) -> ValueShape:
        """The facts and tuples that the network looks at."""
        return ValueShape(self.tuple_shapes, tuple(self.stages), self.symmetries)

    @property
    def rates(self) -> LearningRates:
        """How far a game changes weights."""
        return LearningRates(self.step_size, self.trace)

    def rounds(self, seed: int, step: int, discount: float = 1.0) -> tuple[RoundSettings, ...]:
        """Return the settings of all shards of a step in a run with a seed."""
        seeds = (derive_seed(seed, "training", step, shard) for shard in range(self.shards))
        return tuple(self.round(each, discount) for each in seeds)

    def round(self, seed: int, discount: float = 1.0) -> RoundSettings:
        """Return the settings of one shard of a step."""
        return RoundSettings(
            games=-(-self.games // self.shards),
            seed=seed,
            exploration=self.exploration,
            opening=self.opening,
            move_limit=self.move_limit,
            step=self.step_size,
            trace=self.trace,
            discount=discount,
        )


class DiscountSettings(Settings):
    """The trial that chooses the discount of values."""

    factors: list[Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1, max_length=99)
    depth: float = Field(ge=1, le=MAX_FACTOR)
    matches: int = Field(ge=2, le=MAX_COUNT)

    @field_validator("factors")
    @classmethod
    def _different(cls, factors: list[float]) -> list[float]:
        if len(set(factors)) < len(factors):
            raise ValueError("name each factor once")
        return factors


class ValuesConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    seed: int = Field(ge=0)
    values: ValuesSettings
    discount: DiscountSettings
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @model_validator(mode="after")
    def _possible_trial(self) -> Self:
        if len(self.discount.factors) > 1:
            self.search.check_depth(self.discount.depth, "discount.depth", "discount.factors = [1.0]")
        return self
