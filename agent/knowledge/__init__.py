"""Knowledge about a game, the files that hold it, and what becomes of it: weights of moves, tables of the scorer."""

from gdl_miner.agent.knowledge.compilation import check_names, compile_knowledge
from gdl_miner.agent.knowledge.knowledge import Knowledge, Provenance
from gdl_miner.agent.knowledge.knowledge_xml import (
    knowledge_text,
    read_knowledge,
    size_with_table,
    table_beside,
    write_knowledge,
)
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.knowledge.scoring import Phase, score
from gdl_miner.agent.knowledge.sharing import symmetries_in_words, written_out

__all__ = [
    "Knowledge",
    "Parameters",
    "Phase",
    "Provenance",
    "check_names",
    "compile_knowledge",
    "knowledge_text",
    "read_knowledge",
    "score",
    "size_with_table",
    "symmetries_in_words",
    "table_beside",
    "write_knowledge",
    "written_out",
]
