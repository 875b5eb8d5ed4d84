"""The mirror of a run at a URL: what is there counts as a whole, and a run goes on from it in the same bytes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.runs import mirror
from gdl_miner.miner.runs.mirror import Mirror, checked_mirror, fetch_run, has_mirror, keep_mirror
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import interrupted_run, new_run, run_content
from tests.cluster.small_run import contents as lasting
from tests.conftest import TINY
from tests.runs.breaking import BreakError, Breaking, drive


@pytest.fixture
def url(tmp_path: Path) -> str:
    (tmp_path / "there").mkdir()
    return f"file://{tmp_path}/there/mirror"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what a mirror looks at."""
    path = tmp_path / "run"
    (path / "checkpoints").mkdir(parents=True)
    (path / "config.json").write_text("{}")
    (path / "checkpoints/journal.jsonl").write_text("one\n")
    (path / "checkpoints/work.json").write_text("of the moment")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fetched(url: str, tmp_path: Path) -> dict[str, bytes]:
    shutil.rmtree(tmp_path / "fetched", ignore_errors=True)
    assert fetch_run(url, tmp_path / "fetched")
    return contents(tmp_path / "fetched")


def test_a_run_goes_on_from_its_mirror_in_the_same_bytes(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Mirror.copy
    monkeypatch.setattr(Mirror, "copy", lambda self, *, last=False: None if last else copy(self))  # the machine is gone
    monkeypatch.setattr(mirror, "_LARGEST_SHARE", float("inf"))
    monkeypatch.setattr(
        "gdl_miner.miner.runs.report.draw_run", lambda folder, machine: None
    )  # it takes most of the time
    (tmp_path / "tiny.toml").write_text(TINY.replace("generations = 2", "generations = 1"))
    config = read_settings(EvolutionConfig, str(tmp_path / "tiny.toml"))
    machine = load_machine("tictactoe.ext")
    content = run_content(EVOLUTION, config, machine.sheet, "tictactoe.ext", "tiny")
    drive(new_run(tmp_path / "whole", content, config, machine, []))
    run = tmp_path / "run"
    for lasts in (3, 9):
        setup = interrupted_run(run) if run.exists() else new_run(run, content, config, machine, [])
        keep_mirror(run, url)
        with pytest.raises(BreakError):
            drive(setup, Breaking(lasts))
        shutil.rmtree(run)
        assert fetch_run(url, run)
    assert interrupted_run(run).journal.finished > 0
    monkeypatch.setattr(Mirror, "copy", copy)
    drive(interrupted_run(run))
    assert lasting(run) == lasting(tmp_path / "whole")
    assert fetched(url, tmp_path) == contents(run)


def test_what_has_grown_is_copied_alone_and_what_is_gone_is_not_fetched(url: str, folder: Path, tmp_path: Path) -> None:
    journal = folder / "checkpoints/journal.jsonl"
    (folder / "other").write_text("gone soon")
    copies = Mirror(url, folder, pytest.fail)
    copies.copy(last=True)
    journal.write_text("one\ntwo\n")
    (folder / "other").unlink()
    copies.copy(last=True)
    Mirror(url, folder, pytest.fail).copy(last=True)  # nothing has changed
    pieces = {path.read_text() for path in (tmp_path / "there/mirror/pieces").iterdir()}
    assert pieces == {"{}", "one\n", "two\n", "gone soon"}
    kept = {"config.json": b"{}", "checkpoints/journal.jsonl": b"one\ntwo\n", "checkpoints/mirror": url.encode()}
    assert fetched(url, tmp_path) == kept
    journal.write_text("one\n2\n")
    copies.copy(last=True)
    assert fetched(url, tmp_path)["checkpoints/journal.jsonl"] == b"one\n2\n"


@pytest.mark.parametrize("written", range(3))
def test_a_copy_that_is_cut_short_leaves_the_one_before_and_ends_no_run(
    written: int, url: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    copies, write = Mirror(url, folder, said.append), mirror._write
    copies.copy(last=True)
    before = fetched(url, tmp_path)
    (folder / "checkpoints/journal.jsonl").write_text("one\ntwo\n")
    (folder / "best.xml").write_text("<better/>")
    left = [written]

    def fail(to: str, content: bytes) -> None:
        left[0] -= 1
        write(to, content if left[0] >= 0 else content[:-1])
        if left[0] < 0:
            raise OSError("the line is dead\nand more")

    monkeypatch.setattr(mirror, "_write", fail)
    copies.copy(last=True)
    assert fetched(url, tmp_path) == before
    assert said == [f"the mirror {url} is not up to date: the line is dead; the run goes on, and tries again"]
    monkeypatch.setattr(mirror, "_write", write)
    copies._not_before = 0.0
    copies.copy(last=True)
    assert fetched(url, tmp_path)["best.xml"] == b"<better/>"
    assert said[1:] == [f"the mirror {url} is up to date again"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "config.json").write_text("{1}"), "the mirror of another run"),
        (lambda folder: (folder / "checkpoints/journal.jsonl").write_text(""), "ahead of .*move the folder away"),
    ],
)
def test_a_mirror_of_another_run_and_one_that_is_ahead_are_left_alone(
    change: Callable[[Path], Any], said: str, url: str, folder: Path, tmp_path: Path
) -> None:
    Mirror(url, folder, pytest.fail).copy(last=True)
    before = fetched(url, tmp_path)
    change(folder)
    with pytest.raises(UserError, match=said):
        Mirror(url, folder, pytest.fail)
    assert fetched(url, tmp_path) == before


