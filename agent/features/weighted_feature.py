"""A feature with what a list of a knowledge file says about it: its weight, its itemset and its origin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.itemset import Itemset

__all__ = ["FeatureOrigin", "WeightedFeature"]

HIGHEST_LEVEL = 99


@dataclass(frozen=True)
class FeatureOrigin:
    """The side that a feature serves, and the level at which it was learned (Kirci 2010). Players do not look at it."""

    side: Literal["offensive", "defensive"]  # leads on towards a win, or keeps an opponent from one
    level: int  # trees of two plies from the end of a game, from 1

    def __post_init__(self) -> None:
        if not 1 <= self.level <= HIGHEST_LEVEL:
            raise ValueError(f"the level {self.level} of a feature is not from 1 to {HIGHEST_LEVEL}")


@dataclass(frozen=True)
class WeightedFeature:
    """A feature of a winning or losing list."""

    feature: Feature
    weight: float  # >= 0; the list decides the sign
    itemset: Itemset | None = None  # must hold too for the feature to fire
    place: str = field(default="", compare=False)  # file:line from which the feature was read
    origin: FeatureOrigin | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"the weight {self.weight} of a feature is not a number >= 0")
