"""Files that take the place of older ones: after a crash either the old or the new content is there, whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdl_miner.agent.errors import UserError, unwritable

__all__ = ["beside", "replace_file", "storing"]


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
