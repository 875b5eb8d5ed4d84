"""Locks: only one process at a time works on a run or a sweep, because two would replace each other's files."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from gdl_miner.agent.errors import ConfigError

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)  # errors of file systems without locks


def lock_run(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from working on a run; see `lock`. Nothing is locked where the folder holds no run."""
    busy = f"{folder}: another process works on this run; wait for it or stop it, and look on with "
    return lock(folder / "config.json", f"{busy}`miner inspect {folder} --watch`")


@contextmanager
def lock(path: Path, busy: str) -> Iterator[None]:
    """Lock a file for this process inside the block.

    The operating system releases the lock when the process ends for any reason. Nothing is locked where there is no
    such file or its file system has no locks. Raises ConfigError with the message `busy` where another process has the
    lock.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # the code that reads the file reports the error
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(busy) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)
