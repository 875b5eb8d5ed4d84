"""Features of moves and the itemsets that go with them: one file for each feature class (thesis 4.2.2, 4.2.3)."""

from gdl_miner.agent.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.features.batch import BatchView, Enumeration, MoveBatch, PatternShape
from gdl_miner.agent.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.features.feature import NO_FEATURE, Feature, Instances
from gdl_miner.agent.features.feature_classes import (
    FEATURE_CLASSES,
    FeatureMatrix,
    class_colours,
    feature_class,
    occurrences,
)
from gdl_miner.agent.features.itemset import (
    ITEM_CLASSES,
    Fact,
    Item,
    Itemset,
    MetafactAnyPieceInField,
    MetafactPieceInArea,
    every_item,
    item_class,
    item_masks,
    items_hold,
)
from gdl_miner.agent.features.itemset_only import FeatureItemsetOnly
from gdl_miner.agent.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.features.pattern import FeatureRelPattern
from gdl_miner.agent.features.picture import draw_heat
from gdl_miner.agent.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.features.proximity import FeatureRelEuclidProximity
from gdl_miner.agent.features.weighted_feature import FeatureOrigin, WeightedFeature, feature_in_words

__all__ = [
    "FEATURE_CLASSES",
    "ITEM_CLASSES",
    "NO_FEATURE",
    "BatchView",
    "Enumeration",
    "Fact",
    "Feature",
    "FeatureAbsEuclidBorderDist",
    "FeatureAbsMove",
    "FeatureAbsPieceInArea",
    "FeatureItemsetOnly",
    "FeatureMatrix",
    "FeatureOrigin",
    "FeatureRelDimKNearest",
    "FeatureRelEuclidKNearest",
    "FeatureRelEuclidProximity",
    "FeatureRelPattern",
    "Instances",
    "Item",
    "Itemset",
    "MetafactAnyPieceInField",
    "MetafactPieceInArea",
    "MoveBatch",
    "PatternShape",
    "WeightedFeature",
    "class_colours",
    "draw_heat",
    "every_item",
    "feature_class",
    "feature_in_words",
    "item_class",
    "item_masks",
    "items_hold",
    "occurrences",
]
