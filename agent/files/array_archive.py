"""Named arrays in one file, small, exact and quick to write, with a hash of all of it. Nothing here is ever unpickled.

An archive is a zip file (`.npz`) whose comment is the SHA-256 of its entries, so that a change is noticed. The readers
take what the writers here write, and nothing else: arrays of numbers, truth values or texts, each as long as its header
says, in entries that are stored or deflated.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reading import open_file

MAX_BYTES = 8 << 30  # largest size of an unpacked archive
_MOST_AT_ONCE = 4 << 20  # bytes that are read at once, such as the directory of an archive
_PIECE = 1 << 20
_DIMENSIONS = 8
_FLAGS = 0x800  # of an entry: its name is UTF-8. All others, such as encryption, are refused.
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][biufU][0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n"
)


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of an archive file with these arrays by name."""
    content, digest = io.BytesIO(), sha256()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, array in arrays.items():
            entry = f"{name}.npy"
            digest.update(entry.encode())
            with packed.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(_Hashed(stream, digest), array, version=(1, 0), allow_pickle=False)
        packed.comment = digest.hexdigest().encode()
    return content.getvalue()


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of an archive file. Raises ValueError where it is missing, damaged, changed or too large."""
    try:
        with _Piecewise(open_file(path).detach()) as file:
            return _read_archive(file)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error


def unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of the content of an archive file. Raises ValueError where it is damaged or too large."""
    return _read_archive(io.BytesIO(content))


def _read_archive(file: IO[bytes]) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(file) as packed:
            return _arrays(packed)
    except (  # zipfile raises a RuntimeError for a cipher, and for a way of packing that it does not know
        EOFError,
        MemoryError,
        OverflowError,
        RuntimeError,
        struct.error,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def read_array(stream: Readable, size: int) -> NDArray[Any]:
    """Read the array in the format of NumPy (`.npy`) that a stream of `size` bytes is.

    Room is made only for what is there. Raises ValueError where the stream is no such array.
    """
    begin = stream.read(len(_MAGIC) + 2)
    if begin[:-2] != _MAGIC:
        raise ValueError(f"no array of NumPy, or one of an unknown format, for it begins with {begin[:-2]!r}")
    header = stream.read(int.from_bytes(begin[-2:], "little"))
    found = _HEADER.fullmatch(header)
    if found is None:
        raise ValueError(f"its header is {header[:60]!r}, and not that of an array of numbers or texts")
    try:
        kind = np.dtype(found[1].decode())
    except TypeError:
        kind = np.dtype("V")
    shape = tuple(int(length) for length in found[3].replace(b",", b" ").split())
    if kind.itemsize == 0 or len(shape) > _DIMENSIONS:
        raise ValueError(f"an array of the impossible kind {found[1].decode()} or shape {shape[:_DIMENSIONS]}")
    claimed, there = math.prod(shape) * kind.itemsize, size - len(begin) - len(header)
    if claimed != there:
        raise ValueError(f"its header claims {math.prod(shape):,} entries, {claimed:,} bytes, and there are {there:,}")
    array = np.empty(math.prod(shape), kind)
    room = array.view(np.uint8).data
    for place in range(0, claimed, _PIECE):
        piece = stream.read(min(_PIECE, claimed - place))
        room[place : place + len(piece)] = piece
        if len(piece) < min(_PIECE, claimed - place):
            raise EOFError("the array ends too early")
    if kind.kind == "b" and claimed and array.view(np.uint8).max() > 1:
        raise ValueError("an array of truth values that are neither true nor false")
    return array.reshape(shape[::-1]).T if found[2] == b"True" else array.reshape(shape)


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, fewer only at the end."""


class _Hashed:
    """A stream whose bytes are hashed as they pass."""

    def __init__(self, stream: IO[bytes], digest: Any) -> None:
        self._stream = stream
        self._digest = digest

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        return self._stream.write(data)

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self._digest.update(data)
        return data


class _Piecewise(io.BufferedReader):
    """A file of which little is read at once, whatever an archive says about the length of its directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = _MOST_AT_ONCE + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, _MOST_AT_ONCE + 1))
        if len(data) > _MOST_AT_ONCE:
            raise ValueError(f"its directory is larger than {_MOST_AT_ONCE >> 20} MiB")
        return data


def _arrays(packed: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    entries, digest = packed.infolist(), sha256()
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES >> 30} GiB")
    arrays = {}
    for entry in entries:
        name = entry.filename.removesuffix(".npy")
        if name == entry.filename or name in arrays:
            raise ValueError(f"{entry.filename}: no array, or there are two of the name")
        if entry.flag_bits & ~_FLAGS or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{entry.filename}: encrypted, or packed in another way than stored or deflated")
        digest.update(entry.filename.encode())
        with packed.open(entry) as stream:
            try:
                arrays[name] = read_array(_Hashed(stream, digest), entry.file_size)
            except (ValueError, EOFError) as error:
                raise ValueError(f"{entry.filename}: {error}") from None
    if packed.comment != digest.hexdigest().encode():
        raise ValueError("it is not as it was written: its hash is another, or missing")
    return arrays
