"""Match records as arrays in a file, small, exact and quick, from which interrupted runs are resumed.

The readable form is the XML under records/. Nothing here is ever unpickled.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import IO

import numpy as np

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files.bounded import check_array
from gdl_miner.agent.search.records import MatchBatchRecord

__all__ = ["MAX_BYTES", "load_record", "pack_record"]


MAX_BYTES = 8 << 30  # largest size of an unpacked archive


def pack_record(record: MatchBatchRecord) -> bytes:
    """Return the content of an archive file."""
    content = io.BytesIO()
    arrays = {each.name: np.asarray(getattr(record, each.name)) for each in fields(record)}
    arrays["ids"] = np.array(record.ids, dtype=np.str_)
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, array in arrays.items():
            with packed.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return content.getvalue()


def load_record(path: Path) -> MatchBatchRecord:
    """Read an archive file. Raises RecordError where it is missing, damaged or too large."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
            if size > MAX_BYTES:
                raise RecordError(f"{path}: larger than {MAX_BYTES >> 30} GiB, so no record of ours; remove it")
            for entry in packed.infolist():
                with packed.open(entry) as stream:
                    _check_entry(entry, stream)
        with np.load(path, allow_pickle=False) as arrays:
            found = {each.name: arrays[each.name] for each in fields(MatchBatchRecord)}
    except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        raise RecordError(
            f"{path}: the record is missing or damaged ({error}); remove the file's run and start anew"
        ) from error
    ids = tuple(str(name) for name in found.pop("ids"))
    return MatchBatchRecord(ids=ids, **found)


def _check_entry(entry: zipfile.ZipInfo, stream: IO[bytes]) -> None:
    """Raise ValueError, which names the entry, where its header claims other than its size."""
    try:
        check_array(stream, entry.file_size)
    except ValueError as error:
        raise ValueError(f"{entry.filename}: {error}") from None
