"""The feature classes, each in a file of its own. A new class is a new file here and a line in FEATURE_CLASSES."""

from gdl_miner.agent.knowledge.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.knowledge.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.knowledge.features.feature import NO_FEATURE, Feature, Instances
from gdl_miner.agent.knowledge.features.itemset_only import FeatureItemsetOnly
from gdl_miner.agent.knowledge.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.knowledge.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.knowledge.features.pattern import FeatureRelPattern
from gdl_miner.agent.knowledge.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.knowledge.features.proximity import FeatureRelEuclidProximity

__all__ = [
    "FEATURE_CLASSES",
    "NO_FEATURE",
    "Feature",
    "FeatureAbsEuclidBorderDist",
    "FeatureAbsMove",
    "FeatureAbsPieceInArea",
    "FeatureItemsetOnly",
    "FeatureRelDimKNearest",
    "FeatureRelEuclidKNearest",
    "FeatureRelEuclidProximity",
    "FeatureRelPattern",
    "Instances",
]

FEATURE_CLASSES: tuple[type[Feature], ...] = (
    FeatureRelEuclidProximity,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureAbsPieceInArea,
    FeatureRelEuclidKNearest,
    FeatureRelDimKNearest,
    FeatureItemsetOnly,
    FeatureRelPattern,
)
