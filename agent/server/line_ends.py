"""Heads of requests whose lines end in a bare line feed, as controllers written in Java used to send them."""

from __future__ import annotations

import asyncio
import re

__all__ = ["LineEnds", "WholeLineEnds"]

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class WholeLineEnds:
    """Makes the line ends of one head those of HTTP, piece by piece; what follows the head stays as it is."""

    def __init__(self) -> None:
        self._tail = b""  # of what was given back, to see line ends that lie across pieces
        self._over = False

    def feed(self, piece: bytes) -> bytes:
        """The next piece, mended."""
        if self._over:
            return piece
        mended = bytearray()
        for line in _LINE.findall(piece):
            if self._over:
                mended += line
                continue
            if line.endswith(b"\n") and not (self._tail + line).endswith(b"\r\n"):
                line = line[:-1] + b"\r\n"
            mended += line
            self._tail = (self._tail + line)[-4:]
            self._over = self._tail == b"\r\n\r\n"
        return bytes(mended)


class LineEnds(asyncio.Protocol):
    """A protocol before another one: the head that comes in is mended."""

    def __init__(self, inner: asyncio.Protocol) -> None:
        self._inner = inner
        self._head = WholeLineEnds()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand on."""
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Hand on, mended."""
        self._inner.data_received(self._head.feed(data))

    def eof_received(self) -> bool | None:
        """Hand on."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Hand on."""
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Hand on."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Hand on."""
        self._inner.resume_writing()
