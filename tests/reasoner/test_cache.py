import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.reasoner import cache
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.prepare import prepare

GAME = "tictactoe.ext"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gdl-miner"


def test_a_circuit_comes_back_from_the_cache_unchanged(folder: Path) -> None:
    circuit = prepare(read_sheet(GAME))
    cache.store(circuit)
    loaded = cache.load(circuit.rules_digest)
    assert loaded is not None
    for field in fields(circuit):
        before, after = getattr(circuit, field.name), getattr(loaded, field.name)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype
            assert np.array_equal(before, after)
        else:
            assert before == after
    assert [path.suffix for path in folder.iterdir()] == [".circuit"]


def test_a_second_load_takes_the_circuit_from_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_machine(GAME)
    monkeypatch.setattr("gdl_miner.agent.reasoner.machine.prepare", lambda *_: pytest.fail("prepared again"))
    assert load_machine(GAME).circuit.moves == first.circuit.moves


@pytest.mark.parametrize("place", [0, 70, 400, -1], ids=["checksum", "names", "arrays", "end"])
def test_a_damaged_entry_is_rebuilt(folder: Path, place: int) -> None:
    sound = load_machine(GAME).circuit
    entry = cache.entry_path(sound.rules_digest)
    content = bytearray(entry.read_bytes())
    content[place] ^= 1
    entry.write_bytes(content)
    assert cache.load(sound.rules_digest) is None
    assert load_machine(GAME).circuit.moves == sound.moves
    assert cache.load(sound.rules_digest) is not None


@pytest.mark.parametrize("content", [b"", b"\n", b"nonsense"])
def test_an_entry_that_is_no_circuit_is_rebuilt(folder: Path, content: bytes) -> None:
    digest = read_sheet(GAME).digest
    folder.mkdir(parents=True)
    cache.entry_path(digest).write_bytes(content)
    assert cache.load(digest) is None
    assert load_machine(GAME).roles == cache.load(digest).roles  # type: ignore[union-attr]  # it was written anew


def test_an_entry_with_a_checksum_but_broken_arrays_is_not_believed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    circuit = prepare(read_sheet(GAME))
    circuit.gate_literals[0] = 1 << 20
    cache.store(circuit)
    assert cache.load(circuit.rules_digest) is None


def test_another_compiler_version_has_other_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = load_machine(GAME).circuit.rules_digest
    monkeypatch.setattr(cache, "compiler_version", lambda: "0" * 64)
    assert cache.load(digest) is None


def test_a_cache_that_cannot_be_written_is_reported_and_the_game_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gdl-miner").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told: list[str] = []
    assert load_machine(GAME, progress=told.append).roles
    assert "cannot keep the circuit" in told[-1]


def test_the_compiler_version_covers_every_file_that_preparing_a_game_runs() -> None:
    reasoner = "gdl_miner.agent.reasoner."
    loads = f"import sys, {reasoner}prepare; print(*sorted(m for m in sys.modules if m.startswith('{reasoner}')))"
    loaded = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True).stdout.split()
    prepared = {name.removeprefix(reasoner) for name in loaded}
    playing = {"budget", "cache", "clauses", "machine", "sample", "tabling"}
    playing |= {name for name in prepared if name.split(".")[0] == "discovery"}  # it asks a machine that is ready
    assert prepared - playing <= set(cache.COMPILER)
