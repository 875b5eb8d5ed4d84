"""The examples in docs/formats.md are what the program reads and writes."""

import dataclasses
import re
from pathlib import Path

import pytest

from agent.knowledge import FEATURE_CLASSES, Parameters, compile_knowledge, read_knowledge, write_knowledge
from agent.knowledge.knowledge_xml import parameter_elements
from agent.reasoner.machine import load_machine
from agent.search.record_xml import read_records, write_records

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
KNOWLEDGE, RECORD = re.findall(r"```xml\n(.*?)```", PAGE, re.DOTALL)
GAME = load_machine("tictactoe.ext")


def with_digest(text: str) -> str:
    return text.replace('digest="5a0f"', f'digest="{GAME.sheet.digest}"')


def test_the_example_of_a_knowledge_file_reads_compiles_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(KNOWLEDGE))
    knowledge = read_knowledge(tmp_path / "one.xml", GAME.sheet)
    compile_knowledge(knowledge, GAME)
    write_knowledge(knowledge, tmp_path / "two.xml", GAME.sheet)
    assert (tmp_path / "two.xml").read_text() == with_digest(KNOWLEDGE)


def test_the_example_of_a_knowledge_file_shows_every_class() -> None:
    for feature_class in FEATURE_CLASSES:
        assert f"<{feature_class.element} weight=" in KNOWLEDGE
        assert f"| `{feature_class.element}` |" in PAGE


def test_the_example_of_a_match_record_reads_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(RECORD))
    write_records(read_records(tmp_path / "one.xml", GAME), GAME, tmp_path / "two.xml")
    assert (tmp_path / "two.xml").read_text() == with_digest(RECORD)


@pytest.mark.parametrize(("element", "attribute"), parameter_elements().items())
def test_the_table_of_parameters_gives_every_default(element: str, attribute: str) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith("| `") and f"`{element}`" in line]
    default = getattr(Parameters(), attribute)
    shown = row.split("|")[2].strip()
    assert shown == (str(default) if isinstance(default, bool | str) else f"{default:g}")


def test_every_parameter_has_an_element() -> None:
    fields = {each.name for each in dataclasses.fields(Parameters)}
    assert set(parameter_elements().values()) | {"class_weights", "itemset_class_weights"} == fields