def test_a_mirror_that_is_damaged_leads_nowhere(url: str, folder: Path, tmp_path: Path) -> None:
    assert not fetch_run(url, tmp_path / "fetched")
    Mirror(url, folder, pytest.fail).copy(last=True)
    there = tmp_path / "there/mirror"
    [piece] = [path for path in (there / "pieces").iterdir() if path.read_text() == "{}"]
    piece.write_text("[]")
    with pytest.raises(ConfigError, match="damaged"):
        fetch_run(url, tmp_path / "fetched")
    [manifest] = there.glob("manifest-*")
    (there / f"manifest-{1 - int(manifest.stem[-1])}.json").write_text("{}")
    manifest.write_text(manifest.read_text().replace("config.json", "../config.json"))
    with pytest.raises(ConfigError, match=r"damaged \(a file '../config.json'\)"):
        fetch_run(url, tmp_path / "fetched")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "there"]
    manifest.write_text("")
    with pytest.raises(ConfigError, match="the mirror is damaged, or of another version"):
        has_mirror(url)


def test_copies_take_a_share_of_the_time(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, write, journal = [100.0], mirror._write, folder / "checkpoints/journal.jsonl"

    def slow(to: str, content: bytes) -> None:
        clock[0] += 1.0
        write(to, content)

    monkeypatch.setattr(mirror, "_write", slow)
    monkeypatch.setattr("gdl_miner.miner.runs.mirror.time.monotonic", lambda: clock[0])
    copies = Mirror(url, folder, pytest.fail)
    copies.copy()
    end, spent = clock[0], clock[0] - 100.0
    journal.write_text("one\ntwo\n")
    for passed, copied in ((0.9, False), (1.1, True)):
        clock[0] = now = end + passed * spent / mirror._LARGEST_SHARE
        copies.copy()
        assert (clock[0] > now) == copied


def test_a_storage_that_is_not_mounted_is_no_empty_one(folder: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/absent/mirror"
    said: list[str] = []
    for ask in (checked_mirror, has_mirror, lambda url: fetch_run(url, tmp_path / "fetched")):
        with pytest.raises(UserError, match=r"there is no folder .*absent on this machine; make it, or mount"):
            ask(url)
    copies = Mirror(url, folder, said.append)
    copies.copy(last=True)
    assert "is not up to date: there is no folder" in said[0]
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://bucket/run", r"a library for s3:// is missing; type: .venv/bin/pip install smart_open\[s3\]"),
        ("https://host/run", "no URL of a storage; give one of file://, s3://, gs://, azure://"),
        ("/a/folder", r"no URL of a storage; give one of .* such as file:///shared/mirror"),
        ("file://shared/mirror", "a path that is not absolute"),
        ("s3://key:secret@bucket/run", "^--mirror: a user or a password in the URL"),
    ],
)
def test_a_url_to_which_nothing_can_be_written_is_refused_before_the_run(
    url: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from smart_open import transport

    monkeypatch.setitem(transport._ERRORS, "s3", "s3")  # also where the library is there
    with pytest.raises(UserError, match=said):
        checked_mirror(url)
