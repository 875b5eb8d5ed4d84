"""Features as knowledge: weights by which playouts draw moves by the Gibbs distribution (Kirci 2010, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gdl_miner.agent.features import Fact, Feature, FeatureAbsMove, FeatureOrigin, Itemset, WeightedFeature
from gdl_miner.agent.knowledge.scoring import EXPONENTIAL_LIMIT, UNIT
from gdl_miner.miner.learners.gifl.features import FeatureSide, GiflFeature

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
        """Return the weight of a feature of a side and level."""
        if level > 1:
            return self.level_factor ** (level - 1) / self.temperature
        return _LARGEST / 2 if self.wins_first and side == "defensive" else _LARGEST


def weighted_features(levels: Mapping[GiflFeature, int], roles: int, weights: FeatureWeights) -> RoleFeatures:
    """Return the features of each role, the weightiest first.

    Each move of a feature has one of its own. Of features of a role that differ in side or level alone, the weightiest
    counts.
    """
    listed = [dict[tuple[Feature, Itemset | None], WeightedFeature]() for _ in range(roles)]
    for feature, level in sorted(levels.items(), key=lambda item: -weights.of(item[0].side, item[1])):
        itemset = Itemset(tuple(map(Fact, feature.facts))) if feature.facts else None
        weight, origin = weights.of(feature.side, level), FeatureOrigin(feature.side, level)
        for move in feature.moves:
            entry = WeightedFeature(FeatureAbsMove(move), weight, itemset, origin=origin)
            listed[feature.role].setdefault((entry.feature, itemset), entry)
    return tuple(tuple(each.values()) for each in listed)
