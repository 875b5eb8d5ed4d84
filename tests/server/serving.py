"""A player server in a thread of this process, and a client for it."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdl_miner.agent.gdl import RuleSheet, read_sheet
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.server.game_player import GamePlayer
from gdl_miner.agent.server.http import PlayerServer
from gdl_miner.agent.server.preparation import PreparationProcess
from gdl_miner.agent.server.seat import SeatOptions
from tests.server.attacks import posted


class Serving:
    """A running server."""

    def __init__(self, player: GamePlayer, server: PlayerServer) -> None:
        self.player = player
        self.server = server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/"

    def send(self, text: str | bytes, timeout: float = 30.0) -> str:
        """Return the answer to a message, preceded by its status if that is not 200."""
        return posted(self.url, text, timeout)

    def timed(self, text: str) -> tuple[str, float]:
        begin = time.perf_counter()
        return self.send(text), time.perf_counter() - begin


@contextmanager
def serving(knowledge: Path | None = None, options: SeatOptions | None = None) -> Iterator[Serving]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def begin() -> Serving:
        preparation = PreparationProcess(knowledge)
        preparation.warm_up(10)
        player = GamePlayer("tester", preparation, options or SeatOptions(threads=2))
        server = PlayerServer(player, "127.0.0.1", 0)
        await server.start()
        return Serving(player, server)

    running = asyncio.run_coroutine_threadsafe(begin(), loop).result(30)
    try:
        yield running
    finally:
        asyncio.run_coroutine_threadsafe(running.server.close(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def rules_text(game: str | RuleSheet) -> str:
    return scrambled(read_sheet(game) if isinstance(game, str) else game, None)[0]
