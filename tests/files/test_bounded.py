"""Files from others: too large, or with headers that lie. Large files are sparse and take no room on the disk."""

import io
import json
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError, RecordError
from gdl_miner.agent.files.bounded import MAX_TEXT, check_array, read_bounded
from gdl_miner.agent.gdl import rules
from gdl_miner.agent.knowledge import knowledge_xml
from gdl_miner.agent.reasoner.trace import read_traces
from gdl_miner.agent.search import record_xml
from gdl_miner.agent.search.records import load_record
from gdl_miner.agent.server import preparation
from gdl_miner.agent.values import table_file
from gdl_miner.agent.values.table_file import read_table
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.store import FORMAT, RunStore
from gdl_miner.miner.runs.journal import Journal

GIB = 1 << 30
ENTRIES = 10**13


def sparse(path: Path, size: int = GIB, start: bytes = b"") -> Path:
    path.write_bytes(start)
    os.truncate(path, size)
    return path


def lying_array(entries: int = ENTRIES, kind: str = "<i4", content: bytes = b"\0" * 64) -> bytes:
    """Return an array in the format of NumPy whose header claims so many entries."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({entries},), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def archive(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(f"{name}.npy", content)
    return path


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(ValueError, match="larger than 0 MiB"):
        read_bounded(path, 4)
    with pytest.raises(ValueError, match="larger than 1 MiB"):
        read_bounded(Path("/dev/zero"), 1 << 20)


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3), ()])
@pytest.mark.parametrize("kind", [np.int32, np.uint64, np.float64, "<U7"])
def test_the_header_of_an_array_of_ours_is_true(shape: tuple[int, ...], kind: str) -> None:
    stream = io.BytesIO()
    np.save(stream, np.zeros(shape, kind))
    stream.seek(0)
    check_array(stream, len(stream.getvalue()))


def test_headers_that_lie_are_found_before_room_is_made(tmp_path: Path) -> None:
    for content, said in [
        (lying_array(), "its header claims 10,000,000,000,000 entries, 40,000,000,000,000 bytes, and there are 64"),
        (lying_array(15), "its header claims 15 entries, 60 bytes, and there are 64"),
        (lying_array(-1), "impossible shape"),
        (b"\x93NUMPY\x09\x00" + b"\0" * 64, "unknown format 9.0"),
        (b"GIF89a" + b"\0" * 64, "magic"),
    ]:
        with pytest.raises(ValueError, match=said):
            check_array(io.BytesIO(content), len(content))
        table = tmp_path / "values-0.npy"
        table.write_bytes(content)
        with pytest.raises(ValueError, match=rf"values-0\.npy is no array of NumPy \(.*{said}"):
            read_table(table, sha256(content).hexdigest())


def test_a_record_whose_header_lies_is_refused_by_name_and_takes_no_memory(tmp_path: Path) -> None:
    path = archive(tmp_path / "gen_001.npz", {"ids": lying_array(kind="<U9"), "states": lying_array(kind="<u8")})
    tracemalloc.start()
    try:
        with pytest.raises(
            RecordError, match=r"gen_001\.npz: .*ids\.npy: its header claims 10,000,000,000,000 entries"
        ):
            load_record(path)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("champion.json", lambda path: read_object(path, "restore it")),
        ("config.json", lambda path: RunStore.open(path.parent)),
        ("trace.jsonl", lambda path: list(read_traces(path))),
        ("journal.jsonl", lambda path: Journal(path.parent, "this")),
    ],
)
def test_a_file_of_a_gibibyte_is_refused_by_name(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = sparse(tmp_path / name, start=b"{")
    with pytest.raises((ConfigError, RecordError), match=rf"{name}: .*larger than {MAX_TEXT >> 20} MiB.*; "):
        read(path)


def test_a_table_of_a_gibibyte_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"format": FORMAT}))
    (tmp_path / "env.json").write_text("{}")
    sparse(tmp_path / "matches.csv", start=b"id\n")
    with pytest.raises(
        ConfigError, match=rf"matches\.csv: the table is damaged \(larger than {MAX_TEXT >> 20} MiB\); "
    ):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("champion.json", lambda path: read_object(path, "restore it")),
        ("config.json", lambda path: RunStore.open(path.parent)),
        ("trace.jsonl", lambda path: list(read_traces(path))),
    ],
)
def test_json_that_is_nested_too_deeply_is_refused_by_name(
    name: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"[" * 10**6)
    with pytest.raises((ConfigError, RecordError), match=rf"{name}:.*recursion"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("row", "limit", "bytes_read"),
    [
        ("rule sheets", "16 MiB", rules.MAX_BYTES),
        ("knowledge files", "64 MiB", knowledge_xml.MAX_BYTES),
        ("knowledge files", "64 MiB", preparation.MAX_BYTES),
        ("tables of values", "256 MiB", table_file.MOST_BYTES),
        ("match records", "4 GiB unpacked", record_xml.MAX_BYTES),
        ("run folders", "256 MiB per JSON or CSV file, 8 GiB unpacked per archive", MAX_TEXT),
        ("traces", "256 MiB", MAX_TEXT),
    ],
)
def test_the_page_on_trust_names_the_limits_of_the_code(row: str, limit: str, bytes_read: int) -> None:
    page = (Path(__file__).parents[2] / "docs/trust.md").read_text("utf-8")
    [found] = [line for line in page.splitlines() if line.startswith(f"| {row}")]
    assert found.split("|")[-2].strip() == limit
    number, unit = limit.split()[:2]
    assert bytes_read == int(number) << {"MiB": 20, "GiB": 30}[unit]
