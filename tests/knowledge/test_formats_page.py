"""The examples that docs/formats.md leads to agree with the program."""

import re
from pathlib import Path

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.agent.knowledge import compile_knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records, write_records
from gdl_miner.agent.values import compile_values

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "formats.md").read_text()
KNOWLEDGE, RECORD = ((DOCS / "examples" / name).read_text() for name in ("knowledge.xml", "matches.xml"))
SHOWN = re.findall(r"```xml\n(.*?)```", PAGE, re.DOTALL)
GAME = load_machine("tictactoe.ext")


def with_digest(text: str) -> str:
    return text.replace('digest="5a0f"', f'digest="{GAME.sheet.digest}"')


def test_the_example_of_a_knowledge_file_reads_compiles_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(KNOWLEDGE))
    knowledge = read_knowledge(tmp_path / "one.xml", GAME.sheet)
    compile_knowledge(knowledge, GAME)
    assert knowledge.values is not None
    compile_values(knowledge.values, GAME)
    write_knowledge(knowledge, tmp_path / "two.xml", GAME.sheet)
    assert (tmp_path / "two.xml").read_text() == with_digest(KNOWLEDGE)


def test_the_example_of_a_knowledge_file_shows_every_class() -> None:
    for feature_class in FEATURE_CLASSES:
        assert f"<{feature_class.element} weight=" in KNOWLEDGE
        assert f"| `{feature_class.element}` |" in PAGE


def test_the_page_shows_lines_of_the_examples() -> None:
    assert len(SHOWN) == 2
    for part, whole in zip(SHOWN, (KNOWLEDGE, RECORD), strict=True):
        known = {line.strip() for line in whole.splitlines()}
        assert not [line for line in part.splitlines() if line.strip() not in known]


def test_the_example_of_a_match_record_reads_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(RECORD))
    write_records(read_records(tmp_path / "one.xml", GAME), GAME, tmp_path / "two.xml")
    assert (tmp_path / "two.xml").read_text() == with_digest(RECORD)
