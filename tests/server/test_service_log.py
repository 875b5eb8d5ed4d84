"""The file of the log: it begins anew when it is large, and no line is lost when other programs rename or remove it."""

import gzip
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from gdl_miner.agent.server import service_log
from gdl_miner.agent.server.service_log import LogLevel, start_log

Start: TypeAlias = Callable[[Path], logging.Logger]

LINES = 40


@pytest.fixture
def start() -> Iterator[Start]:
    """Begin to log to a file as the player does; the handlers of the test are back in the end."""
    root = logging.getLogger()
    kept = (list(root.handlers), root.level)

    def begin(path: Path) -> logging.Logger:
        root.handlers = []  # that of the capture of pytest is added after the fixtures
        start_log(LogLevel.info, path)
        return logging.getLogger("gdl_miner.agent.server.test")

    yield begin
    for handler in root.handlers:
        handler.close()
    root.handlers, root.level = kept


def numbers(*texts: str) -> list[int]:
    return [int(line.rsplit(" ", 1)[1]) for text in texts for line in text.splitlines()]


@pytest.mark.parametrize("compressed", [False, True], ids=["renamed", "renamed and compressed"])
def test_a_file_that_is_renamed_at_any_line_loses_none(tmp_path: Path, start: Start, compressed: bool) -> None:
    path, older = tmp_path / "player.log", list[str]()
    log = start(path)
    for number in range(LINES):
        if number % 7 == 3:
            moved = path.rename(tmp_path / f"player.log.{number}")
            if compressed:  # and what is written to the old file from now on would be lost
                with gzip.open(f"{moved}.gz", "wb") as packed, moved.open("rb") as plain:
                    shutil.copyfileobj(plain, packed)
                moved.unlink()
                older.append(gzip.decompress(Path(f"{moved}.gz").read_bytes()).decode())
        log.info("line %d", number)
    if not compressed:
        older = [(tmp_path / f"player.log.{number}").read_text() for number in range(3, LINES, 7)]
    assert numbers(*older, path.read_text()) == list(range(LINES))


def test_a_file_that_is_emptied_or_removed_takes_the_next_lines(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "player.log"
    log = start(path)
    log.info("line 0")
    path.write_text("")  # as logrotate's copytruncate does
    log.info("line 1")
    assert numbers(path.read_text()) == [1]
    path.unlink()
    log.info("line 2")
    assert numbers(path.read_text()) == [2]


def test_a_folder_that_is_gone_costs_its_lines_and_no_more(
    tmp_path: Path, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "player.log"
    path.parent.mkdir()
    log = start(path)
    shutil.rmtree(path.parent)
    log.info("line 0")
    assert "No such file" in capsys.readouterr().err
    path.parent.mkdir()
    log.info("line 1")
    assert numbers(path.read_text()) == [1]


def test_a_large_file_begins_anew_beside_a_renamed_one(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_log, "LARGEST_FILE", 500)
    path = tmp_path / "player.log"
    log = start(path)
    for number in range(LINES):
        if number == 20:
            path.rename(tmp_path / "kept")
        log.info("line %d", number)
    own = sorted(tmp_path.glob("player.log*"), reverse=True)
    assert 1 < len(own) <= service_log.OLDER_FILES + 1
    assert all(each.stat().st_size <= 500 for each in own)
    found = numbers((tmp_path / "kept").read_text(), *(each.read_text() for each in own))
    assert sorted(found) == list(range(min(found), LINES))
