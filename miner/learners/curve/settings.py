"""Settings of learners with a learning curve: the matches that measure, and for values the network and the player."""

from __future__ import annotations

from typing import Literal, Protocol, Self, get_args

from pydantic import Field, field_validator, model_validator

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLIES
from gdl_miner.agent.values import ShapeChoice, TupleShape, read_shape
from gdl_miner.miner.learners.settings import Settings

__all__ = ["CurveMatches", "CurveSettings"]


class CurveMatches(Protocol):
    """The settings of the matches that make a learning curve."""

    @property
    def steps(self) -> int:
        """The largest number of steps."""

    @property
    def matches(self) -> int:
        """The least number of matches after each step against bare UCT, and of those against the best before."""

    @property
    def opening_plies(self) -> int:
        """The number of moves drawn at random at the beginning of these matches."""

    @property
    def random_matches(self) -> int:
        """The least number of matches after each step against random moves."""

    @property
    def validation_matches(self) -> int:
        """The least number of fresh matches of the best."""


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
