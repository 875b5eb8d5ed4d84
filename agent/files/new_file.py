"""Files that appear only when they are complete."""

import errno
import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import UserError, unwritable

__all__ = ["check_place", "new_file"]

_ADVICE = "name a file in a folder that can be written"


def check_place(path: Path, error: type[UserError]) -> None:
    """Raises the error class given where a file can plainly not be written: to be asked before long work for it."""
    if path.is_dir():
        problem = errno.EISDIR
    elif not path.parent.is_dir():
        problem = errno.ENOENT
    elif not os.access(path.parent, os.W_OK):
        problem = errno.EACCES
    else:
        return
    raise error(unwritable(path, OSError(problem, os.strerror(problem)), _ADVICE))


@contextmanager
def new_file(path: Path, error: type[UserError]) -> Iterator[Callable[[bytes], int]]:
    """Write a file beside its place and move it there in the end; compressed where the name ends in `.gz`.

    Equal contents give equal bytes, compressed or not. Yields the function that writes. Raises the error class given
    where the file cannot be written; what was there before then stays.
    """
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as plain:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", compresslevel=4, mtime=0) as packed:
                    yield packed.write
            else:
                yield plain.write
        partial.replace(path)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise error(unwritable(path, problem, _ADVICE)) from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
