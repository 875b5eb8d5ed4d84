"""The configuration of learning values, and the settings that all learners of values share."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLIES, MAX_SEED
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import RoundSettings, ShapeChoice, TupleShape, ValueShape, read_shape
from gdl_miner.miner.runs.settings import (
    ExecutionSettings,
    LongSearchSettings,
    MiningTable,
    RecordSettings,
    SearchSettings,
    Settings,
)


class CurveSettings(Settings):
    """The settings that learners of values share."""

    steps: int = Field(ge=1, le=999)
    shapes: ShapeChoice | list[str]
    stages: list[int]
    symmetries: bool
    matches: int = Field(ge=2, le=MAX_COUNT)
    opening_plies: int = Field(ge=0, le=MAX_PLIES)
    random_matches: int = Field(ge=0, le=MAX_COUNT)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)
    uct_c: float = Field(ge=0, le=100)
    uct_growth: Literal["log", "root", "deep"]
    value_weight: float = Field(ge=0, le=1)
    experience: int = Field(ge=0, le=MAX_COUNT)

    @field_validator("shapes", mode="before")
    @classmethod
    def _known_shapes(cls, shapes: object) -> object:
        if shapes in get_args(ShapeChoice):
            return shapes
        if not isinstance(shapes, list) or not all(isinstance(each, str) for each in shapes):
            raise ValueError('give "auto", "large" or a list of shapes such as ["line 3", "block 2x3"]')
        for each in shapes:
            read_shape(each)
        return shapes

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if any(number < 1 for number in self.stages) or self.stages != sorted(set(self.stages)):
            raise ValueError(f"stages are {self.stages}; give numbers of pieces from 1, in ascending order")
        self.parameters()
        return self

    @property
    def tuple_shapes(self) -> tuple[TupleShape, ...] | ShapeChoice:
        """The shapes of tuples, or the choice among them that depends on the game."""
        return tuple(map(read_shape, self.shapes)) if isinstance(self.shapes, list) else self.shapes

    def parameters(self) -> Parameters:
        """Return the parameters of the player."""
        return Parameters(
            uct_c=self.uct_c,
            uct_growth=self.uct_growth,
            value_weight=self.value_weight,
            experience=self.experience,
            solver=True,
        )


class ValuesSettings(CurveSettings):
    """The training games, the network and the matches that measure it."""

    games: int = Field(ge=1, le=MAX_COUNT)
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

    def round(self, seed: int, step: int, discount: float = 1.0) -> RoundSettings:
        """Return the settings of the training games of a step in a run with a seed."""
        return RoundSettings(
            games=self.games,
            seed=derive_seed(seed, "training", step),
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

    defaults = ("default", "values")
    seed: int = Field(ge=0, le=MAX_SEED)
    values: ValuesSettings
    discount: DiscountSettings
    long_searches: LongSearchSettings
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @model_validator(mode="after")
    def _possible_trial(self) -> Self:
        if len(self.discount.factors) > 1:
            self.search.check_depth(self.discount.depth, "discount.depth", "discount.factors = [1.0]")
        return self

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""
        return self.values.steps

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""
        return self.values.validation_matches > 0
