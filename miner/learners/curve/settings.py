"""Settings of learners of values: the network, the player and the matches that measure it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from agent.knowledge import Parameters
from agent.limits import MAX_COUNT
from agent.values import read_shape
from miner.learners.settings import Settings

__all__ = ["CurveSettings"]


class CurveSettings(Settings):
    """The settings that learners with a learning curve share."""

    steps: int = Field(ge=1, le=999)
    shapes: Literal["auto"] | list[str]
    stages: list[int]
    symmetries: bool
    matches: int = Field(ge=2, le=MAX_COUNT)
    random_matches: int = Field(ge=0, le=MAX_COUNT)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)
    uct_c: float = Field(ge=0, le=100)
    value_weight: float = Field(ge=0, le=1)
    experience: int = Field(ge=0, le=MAX_COUNT)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for each in self.named_shapes or ():
            read_shape(each)
        if any(number < 1 for number in self.stages) or self.stages != sorted(set(self.stages)):
            raise ValueError(f"stages are {self.stages}; give numbers of pieces from 1, in ascending order")
        self.parameters()
        return self

    @property
    def named_shapes(self) -> tuple[str, ...] | None:
        """The shapes of tuples; None for those that suit the game."""
        return None if self.shapes == "auto" else tuple(self.shapes)

    def parameters(self) -> Parameters:
        """Return the parameters of the player."""
        return Parameters(uct_c=self.uct_c, value_weight=self.value_weight, experience=self.experience, solver=True)
