"""The referee against foreign players, which answer anything or not at all."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, PlayerLink, RefereedMatch, referee
from gdl_miner.agent.referee.players import RemotePlayer, new_client
from gdl_miner.agent.server.messages import Message, Play, Start, Stop, read_message

SHORT_S = 0.1
Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


def raw(data: bytes) -> Reply:
    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return reply


def said(text: str, status: str = "200 OK") -> Reply:
    body = text.encode()
    return raw(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


PACKED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(b"(mark 1 1 x)")


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(5)


async def twice_as_slow(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(1.5 * SHORT_S)
    await said("ready")(writer)


async def dripping(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
    for _ in range(50):
        writer.write(b"(")
        await writer.drain()
        await asyncio.sleep(0.1)


def match_against(
    answer: Reply, *, start: Reply | None = None, clock: float = 0.3, start_clock: float = 0.5
) -> tuple[RefereedMatch, list[Message]]:
    """Play x, which answers play messages with `answer`, against random moves; return also what x was told."""
    told: list[Message] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            message = read_message((await reader.readexactly(length)).decode())
            told.append(message)
            if isinstance(message, Play):
                await answer(writer)
            elif isinstance(message, Start):
                await (start or said("READY"))(writer)
            else:
                await said("done")(writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def run() -> RefereedMatch:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with new_client() as client:
            links: list[PlayerLink] = [RemotePlayer(f"http://127.0.0.1:{port}", client), LocalRandom(2)]
            found = await referee(load_machine("tictactoe.ext"), links, Clocks(start_clock, clock), name="m")
        server.close()
        return found

    return asyncio.run(run()), told


@pytest.mark.parametrize(
    ("answer", "what", "detail"),
    [
        (said("(mark 9 9 x)"), "illegal", "(mark 9 9 x)"),
        (said("mark 1 1 x"), "illegal", "mark 1 1 x"),
        (said("(mark 1 1"), "illegal", "(mark 1 1"),
        (said(""), "illegal", ""),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\xfe("), "illegal", "("),
        (said("no", "500 Oops"), "unreachable", "status 500: no"),
        (said("(" * 100_000), "unreachable", "more than 65536 bytes"),
        (raw(b""), "unreachable", "disconnect"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n(mark"), "unreachable", ""),
        (raw(b"hello\r\n\r\n"), "unreachable", ""),
        (raw(PACKED), "illegal", ""),
    ],
    ids=["illegal", "bare", "open", "empty", "bytes", "status", "huge", "closed", "cut", "no-http", "packed"],
)
def test_a_faulty_player_is_replaced_and_its_match_goes_to_the_end(answer: Reply, what: str, detail: str) -> None:
    outcome, told = match_against(answer)
    assert {fault.what for fault in outcome.faults} == {what}
    assert [fault.move for fault in outcome.faults] == list(range(1, len(outcome.joints) + 1))
    assert detail.lower() in outcome.faults[0].detail.lower()
    assert None not in outcome.goals
    assert outcome.never_moved == (True, False)
    assert outcome.own_moves == (0, len(outcome.joints))
    assert isinstance(told[-1], Stop)
    assert told[-1].moves == outcome.joints[-1]


@pytest.mark.parametrize("answer", [silent, dripping, twice_as_slow], ids=["silent", "dripping", "slow"])
def test_a_player_that_takes_longer_than_its_clock_is_late(answer: Reply) -> None:
    outcome, told = match_against(answer, start=answer, clock=SHORT_S, start_clock=SHORT_S)
    assert [(fault.move, fault.what) for fault in outcome.faults] == [
        (move, "late") for move in range(len(outcome.joints) + 1)
    ]
    assert outcome.slowest[0] < 1
    assert isinstance(told[0], Start)
    assert (told[0].start_clock, told[0].play_clock) == (SHORT_S, SHORT_S)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_player_leads_the_referee_to_no_other_address(status: str) -> None:
    asked: list[str] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readline()).decode())
        await said("(mark 1 1 x)")(writer)
        writer.close()

    async def redirected(writer: asyncio.StreamWriter) -> None:
        server = await asyncio.start_server(elsewhere, "127.0.0.1", 0)
        place = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        await raw(f"HTTP/1.1 {status}\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode())(writer)

    outcome, _ = match_against(redirected, start=redirected)
    assert asked == []
    assert {fault.what for fault in outcome.faults} == {"unreachable"}
    assert "another address" in outcome.faults[0].detail


def test_a_player_that_is_not_ready_is_reported_and_asked_all_the_same() -> None:
    outcome, told = match_against(said("noop"), start=said("what?"))
    assert (outcome.faults[0].move, outcome.faults[0].what) == (0, "not ready")
    assert next(message for message in told if isinstance(message, Play)) == Play("m", None)


def test_legal_moves_count_however_they_are_spelt() -> None:
    outcome, _ = match_against(said("\r\n ( MARK  1 1 X ) \r\n"))
    assert outcome.joints[0] == ("(mark 1 1 x)", "noop")
    assert all(fault.move > 1 for fault in outcome.faults)


def test_nobody_at_the_address_is_unreachable() -> None:
    async def run() -> RefereedMatch:
        async with new_client() as client:
            links: list[PlayerLink] = [RemotePlayer("http://127.0.0.1:1", client), LocalRandom(2)]
            return await referee(load_machine("tictactoe.ext"), links, Clocks(0.5, 0.5), name="m")

    assert {fault.what for fault in asyncio.run(run()).faults} == {"unreachable"}
