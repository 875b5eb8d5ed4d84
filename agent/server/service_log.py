"""The log of a player that runs for long: its lines, its file, and refused requests that cannot fill it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from enum import StrEnum
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from gdl_miner.agent.errors import ConfigError, escaped

LARGEST_FILE = 10 << 20  # bytes of a log file, after which another begins
OLDER_FILES = 4
MOST_REFUSALS = 20  # lines about refused requests in each period
PERIOD_S = 60.0

log = logging.getLogger("gdl_miner.agent.server")


class LogLevel(StrEnum):
    """The least level of lines that are logged."""

    debug = "debug"
    info = "info"
    warning = "warning"
    error = "error"


def start_log(level: LogLevel, path: Path | None) -> None:
    """Log to standard error, or to a file that begins anew when it is large; some older files stay beside it.

    Other programs may rename the file as well: the next line then begins a new one at its name.

    Raises ConfigError if the file cannot be written.
    """
    handler: logging.Handler = logging.StreamHandler()
    if path is not None:
        try:
            handler = _LogFile(path, maxBytes=LARGEST_FILE, backupCount=OLDER_FILES, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written ({error.strerror}); choose another --log") from None
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


class _LogFile(RotatingFileHandler):
    """A rotating file that also follows its name, as `WatchedFileHandler` does: logrotate may rename it at any time."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self.stream is not None and not self._is_at_its_name(self.stream):
                self.stream.close()
                self.stream = self._open()
        except OSError:  # as where its folder is gone
            self.handleError(record)
            return
        super().emit(record)

    def _is_at_its_name(self, stream: TextIO) -> bool:
        try:
            return os.path.samestat(Path(self.baseFilename).stat(), os.fstat(stream.fileno()))
        except FileNotFoundError:
            return False


class _OneLine(logging.Formatter):
    """A message on one line without control characters, because much of it comes from the network."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage().replace("\n", "\\n")
        return escaped(super().format(logging.makeLogRecord({**vars(record), "msg": message, "args": ()})))


class Refusals:
    """Logs refused requests: the first ones of each period with a line each, and of the others their number."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since = now()
        self._count = 0

    def note(self, reason: str) -> None:
        """Take one refused request."""
        self.sum_up()
        self._count += 1
        if self._count <= MOST_REFUSALS:
            log.warning("refused: %s", reason[:500])

    def sum_up(self) -> None:
        """Begin another period if the last one is over; call it now and then."""
        now = self._now()
        if now - self._since < PERIOD_S:
            return
        if self._count > MOST_REFUSALS:
            log.warning("refused %d more requests in %.0f s", self._count - MOST_REFUSALS, now - self._since)
        self._since, self._count = now, 0
