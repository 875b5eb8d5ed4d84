"""Writing into a run's folder: files appear whole or not at all, tables only grow, a full disk is a clear error."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.errors import ConfigError, UserError, unwritable
from miner.results.tables import Row, show

__all__ = ["Table", "beside", "replace_file", "storing"]


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns a failure to write `path` into a UserError that says what to do."""
    try:
        yield
    except OSError as error:
        raise UserError(unwritable(path, error, "mend that")) from error


def beside(path: Path) -> Path:
    """Where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file so that after a crash either the old or the new content is there, whole: write, fsync, rename."""
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


class Table:
    """A CSV file that only grows; rows are flushed as they come."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = tuple(columns)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def append(self, rows: Iterable[Row]) -> None:
        """Adds rows; the head line comes first in a new file. Raises ValueError on a row of the wrong length."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self._path.exists() or self.length() == 0:
            writer.writerow(self._columns)
        for row in rows:
            if len(row) != len(self._columns):
                raise ValueError(f"{self.name}: a row of {len(row)} cells for {len(self._columns)} columns")
            writer.writerow([show(cell) for cell in row])
        with storing(self._path), self._path.open("ab") as file:
            file.write(text.getvalue().encode())
            file.flush()
            os.fsync(file.fileno())

    def check_columns(self) -> None:
        """Raises ConfigError where the file begins with other columns: no row may land under a wrong heading."""
        with storing(self._path), self._path.open(encoding="utf-8", newline="") as file:
            found = tuple(next(csv.reader(file), ()))
        if found != self._columns:
            raise ConfigError(
                f"{self._path}: the columns are those of another version; continue the run with the version that "
                "env.json names"
            )

    def length(self) -> int:
        """Bytes written."""
        return self._path.stat().st_size if self._path.exists() else 0

    def cut(self, length: int) -> None:
        """Forgets what was written beyond `length` bytes."""
        if self.length() > length:
            with storing(self._path):
                os.truncate(self._path, length)
