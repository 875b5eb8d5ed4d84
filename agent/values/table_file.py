"""Files beside knowledge files that hold the weights of tuples as whole numbers (docs/formats.md, *Tables*).

A table is one array of int32, little-endian, in the format of NumPy (`.npy`). Its name has the hash of its bytes, so
that equal tables of several knowledge files are one file, and a copy keeps its name.
"""

from __future__ import annotations

import io
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.files.array_archive import read_array
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.agent.reading import read_bounded

DECIMALS = 4  # of weights in tables that are written
PATTERN = "values-*.npy"
MOST_BYTES = 256 << 20
_HASH_IN_NAME = 16  # hexadecimal digits


def table_content(numbers: NDArray[np.int32]) -> bytes:
    """Return the bytes of the table of some numbers."""
    stream = io.BytesIO()
    np.save(stream, numbers.astype("<i4"), allow_pickle=False)
    return stream.getvalue()


def table_name(content: bytes) -> str:
    """Return the name of the file of a table."""
    return f"values-{sha256(content).hexdigest()[:_HASH_IN_NAME]}.npy"


def whole_numbers(weights: NDArray[np.float64]) -> NDArray[np.int32] | None:
    """Return weights in units of 10^-DECIMALS; None if not all of them are such numbers."""
    scaled = np.rint(weights * 10**DECIMALS)
    return scaled.astype(np.int32) if (scaled / 10**DECIMALS == weights).all() else None


def write_table(content: bytes, folder: Path) -> None:
    """Write a table into a folder, unless it is there. Raises KnowledgeError where it cannot be written."""
    path = folder / table_name(content)
    try:
        known = read_bounded(path, len(content)) == content
    except (OSError, ValueError):
        known = False
    if not known:
        with new_file(path, KnowledgeError) as write:
            write(content)


def read_table(path: Path, digest: str) -> NDArray[np.int32]:
    """Read a table whose bytes have this SHA-256.

    Raises:
        ValueError: the file is missing or not this table; the message says what is wrong and what to do.
    """
    try:
        content = read_bounded(path, MOST_BYTES)
    except FileNotFoundError:
        raise ValueError(
            f"the table {path.name} is not in the folder of the knowledge file; copy it there from where this file "
            "comes from: both belong together"
        ) from None
    except OSError as problem:
        raise ValueError(f"the table {path} cannot be read ({problem.strerror}); mend that") from None
    except ValueError as problem:
        raise ValueError(f"the table {path.name} is {problem}; restore the file") from None
    if sha256(content).hexdigest() != digest:
        raise ValueError(
            f"the table {path.name} has the hash {sha256(content).hexdigest()[:_HASH_IN_NAME]}…, not "
            f"{digest[:_HASH_IN_NAME]}…: it was damaged or belongs to another file; restore it"
        )
    try:
        numbers = read_array(io.BytesIO(content), len(content))
    except ValueError as problem:
        raise ValueError(f"the table {path.name} is no array of NumPy ({problem}); give a .npy file") from None
    if numbers.ndim != 1 or numbers.dtype != np.dtype("<i4"):
        raise ValueError(f"the table {path.name} is no list of int32, little-endian; give one")
    return numbers
