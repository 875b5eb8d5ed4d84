"""HTTP as controllers, browsers and hostile clients speak it."""

import json
import re
import time
import urllib.request

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.server import http
from gdl_miner.agent.server.access import Access, check_origin, read_controllers
from gdl_miner.agent.server.service_log import MOST_REFUSALS, PERIOD_S, Refusals
from gdl_miner.agent.version import program_version
from tests.server.attacks import HEAD, besieged, connected
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
    assert b"Access-Control" not in answer
    with connected(server.url, b"PUT / HTTP/1.0\r\n\r\n") as connection:
        assert connection.recv(64).split()[1] == b"405"


def _asked(server: Serving, method: str, origin: str) -> tuple[bytes, bytes]:
    message = b"( INFO )" if method == "POST" else b""
    head = f"{method} / HTTP/1.1\r\nHost: h\r\nOrigin: {origin}\r\nContent-Length: {len(message)}\r\n\r\n".encode()
    with connected(server.url, head + message) as connection:
        answer, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    return answer, body


def test_pages_send_messages_only_where_their_origin_is_allowed(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    for method in ("POST", "OPTIONS", "GET"):
        head, body = _asked(server, method, "http://o")
        assert head.split()[1] == b"403"
        assert b"no messages from pages of your origin" in body
        assert b"Access-Control" not in head
    monkeypatch.setattr(server.server, "_access", Access(origins=frozenset({"http://o"})))
    assert _asked(server, "POST", "http://p")[0].split()[1] == b"403"
    assert _asked(server, "POST", "http://o")[1] == b"((name tester) (status available) (species alien))"
    head, body = _asked(server, "OPTIONS", "http://o")
    assert (head.split()[1], body) == (b"200", b"")
    for line in ("Origin: http://o", "Methods: POST, GET, OPTIONS", "Headers: Content-Type"):
        assert f"Access-Control-Allow-{line}".encode() in head.split(b"\r\n")


@pytest.mark.parametrize(
    ("controllers", "status"), [("192.0.2.7", 403), ("::1,10.0.0.0/8", 403), ("192.0.2.7, 127.0.0.0/8", 200)]
)
def test_only_listed_controllers_are_heard(
    server: Serving, controllers: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.server, "_access", Access(read_controllers(controllers)))
    answer = server.send("(info)")
    assert answer.startswith("403 127.0.0.1 is none of the controllers" if status == 403 else "((name tester)")


def test_an_address_is_the_same_in_both_versions_of_the_protocol() -> None:
    assert Access(read_controllers("127.0.0.1")).refusal("::ffff:127.0.0.1", None) is None
    assert Access(read_controllers("127.0.0.1")).refusal(None, None)
    for text in ("example.org", "10.1.2.3/8", ""):
        with pytest.raises(ConfigError, match="give addresses or networks"):
            read_controllers(text)
    with pytest.raises(ConfigError, match="give one such as https"):
        check_origin("example.org")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("HTTPS://Example.org", "https://example.org"),
        ("https://example.org:443", "https://example.org"),
        ("http://example.org", "http://example.org:80"),
        ("null", "null"),
        ("*", "https://any.org:8080"),
    ],
)
def test_an_origin_is_the_same_in_all_its_spellings(given: str, sent: str) -> None:
    access = Access(origins=frozenset({check_origin(given)}))
    assert access.refusal("192.0.2.7", sent) is None
    if given != "*":
        assert access.refusal("192.0.2.7", "https://example.org:80")


BROKEN = [
    b"hello\r\n\r\n",
    b"\x16\x03\x01\x02\x00\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    HEAD + b"a: b\r\n" * 500 + b"\r\n",
    HEAD + b"X: " + b"a" * 20_000 + b"\r\n\r\n",
]


def test_broken_requests_leave_lines_in_the_log_and_not_more_than_some(
    server: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    server.server._refusals = Refusals(lambda: now[0])
    for _ in range(6):
        for request in BROKEN:
            with connected(server.url, request) as connection:
                assert connection.recv(12).split()[1] == b"400"
        with connected(server.url, HEAD + b"Content-Length: 50\r\n\r\n(in"):
            pass  # it hangs up in the middle
    assert "Traceback" not in caplog.text
    assert caplog.text.count("refused: ") == MOST_REFUSALS
    now[0] = PERIOD_S + 1
    server.server._refusals.sum_up()
    assert re.search(r"refused \d+ more requests in 61 s", caplog.text)
    assert "Traceback" not in caplog.text


def test_a_monitor_reads_how_the_player_is(server: Serving) -> None:
    with urllib.request.urlopen(f"{server.url}health", timeout=20) as reply:
        told = json.loads(reply.read())
    assert (told["name"], told["status"], told["match"]) == ("tester", "available", None)
    assert told["version"] == program_version()
    assert told["late"] <= told["answers"]
