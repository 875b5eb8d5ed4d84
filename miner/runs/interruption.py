"""Signals that stop a run so that it can be resumed, and the command that resumes it."""

from __future__ import annotations

import shlex
import shutil
import signal
import sys
import threading
from pathlib import Path
from types import FrameType


def interrupt_on_termination() -> None:
    """Let SIGTERM stop a run as Ctrl-C does, and replace earlier handlers of both signals.

    The function does nothing outside the main thread, where no handler can be set.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def resume_command(run: Path) -> str:
    """Return the command that goes on with a run; it has the path of the miner where the shell would not find it."""
    running = Path(sys.argv[0])
    miner = Path("miner")
    if running.name == "miner" and shutil.which("miner") != str(running):
        miner = running.relative_to(Path.cwd()) if running.is_relative_to(Path.cwd()) else running
    return shlex.join([str(miner), "resume", str(run)])
