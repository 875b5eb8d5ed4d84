"""Files that appear, or take the place of older ones, only when they are complete."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gdl_miner.agent.errors import UserError, unwritable

_ADVICE = "name a file in a folder that can be written"


def check_place(path: Path, error: type[UserError]) -> None:
    """Raise the error class given if a file plainly cannot be written; to be called before long work for the file."""
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
    """Write a file beside its place and move it there at the end; it is compressed if its name ends in `.gz`.

    Yields the function that writes. Equal contents give equal bytes, compressed or not. Raises the error class given
    if the file cannot be written; an older file in its place then stays.
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


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn a failure to write `path` into a UserError that says what to do."""
    try:
        yield
    except OSError as error:
        raise UserError(unwritable(path, error, "mend that")) from error


def beside(path: Path) -> Path:
    """Return the path at which a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that after a crash either the old or the new content is there, whole: write, fsync, rename."""
    new = beside(path)
    with storing(path):
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
