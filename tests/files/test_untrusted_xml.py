"""Knowledge files and match records from strangers: what is no such file is refused by name."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl_miner.agent.errors import KnowledgeError, RecordError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.search.record_xml import read_records
from tests.search.match_records import figure_game

READERS = {
    "knowledge.knowledge_xml": read_knowledge,
    "search.record_xml": lambda path: read_records(path, figure_game()),
}
BOMB = """<!DOCTYPE k [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>
<Knowledge game="&b;"><Player role="a"/></Knowledge>"""
EXTERNAL = """<!DOCTYPE k [<!ENTITY a SYSTEM "file:///etc/passwd">]><Match Id="m"><Player>&a;</Player></Match>"""


@pytest.fixture(params=READERS)
def module(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def refused(module: str, path: Path, said: str) -> None:
    read: Callable[[Path], object] = READERS[module]
    with pytest.raises((KnowledgeError, RecordError), match=rf"{path.name}.*{said}"):
        read(path)


@pytest.mark.parametrize("text", [BOMB, EXTERNAL])
def test_entities_and_document_types_are_refused(module: str, text: str, tmp_path: Path) -> None:
    contents = {"f.xml": text.encode(), "f.xml.gz": gzip.compress(text.encode()), "wide.xml": text.encode("utf-16")}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        refused(module, tmp_path / name, "document type")
    hidden = '<?xml version="1.0" encoding="UTF-7"?>\n' + text.replace("<!DOCTYPE", "+ADwAIQ-DOCTYPE", 1)
    (tmp_path / "hidden.xml").write_text(hidden)
    refused(module, tmp_path / "hidden.xml", r":\d+: Start tag expected")


def test_files_that_unpack_past_the_limit_are_refused_before_they_are_parsed(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"gdl_miner.agent.{module}.MAX_BYTES", 1 << 20)
    root = b"<Matches>" if "record" in module else b"<Knowledge>"
    (tmp_path / "f.xml.gz").write_bytes(gzip.compress(root + b" " * (2 << 20)))
    refused(module, tmp_path / "f.xml.gz", "larger than 1 MiB")


@pytest.mark.parametrize("content", [b"", b"not XML", b"<Knowledge", b"\xff\xfe\xfd", b"<Recipe/>"])
def test_what_is_no_such_file_is_a_located_error(module: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "f.xml").write_bytes(content)
    refused(module, tmp_path / "f.xml", r":\d+: ")


def test_a_missing_file_a_folder_and_a_cut_archive_cannot_be_read(module: str, tmp_path: Path) -> None:
    (tmp_path / "cut.xml.gz").write_bytes(gzip.compress(BOMB.encode())[:-20])
    for path in (tmp_path / "absent.xml", tmp_path, tmp_path / "cut.xml.gz"):
        refused(module, path, "cannot be read")
