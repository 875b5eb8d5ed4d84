"""Match records as arrays in a file: small, exact and quick, for going on after an interruption.

The readable form is the XML under records/. Nothing here is ever unpickled.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.errors import RecordError
from agent.search.records import MatchBatchRecord

__all__ = ["MAX_BYTES", "load_record", "pack_record", "select_matches", "select_places"]


MAX_BYTES = 8 << 30  # of an archive, unpacked


def select_matches(record: MatchBatchRecord, ids: Sequence[str]) -> MatchBatchRecord:
    """The matches with these ids, in this order. Raises KeyError where one is not in the record."""
    place = {name: number for number, name in enumerate(record.ids)}
    return select_places(record, np.array([place[name] for name in ids], dtype=np.int64))


def select_places(record: MatchBatchRecord, chosen: NDArray[np.int64]) -> MatchBatchRecord:
    """The matches at these places of the record, in this order."""
    steps, start = _gather(record.start.astype(np.int64), chosen)
    visits, visit_start = _gather(record.visit_start, steps)
    return MatchBatchRecord(
        ids=tuple(record.ids[place] for place in chosen.tolist()),
        start=start.astype(record.start.dtype),
        states=record.states[steps],
        moves=record.moves[steps],
        goals=record.goals[chosen],
        visit_start=visit_start,
        visit_row=record.visit_row[visits],
        visit_count=record.visit_count[visits],
        players=record.players[chosen],
        playouts=record.playouts[chosen],
    )


def pack_record(record: MatchBatchRecord) -> bytes:
    """The content of an archive file."""
    content = io.BytesIO()
    arrays = {each.name: np.asarray(getattr(record, each.name)) for each in fields(record)}
    arrays["ids"] = np.array(record.ids, dtype=np.str_)
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, array in arrays.items():
            with packed.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return content.getvalue()


def load_record(path: Path) -> MatchBatchRecord:
    """Reads an archive file. Raises RecordError where it is missing, damaged or too large."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > MAX_BYTES:
            raise RecordError(f"{path}: larger than {MAX_BYTES >> 30} GiB, so no record of ours; remove it")
        with np.load(path, allow_pickle=False) as arrays:
            found = {each.name: arrays[each.name] for each in fields(MatchBatchRecord)}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise RecordError(
            f"{path}: the record is missing or damaged ({error}); remove the file's run and start anew"
        ) from error
    ids = tuple(str(name) for name in found.pop("ids"))
    return MatchBatchRecord(ids=ids, **found)


def _gather(start: NDArray[np.int64], chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the elements of the chosen segments, and the offsets of those segments among them."""
    lengths = start[chosen + 1] - start[chosen]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    positions = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - start[chosen], lengths)
    return positions.astype(np.int64), offsets
