"""The run lock: only one process at a time works on a run, because two would replace each other's files."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import ConfigError

__all__ = ["lock_run"]

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)  # errors of file systems without locks


@contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Keep other processes from working on a run inside the block.

    The operating system releases the lock when the process ends for any reason. Nothing is locked where the folder
    holds no run or its file system has no locks. Raises ConfigError where another process has the lock.
    """
    try:
        descriptor = os.open(folder / "config.json", os.O_RDWR)
    except OSError:  # the code that reads the file reports the error
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"{folder}: another process works on this run; wait for it or stop it, and look on with "
                f"`miner inspect {folder} --watch`"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)
