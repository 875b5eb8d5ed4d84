"""Comparison of two runs, byte for byte, in everything that must not depend on machine, workers or time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import why_unreadable
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.values.table_file import PATTERN as TABLES
from gdl_miner.miner.results.store import ACCEPTANCE, BEST, LAST, PRUNING, VALUE_TRIAL, WHOLE
from gdl_miner.miner.results.tables import TIMINGS_FILE

MOST = 4 << 30  # bytes of a file that is compared
_FILES = ("champion.json", BEST, LAST, WHOLE, PRUNING, ACCEPTANCE, VALUE_TRIAL)
_FOLDERS = (("knowledge", "*/*.xml"), ("knowledge", f"*/{TABLES}"), (".", TABLES), ("records", "*.xml.gz"))


@dataclass(frozen=True)
class ByteAgreement:
    """The result of comparing two runs."""

    same: tuple[str, ...]  # files, relative to the folders
    differing: tuple[str, ...]  # files, each with the place of its first difference

    @property
    def complete(self) -> bool:
        """Whether there are files and all of them agree."""
        return bool(self.same) and not self.differing


def compare_bytes(one: Path, other: Path) -> ByteAgreement:
    """Compare tables, knowledge, records and champions of two runs' folders; timings and environment may differ."""
    same, differing = [], []
    for name in sorted(_results(one) | _results(other)):
        difference = _difference(one / name, other / name)
        if difference is None:
            same.append(name)
        else:
            differing.append(f"{name}: {difference}")
    return ByteAgreement(tuple(same), tuple(differing))


def _results(folder: Path) -> set[str]:
    found = {name for name in _FILES if (folder / name).exists()}
    found |= {path.name for path in folder.glob("*.csv") if path.name != TIMINGS_FILE}
    for name, pattern in _FOLDERS:
        found |= {str(path.relative_to(folder)) for path in (folder / name).glob(pattern)}
    return found


def _difference(one: Path, other: Path) -> str | None:
    """Return the place where two files first differ; None where they agree."""
    for path, counterpart in ((one, other), (other, one)):
        if not path.exists():
            return f"only in {counterpart.parent}"
    try:
        first, second = read_bounded(one, MOST), read_bounded(other, MOST)
    except (OSError, ValueError) as error:
        return f"cannot be compared ({why_unreadable(error)})"
    if first == second:
        return None
    if one.suffix in (".gz", ".npy"):
        return "differs"
    lines = zip(first.splitlines(), second.splitlines(), strict=False)
    number = next((number for number, (a, b) in enumerate(lines, 1) if a != b), None)
    return f"differs in line {number}" if number else "one ends before the other"
