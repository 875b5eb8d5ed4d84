"""A circuit that a preparation process has made is kept, and later processes find it."""

from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.server.preparation import PreparationProcess, PreparedRules
from tests.corpus import sheet_path
from tests.server.serving import rules_text


def prepared(rules: str, seconds: float) -> PreparedRules:
    process = PreparationProcess()
    try:
        process.warm_up(30)
        return process.prepare(rules, "match", seconds)
    finally:
        process.close()


def assert_kept(rules: str, seconds: float, folder: Path) -> None:
    """Prepare rules in two processes; the second takes the circuit, with the times it took to make, from the cache."""
    first = prepared(rules, seconds).circuit
    assert first is not None
    (entry,) = folder.rglob("*.circuit")
    written = entry.stat().st_mtime_ns
    again = prepared(rules, seconds).circuit
    assert again is not None
    assert (again.grounding_s, again.compile_s) == (first.grounding_s, first.compile_s)
    np.testing.assert_array_equal(again.gate_literals, first.gate_literals)
    assert entry.stat().st_mtime_ns == written
    entry.write_bytes(entry.read_bytes()[:-1])  # a damaged entry is made anew
    renewed = prepared(rules, seconds).circuit
    assert renewed is not None
    assert renewed.grounding_s != first.grounding_s
    np.testing.assert_array_equal(renewed.gate_literals, first.gate_literals)
    assert entry.stat().st_mtime_ns != written


def test_a_later_process_finds_the_circuit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert_kept(rules_text("connectfour.ext"), 60, tmp_path)


@pytest.mark.slow
def test_a_later_process_finds_a_large_circuit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert_kept(sheet_path("reversi").read_text(encoding="utf-8"), 300, tmp_path)
