"""The folder to which a player writes the record of every match, within a bound."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import RecordError

MOST_RECORDS = 10_000
LONGEST_STEM = 200  # bytes; file systems take names of 255, and a name gets a number and a suffix


@dataclass(frozen=True)
class RecordFolder:
    """A folder with at most so many files, counted with what was there before."""

    path: Path
    most: int = MOST_RECORDS

    def place(self, game: str, match: str) -> Path:
        """Return the path of the next record: ids of matches come again, and no record replaces another.

        Raises RecordError if the folder is full or gone.
        """
        try:
            names = {file.name for file in self.path.iterdir()}
        except OSError as error:
            raise RecordError(f"{self.path}: cannot be read ({error.strerror}); the match is not recorded") from None
        if len(names) >= self.most:
            raise RecordError(
                f"{self.path}: {len(names)} files are there, and --most-records is {self.most}; "
                f"the match is not recorded; move some files away"
            )
        whole = f"{game}-" + re.sub(r"[^\w.-]", "_", match)[:80]
        stem = os.fsencode(whole)[:LONGEST_STEM].decode(errors="ignore")  # no character is split
        name, number = f"{stem}.xml", 1
        while name in names:
            number += 1
            name = f"{stem}-{number}.xml"
        return self.path / name
