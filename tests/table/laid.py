"""A table in a thread of this process, and an HTTP client for it."""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.player.match import MoveChooser
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.table import Strength, Table, TableSession, TableSettings
from gdl_miner.agent.table.http import TableServer


class Laid:
    """A running table."""

    def __init__(self, server: TableServer) -> None:
        self.url = server.url
        self.port = server.port
        self._news = urllib.request.urlopen(f"{self.url}news", timeout=60)

    def next(self) -> dict[str, Any]:
        """Return the next news."""
        for line in self._news:
            if line.startswith(b"data: "):
                return dict(json.loads(line[6:]))
        raise EOFError

    def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while not holds(news := self.next()):
            pass
        return news

    def ready(self) -> dict[str, Any]:
        """Return the first news in which a person has to move or the match is over."""
        return self.until(lambda news: news["position"]["ended"] or news["position"]["person"] is not None)

    def do(self, body: object, **headers: str) -> str:
        """Send a command; return an empty text if it was accepted, else status and text."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("do", data, {"Content-Type": "application/json", **headers})

    def send(self, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> str:
        request = urllib.request.Request(self.url + path, data, headers or {})
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return str(reply.read().decode())
        except urllib.error.HTTPError as error:
            return f"{error.code} {error.read().decode()}"

    def play(self, news: dict[str, Any], number: int = 0) -> str:
        """Make one of the moves of the person to move."""
        position = news["position"]
        row = position["moves"][number]["row"]
        return self.do({"do": "play", "serial": news["serial"], "role": position["person"], "row": row})

    def close(self) -> None:
        self._news.close()


@contextmanager
def laid(
    game: str | Machine,
    seats: Sequence[str] | None = None,
    *,
    knowledge: Knowledge | None = None,
    others: Mapping[str, MoveChooser] | None = None,
    settings: TableSettings | None = None,
) -> Iterator[Laid]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def begin() -> TableServer:
        machine = game if isinstance(game, Machine) else load_machine(game)
        server = TableServer(
            TableSession(
                Table(machine, knowledge, seats, others=others), settings or TableSettings(Strength("seconds", 0.05))
            )
        )
        await server.start()
        return server

    server = asyncio.run_coroutine_threadsafe(begin(), loop).result(60)
    table = Laid(server)
    try:
        yield table
    finally:
        table.close()
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
