"""Repair of request heads whose lines end in a bare line feed, as some controllers written in Java send them."""

from __future__ import annotations

import asyncio
import re

__all__ = ["LineEnds", "WholeLineEnds"]

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class WholeLineEnds:
    """A converter of the line ends of one head to those of HTTP, piece by piece; the body stays as it is."""

    def __init__(self) -> None:
        self._tail = b""  # the last bytes returned, to recognise line ends that are split between pieces
        self._over = False

    def feed(self, piece: bytes) -> bytes:
        """Return the next piece with its line ends converted."""
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
    """A protocol in front of another one that converts the line ends of the incoming head."""

    def __init__(self, inner: asyncio.Protocol) -> None:
        self._inner = inner
        self._head = WholeLineEnds()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Forward the call."""
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Forward the data with the line ends of the head converted."""
        self._inner.data_received(self._head.feed(data))

    def eof_received(self) -> bool | None:
        """Forward the call."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forward the call."""
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Forward the call."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Forward the call."""
        self._inner.resume_writing()
