"""The features that are learned, and counts of the games that taught them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, TypeAlias

FeatureSide: TypeAlias = Literal["offensive", "defensive"]


@dataclass(frozen=True)
class GiflFeature:
    """Facts under which some moves of a role lead on towards a win, or avoid a loss.

    The side of the first is offensive, of the second defensive.
    """

    role: int
    side: FeatureSide
    facts: tuple[str, ...]  # fluents, sorted
    moves: tuple[str, ...]  # sorted; an offensive feature has one


@dataclass(frozen=True)
class GameCounts:
    """Numbers of random games, and of what was done with them."""

    games: int = 0
    decided: int = 0  # games that taught: see `FeatureLearner.learn`
    moves: int = 0
    variants: int = 0  # states that were asked about

    def __add__(self, other: GameCounts) -> GameCounts:
        return GameCounts(*(one + another for one, another in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class GiflFeatures:
    """The features that some games taught."""

    levels: dict[GiflFeature, int]  # the lowest level at which the feature was learned, in the order of learning
    counts: GameCounts  # of the games

    def count(self, side: FeatureSide) -> int:
        """Return the number of features of a side."""
        return sum(feature.side == side for feature in self.levels)


def join_learned(parts: Sequence[GiflFeatures]) -> GiflFeatures:
    """Return what the games of all parts taught, in their order."""
    return GiflFeatures(
        levels=lowest_levels(item for part in parts for item in part.levels.items()),
        counts=sum((part.counts for part in parts), start=GameCounts()),
    )


def lowest_levels(items: Iterable[tuple[GiflFeature, int]]) -> dict[GiflFeature, int]:
    """Return the lowest level of each feature, in the order in which the features come first."""
    levels: dict[GiflFeature, int] = {}
    for feature, level in items:
        levels[feature] = min(level, levels.get(feature, level))
    return levels
