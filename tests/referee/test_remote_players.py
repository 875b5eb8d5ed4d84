"""The referee against foreign players, which answer anything or not at all."""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, PlayerLink, RefereedMatch, referee
from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.server.messages import Message, Play, Start, Stop, read_message

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


def raw(data: bytes) -> Reply:
    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return reply


def said(text: str, status: str = "200 OK") -> Reply:
    body = text.encode()
    return raw(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(5)


async def dripping(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
    for _ in range(50):
        writer.write(b"(")
        await writer.drain()
        await asyncio.sleep(0.1)


def match_against(
    answer: Reply, *, start: Reply | None = None, clock: float = 0.3
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
        async with aiohttp.ClientSession() as client:
            links: list[PlayerLink] = [RemotePlayer(f"http://127.0.0.1:{port}", client), LocalRandom(2)]
            found = await referee(load_machine("tictactoe.ext"), links, Clocks(0.5, clock), name="m")
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
    ],
    ids=["illegal", "bare", "open", "empty", "bytes", "status", "huge", "closed", "cut", "no-http"],
)
def test_a_faulty_player_is_replaced_and_its_match_goes_to_the_end(answer: Reply, what: str, detail: str) -> None:
    outcome, told = match_against(answer)
    assert {fault.what for fault in outcome.faults} == {what}
    assert [fault.move for fault in outcome.faults] == list(range(1, len(outcome.joints) + 1))
    assert detail.lower() in outcome.faults[0].detail.lower()
    assert None not in outcome.goals
    assert isinstance(told[-1], Stop)
    assert told[-1].moves == outcome.joints[-1]


@pytest.mark.parametrize("answer", [silent, dripping], ids=["silent", "dripping"])
def test_a_player_that_takes_longer_than_its_clock_is_late(answer: Reply) -> None:
    outcome, _ = match_against(answer, clock=0.1)
    assert {fault.what for fault in outcome.faults} == {"late"}
    assert outcome.slowest[0] < 1


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
        async with aiohttp.ClientSession() as client:
            links: list[PlayerLink] = [RemotePlayer("http://127.0.0.1:1", client), LocalRandom(2)]
            return await referee(load_machine("tictactoe.ext"), links, Clocks(0.5, 0.5), name="m")

    assert {fault.what for fault in asyncio.run(run()).faults} == {"unreachable"}
