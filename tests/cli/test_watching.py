"""`miner inspect --watch` beside a run that goes on in another process."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import TINY

_COMPLETE = re.compile("(?<!not )complete: ")
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "110", "LINES": "50", "TERM": "xterm"}


@pytest.fixture
def live_run(tmp_path: Path) -> Iterator[tuple[Path, "subprocess.Popen[bytes]"]]:
    """The folder and the process of a run that has just begun and is stopped; SIGCONT lets it go on."""
    (tmp_path / "tiny.toml").write_text(TINY.replace("generations = 2", "generations = 5"))
    command = [sys.executable, "-m", "gdl_miner.miner", "evolve", "--game", "tictactoe.ext", "--executor", "serial"]
    command += ["--config", str(tmp_path / "tiny.toml"), "--out", str(tmp_path / "run")]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not (tmp_path / "run" / "config.json").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        yield tmp_path / "run", process
        process.kill()


@pytest.mark.slow
def test_watching_follows_a_run_in_a_pipe_and_on_a_terminal_and_ends_with_it(
    live_run: tuple[Path, "subprocess.Popen[bytes]"],
) -> None:
    run, process = live_run
    command = [sys.executable, "-m", "gdl_miner.miner", "inspect", str(run), "--watch"]
    ours, theirs = pty.openpty()
    with (
        subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE) as piped,
        subprocess.Popen(command, env=ENVIRONMENT, stdout=theirs) as shown,
    ):
        os.close(theirs)
        assert piped.stdout is not None
        beginning_in_pipe = _read_until(b"not complete: ", piped.stdout.fileno())
        beginning_on_terminal = _read_until(b"not complete: ", ours)
        process.send_signal(signal.SIGCONT)
        on_terminal = beginning_on_terminal + _read_to_the_end(ours)
        in_pipe = beginning_in_pipe + piped.communicate(timeout=120)[0]
    assert (piped.returncode, shown.returncode, process.wait(timeout=60)) == (0, 0, 0)
    for output in (in_pipe.decode(), on_terminal.decode()):
        assert "not complete: " in output
        assert output.index("not complete: ") < output.index(" of 5 generations")
        ends = [match.start() for match in _COMPLETE.finditer(output)]
        assert ends
        assert output.rindex("not complete: ") < min(ends)


def _read_until(text: bytes, stream: int) -> bytes:
    """Return what a program writes to a stream, until the text has come."""
    written = b""
    while text not in written:
        part = os.read(stream, 65536)
        assert part, written
        written += part
    return written


def _read_to_the_end(terminal: int) -> bytes:
    """Return what a program writes to its terminal until it ends; Linux then reports an error instead of an end."""
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass
    os.close(terminal)
    return b"".join(parts)
