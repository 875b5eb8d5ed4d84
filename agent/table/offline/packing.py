"""Arrays of whole numbers and JSON around them as one compressed text, which `unpack.js` reads."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LENGTH = "<u4"  # type of the number that says how long the JSON is


class Packing:
    """Arrays of int32 in a row of bytes; equal arrays are kept once.

    A number n is written as 2n, or as -2n - 1 where it is negative, so that small numbers have few bits. The lowest
    bytes of all numbers of an array come first, then the next ones: the higher bytes are mostly 0 and take no room.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._known: dict[bytes, dict[str, list[int]]] = {}

    def add(self, numbers: NDArray[np.integer] | NDArray[np.bool_] | Sequence[int]) -> dict[str, list[int]]:
        """Return what stands for an array in the JSON: the offset of its bytes, its length, and 1 for differences.

        Raises ValueError for a number that does not fit in 32 bits.
        """
        wide = np.asarray(numbers).astype(np.int64).reshape(-1)
        if len(wide) and not (int(wide.min()) >= -(2**31) and int(wide.max()) < 2**31):
            raise ValueError(f"numbers from {wide.min()} to {wide.max()} do not fit in 32 bits")
        key = wide.tobytes()
        if key not in self._known:
            ways = [_planes(wide), _planes(np.diff(wide, prepend=0).astype(np.int32))]
            sizes = [len(zlib.compress(each)) for each in ways]
            differences = int(sizes[1] < sizes[0])
            self._known[key] = {"array": [len(self._bytes), len(wide), differences]}
            self._bytes += ways[differences]
        return self._known[key]

    def text(self, content: dict[str, Any]) -> str:
        """Return the JSON and the arrays as base64 of a zlib stream: the length of the JSON, the JSON, the arrays."""
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        packed = np.array([len(text)], _LENGTH).tobytes() + text + bytes(self._bytes)
        return base64.b64encode(zlib.compress(packed, 9)).decode()


def _planes(numbers: NDArray[np.integer]) -> bytes:
    """Return the bytes of numbers, the lowest bytes of all of them first; differences wrap around at 32 bits."""
    short = numbers.astype(np.int32)
    folded = (short.astype(np.uint32) << np.uint32(1)) ^ (short >> np.int32(31)).astype(np.uint32)
    return np.ascontiguousarray(folded.astype("<u4").view(np.uint8).reshape(-1, 4).T).tobytes()
