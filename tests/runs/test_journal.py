"""Runs go on by their journals after a break at any task, a torn line or a full disk; a damaged journal is named."""

import errno
import itertools
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError, RecordError, UserError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.results.tables import FileMark
from gdl_miner.miner.runs.journal import Journal, sealed_line
from gdl_miner.miner.runs.method import OWN_METHODS, method_named
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run
from gdl_miner.miner.runs.task import Task
from tests.runs.breaking import BreakError, drive
from tests.runs.quick import quick_run

FEW: dict[str, Any] = {"matches": 8, "validation_matches": 8}
RUNS: dict[str, dict[str, dict[str, Any]]] = {
    "evolution": {
        "networks": {
            "generations": 2,
            "population": 3,
            "seconds": 0.01,
            "final_seconds": 0.02,
            "matches": 4,
            "deeper_matches": 2,
            "match_share": 1000.0,
        },
        "evolution": {"generations": 2, "population": 3, "elitism": 0.34, "long_matches": 16},
        "tournament": {"matches_without_knowledge": 16, "matches_per_individual": 8, "validation_matches": 8},
        "search": {"playouts": 10, "playouts_without_knowledge": 10, "uct_c": "tuned", "tuning_matches": 8},
        "teaching": {"positions": 20, "playouts": 50},
        "pruning": {"matches": 64, "positions": 20},
        "values": {"games": 64},
    },
    "values": {
        "values": {"steps": 2, "games": 64, **FEW},
        "discount": {"factors": [0.5, 1.0], "depth": 2.0, "matches": 8},
        "long_searches": {"playouts": 60, "matches": 16},
    },
    "culture": {"culture": {"steps": 2, "individuals": 6, "fittest": 0.34, "ants": True, "beliefs": True, **FEW}},
    "expert-iteration": {
        "expert": {"measured_after": [3, 6], "games_at_once": 4, "playouts": 20, "games_per_feature": 2, **FEW},
        "values": {"games": 64},
    },
    "gifl": {"gifl": {"steps": 2, "games": 60, **FEW}, "search": {"playouts": 20}},
}
Undisturbed = Callable[[str], Path]


def begun(name: str, folder: Path) -> RunSetup:
    return quick_run(folder, "tictactoe.ext", method_named(name), RUNS[name])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folders: dict[str, Path] = {}

    def folder_of(name: str) -> Path:
        if name not in folders:
            folder = tmp_path_factory.mktemp("undisturbed") / "run"
            drive(begun(name, folder))
            folders[name] = folder
        return folders[name]

    return folder_of


