"""A feature with what a list of a knowledge file says about it: its weight, its itemset and its origin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.geometry import Geometry

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

    def words(self, display: Display) -> str:
        """Return in words what the feature requires, and what it was learned for if the file says so."""
        said = feature_in_words(self.feature, self.itemset, display)
        return said if self.origin is None else f"{said} ({self.origin.side}, level {self.origin.level})"

    def draw(self, geometry: Geometry) -> str:
        """Return an `<svg>` element, an empty text if the feature has no picture on this board."""
        return self.feature.draw(self.itemset, geometry)


def feature_in_words(feature: Feature, itemset: Itemset | None, display: Display) -> str:
    """Return in words what a feature requires of a move and its itemset of the state."""
    said = feature.words(display)
    return said if itemset is None else f"{said}, while {itemset.words(display)}"
