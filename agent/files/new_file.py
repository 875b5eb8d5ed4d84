"""Files that appear, or take the place of older ones, only when they are complete."""

from __future__ import annotations

import errno
import gzip
import itertools
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gdl_miner.agent.errors import UserError, unwritable
from gdl_miner.agent.reading import open_file, refuse_special

_ADVICE = "name a file in a folder that can be written"
_UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.new")  # name of what has not taken its place yet


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
    try:
        with _beside(path) as plain:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", compresslevel=4, mtime=0) as packed:
                    yield packed.write
            else:
                yield plain.write
    except OSError as problem:
        raise error(unwritable(path, problem, _ADVICE)) from None


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn a failure to write `path` into a UserError that says what to do."""
    try:
        yield
    except OSError as error:
        raise UserError(unwritable(path, error, "mend that")) from error


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file so that after a crash either the old or the new content is there, whole: write, fsync, rename.

    `mode` are the permissions of the new file, by default those that new files get.
    """
    with storing(path):
        with _beside(path) as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)


def append_file(path: Path, content: bytes, length: int | None = None) -> None:
    """Write at the end of a file and to the disk, after its first `length` bytes if that is given.

    A link is not followed; of a file with several names (hard links) only this one gets the new content.
    Raises OSError.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666), "ab") as file:
        found = os.fstat(file.fileno())
        refuse_special(found)
        if found.st_nlink == 1:
            if length is not None:
                file.truncate(length)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            return
    with open_file(path) as file:
        before = file.read(found.st_size if length is None else length)
    replace_file(path, before + content)


def make_folder(path: Path) -> Path:
    """Make a new folder at a path, or where something is there, at the path with -2, -3, … at its end; return it."""
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            place = path if number == 1 else path.with_name(f"{path.name}-{number}")
            with suppress(FileExistsError):
                place.mkdir()
                return place
    raise AssertionError  # the numbers have no end


def unfinished_path(path: Path) -> Path:
    """Return a path beside another that nobody can guess, for what will take its place when it is complete."""
    return path.with_name(f".{secrets.token_hex(8)}.new")


def is_unfinished(path: Path) -> bool:
    """Whether a path is one of `unfinished_path`."""
    return _UNFINISHED.fullmatch(path.name) is not None


def remove_unfinished(folder: Path) -> None:
    """Remove what processes that were killed have left at unfinished paths in a folder, at any depth."""
    with storing(folder):
        for path in [path for path in folder.rglob(".*.new") if is_unfinished(path)]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """Open a new file, which takes the place of `path` at the end of the block, and is removed after an error.

    A link at `path` is replaced and not followed.
    """
    new = unfinished_path(path)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