def results_in(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of a journal without the marks of the tables, of which timings.csv may differ."""
    lines = (folder / "checkpoints/journal.jsonl").read_text().splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in ("files", "sum")} for line in lines]


def stopped(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, tasks: int) -> Path:
    """Make a run that broke off before the result of the next task was kept."""
    append = Journal.append

    def breaking(self: Journal, task: Task[Any], result: object, files: Mapping[str, FileMark]) -> Any:
        if self.finished == tasks:
            raise BreakError
        return append(self, task, result, files)

    setup = begun(name, folder)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", breaking)
        with pytest.raises(BreakError):
            drive(setup)
    return folder


def test_there_is_a_run_of_each_method() -> None:
    assert RUNS.keys() == OWN_METHODS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_breaks_off_at_each_task_ends_in_the_same_bytes(
    name: str, kept: bool, undisturbed: Undisturbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, breaks = Journal.append, set()

    def breaking(self: Journal, task: Task[Any], result: object, files: Mapping[str, FileMark]) -> Any:
        number = self.finished
        kept_result = append(self, task, result, files) if kept or number in breaks else None
        if number not in breaks:
            breaks.add(number)
            raise BreakError
        return kept_result

    monkeypatch.setattr(Journal, "append", breaking)
    setup = begun(name, tmp_path / "run")
    for _ in itertools.count():
        try:
            drive(setup)
            break
        except BreakError:
            setup = interrupted_run(tmp_path / "run")
    agreement = compare_bytes(undisturbed(name), tmp_path / "run")
    assert agreement.complete, agreement.differing
    assert results_in(tmp_path / "run") == results_in(undisturbed(name))
    assert len(breaks) == len(results_in(tmp_path / "run")) > 5


@pytest.mark.parametrize("rest", [1, 40, 10**9], ids=["no newline", "half", "one byte"])
def test_a_line_that_a_crash_has_cut_off_is_written_again(
    rest: int, undisturbed: Undisturbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = stopped("values", tmp_path / "run", monkeypatch, 4) / "checkpoints/journal.jsonl"
    *lines, last = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines, last[:-rest] or last[:1]]))
    assert interrupted_run(tmp_path / "run").journal.finished == 3
    drive(interrupted_run(tmp_path / "run"))
    assert compare_bytes(undisturbed("values"), tmp_path / "run").complete


@pytest.mark.parametrize("writes", [0, 1, 2, 5, 11, 23])
def test_a_run_goes_on_after_a_full_disk(
    writes: int, undisturbed: Undisturbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, left = os.fsync, itertools.count(writes, -1)

    def full(descriptor: int) -> None:
        if next(left) <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    setup = begun("values", tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(UserError, match="the disk is full; free some space"):
            drive(setup)
    drive(interrupted_run(tmp_path / "run"))
    agreement = compare_bytes(undisturbed("values"), tmp_path / "run")
    assert agreement.complete, agreement.differing


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "not a zip file"),
        (lambda path: path.unlink(), "No such file"),
        (lambda path: np.savez(path, **dict(load_arrays(path))), "its hash is another, or missing"),
        (
            lambda path: path.write_bytes(pack_arrays(dict.fromkeys("0123456789", np.zeros(3)))),
            "an array of float64 is none of float32",
        ),
        (lambda path: path.write_bytes(pack_arrays({"0": np.zeros(3)})), "there is no array '1'"),
    ],
)
def test_damaged_arrays_are_named_by_the_line_of_their_result(
    damage: Callable[[Path], object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = stopped("expert-iteration", tmp_path / "run", monkeypatch, 4)
    damage(run / "checkpoints/arrays/00000.npz")
    before = contents(run)
    with pytest.raises(ConfigError, match=rf"journal\.jsonl:1: the result is damaged \(.*{said}.*\); restore"):
        drive(interrupted_run(run))
    assert contents(run) == before


def test_a_result_of_another_type_is_named_by_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = stopped("values", tmp_path / "run", monkeypatch, 4)
    journal = run / "checkpoints/journal.jsonl"
    first, *others = journal.read_bytes().splitlines(keepends=True)
    entry = json.loads(first.replace(b'"class":"LearnedWeights"', b'"class":"Trap"', 1))
    del entry["sum"]
    journal.write_bytes(b"".join([sealed_line(entry), *others]))
    with pytest.raises(ConfigError, match=r"journal\.jsonl:1: the result is damaged \(.*'Trap' is no LearnedWeights"):
        drive(interrupted_run(run))


def test_a_journal_that_goes_on_after_the_end_of_the_learner_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunStore, "end", lambda store: None)  # it would remove the arrays
    drive(begun("values", tmp_path / "run"))
    journal = tmp_path / "run/checkpoints/journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines, lines[-1]]))
    said = rf"journal\.jsonl:{len(lines) + 1}: .* \(its end where it says \S+\.validate\)"
    with pytest.raises(ConfigError, match=said):
        drive(interrupted_run(tmp_path / "run"))


def test_matches_that_are_still_to_be_mined_and_are_lost_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = stopped("evolution", tmp_path / "run", monkeypatch, 12)
    lost = run / "checkpoints/gen_002.npz"
    lost.unlink()
    with pytest.raises(RecordError, match=rf"{lost.name}: "):
        drive(interrupted_run(run))
