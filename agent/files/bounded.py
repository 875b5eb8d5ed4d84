"""Files from others, read within limits: texts of run folders and traces, and arrays whose headers may lie."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import IO

import numpy as np

MAX_TEXT = 256 << 20
"""Largest JSON file, CSV file or trace that is read, in bytes; those of long runs stay below a tenth of it."""


def read_bounded(path: Path, most: int = MAX_TEXT) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises ValueError where it is larger, and OSError."""
    with path.open("rb") as file:
        large = os.fstat(file.fileno()).st_size > most
        content = b"" if large else file.read(most + 1)
    if large or len(content) > most:
        raise ValueError(f"larger than {most >> 20} MiB")
    return content


def check_array(stream: IO[bytes], size: int) -> None:
    """Check the header of an array in the format of NumPy (`.npy`) at the beginning of a stream of `size` bytes.

    NumPy makes room for as many entries as the header claims before it reads any. Raises ValueError where the stream
    does not have exactly the bytes of these entries, or the header is none.
    """
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"an array of the unknown format {version[0]}.{version[1]}")
    shape, _, kind = read(stream)
    if kind.hasobject:
        raise ValueError("its entries are pickled objects, which are never read")
    if min(shape, default=0) < 0:
        raise ValueError(f"an array of the impossible shape {shape}")
    claimed, there = math.prod(shape) * kind.itemsize, size - stream.tell()
    if claimed != there:
        raise ValueError(f"its header claims {math.prod(shape):,} entries, {claimed:,} bytes, and there are {there:,}")
