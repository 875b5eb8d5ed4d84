"""Signals that stop a run so that it can be resumed."""

from __future__ import annotations

import signal
import threading
from types import FrameType

__all__ = ["interrupt_on_termination"]


def interrupt_on_termination() -> None:
    """SIGTERM stops a run the way Ctrl-C does, whoever handled them before; in the main thread only."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
