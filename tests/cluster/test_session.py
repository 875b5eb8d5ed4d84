import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import pytest
import ray

from gdl_miner.agent.errors import UserError
from gdl_miner.cluster.session import start_session


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {what: signal.getsignal(what) for what in (signal.SIGTERM, signal.SIGINT)}
    yield
    for what, handler in before.items():
        signal.signal(what, handler)


def test_sigterm_is_a_ctrl_c_also_while_ray_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> Never:  # as Ray does
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(KeyboardInterrupt):
        start_session(1)


def test_a_ray_that_does_not_start_is_an_error_of_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    attempts = []

    def init(**_: object) -> Never:  # as Ray does on a machine that is too busy
        attempts.append(1)
        raise Exception("The current node timed out during startup. This could happen\nbecause ...")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(
        UserError, match=r"^Ray does not start: The current node timed out [^\n]*; try --executor serial$"
    ):
        start_session(1)
    assert len(attempts) == 2
    assert list(folder.iterdir()) == []


def test_a_ray_that_is_slow_to_start_is_started_once_more(
    monkeypatch: pytest.MonkeyPatch, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folders = []

    def init(_temp_dir: str, **_: object) -> None:
        folders.append(Path(_temp_dir).parent)
        if len(folders) == 1:
            raise Exception("The current node timed out during startup")

    monkeypatch.setattr(ray, "init", init)
    session = start_session(1)
    assert list(folder.iterdir()) == [folders[1]]
    assert folders[0] != folders[1]
    assert "Ray did not start (The current node timed out during startup); it is started once more" in caplog.text
    session.close()
    assert list(folder.iterdir()) == []


def test_sigterm_is_a_ctrl_c_once_ray_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "init", lambda **_: signal.signal(signal.SIGTERM, signal.SIG_IGN))
    start_session(1)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
