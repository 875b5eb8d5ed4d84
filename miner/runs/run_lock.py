"""One process at a time works on a run: two would replace each other's files."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import ConfigError

__all__ = ["lock_run"]

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL)  # a file system that knows none


@contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Keeps other processes from working on a run meanwhile; the system ends it with the process, however that ends.

    A folder without a run is nobody's. Raises ConfigError where another process has the run.
    """
    try:
        descriptor = os.open(folder / "config.json", os.O_RDWR)
    except OSError:  # whoever reads it says what is wrong
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
