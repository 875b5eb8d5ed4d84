"""The features that are learned, and what is told of the games they were learned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["FeatureSide", "GiflFeature", "GiflFeatures", "join_learned", "lowest_levels"]

FeatureSide: TypeAlias = Literal["offensive", "defensive"]


@dataclass(frozen=True)
class GiflFeature:
    """Facts under which some moves of a role lead on towards a win (offensive) or avoid a loss (defensive)."""

    role: int
    side: FeatureSide
    facts: tuple[str, ...]  # fluents, sorted
    moves: tuple[str, ...]  # sorted; an offensive feature has one


@dataclass(frozen=True)
class GiflFeatures:
    """The features that some games taught, and how many games and states that took."""

    levels: dict[GiflFeature, int]  # the lowest level at which the feature was learned, in the order of learning
    games: int
    decided: int  # games that the role that moved last has won, and that no limit of moves ended
    moves: int
    variants: int  # states that were asked about

    def count(self, side: FeatureSide) -> int:
        """Return the number of features of a side."""
        return sum(feature.side == side for feature in self.levels)


def join_learned(parts: Sequence[GiflFeatures]) -> GiflFeatures:
    """Return what the games of all parts taught, in their order."""
    return GiflFeatures(
        levels=lowest_levels(item for part in parts for item in part.levels.items()),
        games=sum(part.games for part in parts),
        decided=sum(part.decided for part in parts),
        moves=sum(part.moves for part in parts),
        variants=sum(part.variants for part in parts),
    )


def lowest_levels(items: Iterable[tuple[GiflFeature, int]]) -> dict[GiflFeature, int]:
    """Return the lowest level of each feature, in the order in which the features come first."""
    levels: dict[GiflFeature, int] = {}
    for feature, level in items:
        levels[feature] = min(level, levels.get(feature, level))
    return levels
