"""Knowledge about a game: features of moves, itemsets, scoring, and the files that hold them."""

from gdl_miner.agent.knowledge.batch import BatchView, MoveBatch
from gdl_miner.agent.knowledge.compilation import check_names, compile_knowledge
from gdl_miner.agent.knowledge.enumeration import Enumeration, PatternShape
from gdl_miner.agent.knowledge.feature_matrix import FeatureMatrix, occurrences
from gdl_miner.agent.knowledge.features import FEATURE_CLASSES, Feature
from gdl_miner.agent.knowledge.geometry import Geometry, geometry_of
from gdl_miner.agent.knowledge.item import Fact, Item
from gdl_miner.agent.knowledge.itemset import Itemset, every_item, item_masks, items_hold
from gdl_miner.agent.knowledge.knowledge import FeatureOrigin, Knowledge, Provenance, WeightedFeature
from gdl_miner.agent.knowledge.knowledge_xml import (
    knowledge_text,
    read_knowledge,
    size_with_table,
    table_beside,
    write_knowledge,
)
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.knowledge.position import Position
from gdl_miner.agent.knowledge.scoring import Phase, score
from gdl_miner.agent.knowledge.sharing import written_out
from gdl_miner.agent.knowledge.tables import KnowledgeTables
from gdl_miner.agent.knowledge.values import Values

__all__ = [
    "FEATURE_CLASSES",
    "BatchView",
    "Enumeration",
    "Fact",
    "Feature",
    "FeatureMatrix",
    "FeatureOrigin",
    "Geometry",
    "Item",
    "Itemset",
    "Knowledge",
    "KnowledgeTables",
    "MoveBatch",
    "Parameters",
    "PatternShape",
    "Phase",
    "Position",
    "Provenance",
    "Values",
    "WeightedFeature",
    "check_names",
    "compile_knowledge",
    "every_item",
    "geometry_of",
    "item_masks",
    "items_hold",
    "knowledge_text",
    "occurrences",
    "read_knowledge",
    "score",
    "size_with_table",
    "table_beside",
    "write_knowledge",
    "written_out",
]
