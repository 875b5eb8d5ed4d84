"""The feature classes; a new one is a file beside this one and a line here."""

from gdl_miner.agent.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.itemset_only import FeatureItemsetOnly
from gdl_miner.agent.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.features.pattern import FeatureRelPattern
from gdl_miner.agent.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.features.proximity import FeatureRelEuclidProximity

__all__ = ["FEATURE_CLASSES"]

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
