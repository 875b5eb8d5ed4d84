"""HTTP as controllers, browsers and hostile clients speak it."""

import time

import pytest

from gdl_miner.agent.server import http
from tests.server.attacks import besieged, connected
from tests.server.serving import Serving, rules_text


def test_a_running_match_stays_on_time_under_hostile_load(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEADER_TIME_S", 1.0)
    assert server.send(f"(START M2 X ({rules_text('tictactoe.ext')}) 1 2)") == "ready"
    with besieged(server.url, "M2") as refused:
        joint = "NIL"
        for _ in range(2):
            move, seconds = server.timed(f"(PLAY M2 {joint})")
            assert seconds < 2
            assert move.startswith("(mark") or move == "noop"
            joint = f"({move} noop)"
        assert refused.large.recv(12) == b"HTTP/1.1 413"
        assert refused.compressed.recv(12) == b"HTTP/1.1 415"
        assert refused.chunked.recv(12) == b"HTTP/1.1 413"
        deadline = time.monotonic() + 5
        while server.server._since and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not server.server._since
    assert server.send("(ABORT M2)") == "aborted"


def test_a_slow_body_is_given_up(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BODY_TIME_S", 0.3)
    slow = connected(server.url, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n(in")
    assert slow.recv(12) == b"HTTP/1.1 408"
    slow.close()


def test_connections_are_bounded(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 20)
    idle = [connected(server.url, b"") for _ in range(60)]
    assert "tester" in server.send("(info)")
    while len(server.server._since) > 21:
        time.sleep(0.01)
    for connection in idle:
        connection.close()


@pytest.mark.parametrize(
    ("lines", "end", "after"),
    [
        ("Accept: text/delim|Host: h|Sender: GAMESERVER|Receiver: T|Content-Type: text/acl", b"\r\n", b""),
        ("Accept: text/delim|Sender: GAMESERVER|Receiver: T|Content-type: text/acl", b"\n", b"\n"),
        ("Accept: text/delim|Sender: Gamecontroller|Receiver: localhost|Content-type: text/acl", b"\r\n", b""),
    ],
    ids=["ggp-base", "older Java", "Dresden"],
)
def test_requests_are_understood_as_controllers_write_them(
    server: Serving, lines: str, end: bytes, after: bytes
) -> None:
    message = b"( INFO )"
    head = [b"POST / HTTP/1.0", *lines.encode().split(b"|"), b"Content-length: %d" % len(message), b"", b""]
    with connected(server.url, end.join(head) + message + after) as connection:
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"Content-Type: text/acl" in answer
    assert answer.endswith(b"\r\n\r\n((name tester) (status available) (species alien))")


def test_a_browser_is_told_what_this_is(server: Serving) -> None:
    with connected(server.url, b"GET / HTTP/1.0\r\n\r\n") as connection:
        answer = connection.makefile("rb").read()
    assert b"tester: a GGP player, available" in answer
    assert b"Access-Control-Allow-Origin: *\r\n" in answer
    with connected(server.url, b"OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: http://o\r\n\r\n") as connection:
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body == b""
    for line in ("Origin: *", "Methods: POST, GET, OPTIONS", "Headers: Content-Type"):
        assert f"Access-Control-Allow-{line}".encode() in head.split(b"\r\n")
    with connected(server.url, b"PUT / HTTP/1.0\r\n\r\n") as connection:
        assert connection.recv(64).split()[1] == b"405"
