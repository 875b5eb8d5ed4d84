"""Requests of hostile clients to a player."""

import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = ["COUNTER", "HEAD", "Refused", "besieged", "connected", "posted"]

# A counter of twelve digits: the game has three moves, and too many states to ground.
COUNTER = """
(role a) (next_digit 0 1) (next_digit 1 2) (next_digit 2 3) (next_digit 3 4) (next_digit 4 5) (next_digit 5 6)
(next_digit 6 7) (next_digit 7 8) (next_digit 8 9) (next_digit 9 0)
(init (digits 0 0 0 0 0 0 0 0 0 0 0 0)) (legal a up) (legal a same) (legal a down)
(<= (next (digits ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)) (does a same)
    (true (digits ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)))
(<= (next (digits ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?x)) (does a up) (next_digit ?a ?x)
    (true (digits ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)))
(<= (next (digits ?l ?y ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k)) (does a down) (next_digit ?y ?a)
    (true (digits ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)))
(<= terminal (true (digits 3 3 3 3 3 3 3 3 3 3 3 3)))
(goal a 50)
"""

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
HUNDRED_MB = 100 << 20


class Refused(NamedTuple):
    """Connections that must be answered with a status."""

    large: socket.socket  # 413
    compressed: socket.socket  # 415
    chunked: socket.socket  # 413


def connected(url: str, data: bytes) -> socket.socket:
    """Return a connection that has sent some bytes."""
    address = urlsplit(url)
    connection = socket.create_connection((address.hostname or "", address.port or 0), timeout=20)
    connection.sendall(data)
    return connection


def posted(url: str, text: str | bytes, timeout: float = 30.0) -> str:
    """Return the answer to a message, preceded by its status if that is not 200."""
    data = text if isinstance(text, bytes) else text.encode()
    request = urllib.request.Request(url, data, {"Content-Type": "text/acl"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return str(reply.read().decode())
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"


def _flood(url: str) -> None:
    """Send a body of 100 MB without reading an answer."""
    with suppress(OSError), connected(url, HEAD + b"Transfer-Encoding: chunked\r\n\r\n") as connection:
        for _ in range(HUNDRED_MB >> 16):
            connection.sendall(b"10000\r\n" + b"(" * 65536 + b"\r\n")


def _post(url: str, text: str) -> None:
    with suppress(OSError):
        posted(url, text)


@contextmanager
def besieged(url: str, match: str) -> Iterator[Refused]:
    """Attack a server: 200 connections that send little or nothing, bodies of 100 MB, deep nesting, explosive rules."""
    idle = [connected(url, b"") for _ in range(100)]
    idle += [connected(url, HEAD) for _ in range(50)]
    idle += [connected(url, HEAD + b"Content-Length: 50\r\n\r\n(in") for _ in range(50)]
    refused = Refused(
        connected(url, HEAD + f"Content-Length: {HUNDRED_MB}\r\n\r\n".encode() + b"(" * 65536),
        connected(url, HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        connected(url, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 8),
    )
    messages = (
        f"(play {match} " + "(" * 200_000,
        f"(play {match} (" + "x " * 60_000 + "))",
        f"(start other a ({COUNTER}) 60 5)",
        f"(preview ({COUNTER}) 60)",
        "\0" * 60_000,
    )
    threads = [threading.Thread(target=_post, args=(url, message)) for message in messages]
    threads.append(threading.Thread(target=_flood, args=(url,)))
    for thread in threads:
        thread.start()
    try:
        yield refused
    finally:
        for thread in threads:
            thread.join()
        for connection in (*idle, *refused):
            connection.close()
