"""Match records as arrays in a file, from which interrupted runs are resumed. The readable form is XML."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays
from gdl_miner.agent.search.records import MatchBatchRecord


def pack_record(record: MatchBatchRecord) -> bytes:
    """Return the content of an archive file."""
    arrays = {each.name: np.asarray(getattr(record, each.name)) for each in fields(record)}
    return pack_arrays({**arrays, "ids": np.array(record.ids, dtype=np.str_)})


def load_record(path: Path) -> MatchBatchRecord:
    """Read an archive file. Raises RecordError where it is missing, damaged or too large."""
    try:
        arrays = load_arrays(path)
        found = {each.name: arrays[each.name] for each in fields(MatchBatchRecord)}
    except (ValueError, KeyError) as error:
        raise RecordError(
            f"{path}: the record is missing or damaged ({error}); remove the file's run and start anew"
        ) from error
    ids = tuple(str(name) for name in found.pop("ids"))
    return MatchBatchRecord(ids=ids, **found)
