"""Files from others: too large, no files at all, or arrays that lie. Large files are sparse: the disk has room."""

import os
import socket
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError, RecordError, UserError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays
from gdl_miner.agent.gdl import read_sheet, rules
from gdl_miner.agent.knowledge import knowledge_xml, read_knowledge
from gdl_miner.agent.reading import MAX_TEXT, read_bounded
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.trace import read_traces
from gdl_miner.agent.search import record_xml
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.search.records import load_record
from gdl_miner.agent.server import preparation
from gdl_miner.agent.values import table_file
from gdl_miner.agent.values.table_file import read_table
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.journal import Journal
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.settings import read_settings
from tests.results.test_store import CONFIG

GIB = 1 << 30
ENTRIES = 10**13


def sparse(path: Path, size: int = GIB, start: bytes = b"") -> Path:
    path.write_bytes(start)
    os.truncate(path, size)
    return path


def array(header: str | bytes, content: bytes = b"\0" * 64) -> bytes:
    """Return an array in the format of NumPy with a header, or with the one for `kind shape`."""
    if isinstance(header, str):
        kind, _, shape = header.partition(" ")
        header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


@pytest.fixture(params=["pipe", "folder", "/dev/zero", "zero\0byte", "socket"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    if request.param == "pipe":
        os.mkfifo("pipe")
    elif request.param == "folder":
        Path("folder").mkdir()
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    return Path(request.param)


@pytest.mark.parametrize(
    "read",
    [
        read_sheet,
        read_knowledge,
        lambda path: read_records(path, load_machine("tictactoe.ext")),
        lambda path: list(read_traces(path)),
        lambda path: read_object(path, "restore it"),
        lambda path: read_settings(method_named("values").settings, str(path)),
        lambda path: load_record(path, load_machine("tictactoe.ext").circuit),
    ],
)
def test_what_is_no_file_is_refused_at_once_by_name(read: Callable[[Path], object], no_file: Path) -> None:
    with pytest.raises(UserError, match=rf"^{no_file}: .+; "):
        read(no_file)


def test_a_file_is_read_up_to_the_limit_and_takes_the_memory_of_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(ValueError, match="larger than 0 MiB"):
        read_bounded(path, 4)
    tracemalloc.start()
    try:
        read_bounded(path)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3), ()])
@pytest.mark.parametrize("kind", ["<i4", "<u8", "<f8", "<U7", "|b1"])
def test_an_array_is_read_as_it_was_written(shape: tuple[int, ...], kind: str, tmp_path: Path) -> None:
    written = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
    (tmp_path / "a.npz").write_bytes(pack_arrays({"plain": written, "turned": np.array(written, order="F")}))
    for read in load_arrays(tmp_path / "a.npz").values():
        assert read.dtype == written.dtype
        assert np.array_equal(read, written)


def test_archives_are_deflated() -> None:
    assert len(pack_arrays({"zeros": np.zeros(100_000)})) < 10_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (array(f"<i4 ({ENTRIES},)"), "claims 10,000,000,000,000 entries, 40,000,000,000,000 bytes, and there are 64"),
        (array("<i4 (15,)"), "claims 15 entries, 60 bytes, and there are 64"),
        (array(f"<U0 ({ENTRIES},)", b""), "impossible kind <U0"),
        (array("<i3 (16,)"), "impossible kind <i3"),
        (array(f"<i4 ({'1, ' * 64})", b"\0" * 4), "impossible kind"),
        (array("|b1 (64,)", b"\7" * 64), "neither true nor false"),
        *((array(f"{kind} (1,)"), "its header is") for kind in ("|V0", "|O", "<M8[ns]", "<c16", ">i4")),
        *((array(f"<i4 {shape}"), "its header is") for shape in ("(-1,)", "(True,)", "(1.0,)", "[16]")),
        *((array(header), "its header is") for header in (b"(" * 9000, b"-" * 9000 + b"1", b"[" * 9000 + b"]" * 9000)),
        (b"\x93NUMPY\x09\x00" + b"\0" * 64, "unknown format"),
        (b"GIF89a" + b"\0" * 64, "no array of NumPy"),
        (b"", "no array of NumPy"),
    ],
)
def test_arrays_that_lie_are_refused_and_take_no_memory(content: bytes, said: str, tmp_path: Path) -> None:
    table, archive, circuit = tmp_path / "values-0.npy", tmp_path / "r.npz", load_machine("tictactoe.ext").circuit
    table.write_bytes(content)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("ids.npy", content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=rf"values-0\.npy is no array of NumPy \(.*{said}"):
            read_table(table, sha256(content).hexdigest())
        with pytest.raises(RecordError, match=rf"r\.npz: .*ids\.npy: .*{said}"):
            load_record(archive, circuit)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


def patched(content: bytes, place: int, value: int) -> bytes:
    """Return an archive whose first entry has another byte in its header, and in the directory."""
    changed, header, entry = bytearray(content), content.index(b"PK\3\4"), content.index(b"PK\1\2")
    changed[header + 4 + place] = changed[entry + 6 + place] = value
    return bytes(changed)


def with_directory(content: bytes, size: int) -> bytes:
    """Return an archive with a directory of so many bytes."""
    end = content.index(b"PK\5\6")
    return content[:end] + b"\0" * size + content[end : end + 12] + struct.pack("<II", size, end) + content[end + 20 :]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content[:-100], "not a zip file"),
        (lambda content: content.replace(b"PK\1\2", b"PK\1\3", 1), "magic number"),
        (lambda content: patched(content, 2, 1), "encrypted"),
        (lambda content: patched(content, 4, zipfile.ZIP_LZMA), "packed in another way"),
        (lambda content: patched(content, 4, 99), "packed in another way"),
        (lambda content: patched(content, 0, 99), "version 9.9"),
        (lambda content: content.replace(b"a.npy", b"b.npy"), "two of the name"),
        (lambda content: content.replace(b"a.npy", b"a.txt"), "no array"),
        (lambda content: content[:-1] + b"x", "its hash is another"),
        (lambda content: with_directory(content, 8 << 20), "its directory is larger than 4 MiB"),
    ],
)
def test_an_archive_of_another_kind_and_a_changed_one_are_refused(
    change: Callable[[bytes], bytes], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(change(pack_arrays({"a": np.arange(100), "b": np.zeros(3)})))
    with pytest.raises(ValueError, match=said):
        load_arrays(path)


READERS: dict[str, Callable[[Path], object]] = {
    "champion.json": lambda path: read_object(path, "restore it"),
    "config.json": lambda path: RunStore.open(path.parent),
    "trace.jsonl": lambda path: list(read_traces(path)),
}


@pytest.mark.parametrize(
    ("name", "read"),
    [*READERS.items(), ("journal.jsonl", lambda path: Journal(path.parent, "this"))],
)
def test_a_file_of_a_gibibyte_is_refused_by_name(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = sparse(tmp_path / name, start=b"{")
    with pytest.raises((ConfigError, RecordError), match=rf"{name}: .*larger than {MAX_TEXT >> 20} MiB.*; "):
        read(path)


def test_a_table_of_a_gibibyte_is_refused_by_name(tmp_path: Path) -> None:
    RunStore.create(tmp_path, CONFIG, {})
    sparse(tmp_path / "matches.csv", start=b"id\n")
    with pytest.raises(
        ConfigError, match=rf"matches\.csv: the table is damaged \(larger than {MAX_TEXT >> 20} MiB\); "
    ):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("name", "read"),
    READERS.items(),
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
