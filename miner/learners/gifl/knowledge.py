"""Features as knowledge: weights by which playouts draw moves by the Gibbs distribution (Kirci 2010, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gdl_miner.agent.features import Fact, Feature, FeatureAbsMove, FeatureOrigin, Itemset, WeightedFeature
from gdl_miner.agent.knowledge.scoring import EXPONENTIAL_LIMIT, UNIT
from gdl_miner.miner.learners.gifl.features import FeatureSide, GiflFeature
from gdl_miner.miner.learners.gifl.scores import ScoredFeature

__all__ = ["FeatureWeights", "RoleFeatures", "acting_features", "weighted_features"]

RoleFeatures: TypeAlias = tuple[tuple[WeightedFeature, ...], ...]  # [role]

# A move that a feature of level 1 suggests is drawn wherever there is one, as far as scores tell moves apart: it is
# e^10 times as likely as a move without features.
_LARGEST = EXPONENTIAL_LIMIT / UNIT


@dataclass(frozen=True)
class FeatureWeights:
    """The weight of a feature: its value C^(level - 1) divided by the temperature tau of the draw."""

    level_factor: float  # C
    temperature: float  # tau
    wins_first: bool  # whether moves that win at once are preferred to those that keep the opponent from it

    def of(self, side: FeatureSide, level: int) -> float:
        """Return the weight of a feature of a side and level; that of a losing feature speaks against its moves."""
        if level > 1:
            return self.level_factor ** (level - 1) / self.temperature
        return _LARGEST / 2 if self.wins_first and side == "defensive" else _LARGEST


def weighted_features(
    levels: Mapping[GiflFeature, int], roles: int, weights: FeatureWeights
) -> tuple[RoleFeatures, RoleFeatures]:
    """Return the winning and the losing features of each role, the weightiest first.

    Each move of a feature has one of its own. Of features of a list that differ in side or level alone, the weightiest
    counts. A losing feature keeps the opponent from a win, so the file calls it defensive.
    """
    winning, losing = (
        [dict[tuple[Feature, Itemset | None], WeightedFeature]() for _ in range(roles)] for _ in range(2)
    )
    for feature, level in sorted(levels.items(), key=lambda item: -weights.of(item[0].side, item[1])):
        itemset = Itemset(tuple(map(Fact, feature.facts))) if feature.facts else None
        side: Literal["offensive", "defensive"] = "offensive" if feature.side == "offensive" else "defensive"
        weight, origin = weights.of(feature.side, level), FeatureOrigin(side, level)
        entries = (losing if feature.side == "losing" else winning)[feature.role]
        for move in feature.moves:
            entry = WeightedFeature(FeatureAbsMove(move), weight, itemset, origin=origin)
            entries.setdefault((entry.feature, itemset), entry)
    return tuple(tuple(each.values()) for each in winning), tuple(tuple(each.values()) for each in losing)


def acting_features(levels: Mapping[GiflFeature, int], weights: FeatureWeights) -> tuple[ScoredFeature, ...]:
    """Return the features with their weights, in their order and without images."""
    return tuple(ScoredFeature(weights.of(each.side, level), level, (each,)) for each, level in levels.items())
