"""The table files of a run's folder; a full disk gives a clear error."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import storing
from gdl_miner.miner.results.tables import TableRow, show


class CsvTable:
    """A CSV file that grows at its end; new rows are written to disk at once."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = tuple(columns)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def append(self, rows: Iterable[TableRow]) -> None:
        """Add rows; a new file begins with the header line. Raises ValueError on a row of the wrong length."""
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

    def check(self, length: int) -> None:
        """Raise ConfigError where the file has other columns, or lacks some of the first `length` bytes."""
        if not length:
            return
        if self.length() == 0:
            raise ConfigError(f"{self._path}: the table is missing; restore it, or begin a new run")
        with storing(self._path), self._path.open(encoding="utf-8", newline="") as file:
            found = tuple(next(csv.reader(file), ()))
        if found != self._columns:
            raise ConfigError(
                f"{self._path}: the columns are those of another version; continue the run with the version that "
                "env.json names"
            )
        if self.length() < length:
            raise ConfigError(f"{self._path}: rows are missing; restore the table, or begin a new run")

    def length(self) -> int:
        """Return the number of bytes written."""
        return self._path.stat().st_size if self._path.exists() else 0

    def cut(self, length: int) -> None:
        """Cut off everything after the first `length` bytes."""
        if self.length() > length:
            with storing(self._path):
                os.truncate(self._path, length)
