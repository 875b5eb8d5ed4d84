"""The players that the referee asks for moves: over HTTP, in this process, or random ones that keep to the protocol."""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.player.match import MoveChooser
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import NO_MOVE
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.server.messages import Message, Play, Start, write_message

if TYPE_CHECKING:
    import aiohttp

LONGEST_ANSWER = 64 << 10


class PlayerLink(Protocol):
    """A player to which messages can be sent."""

    @property
    def name(self) -> str:
        """Name or address of the player, for reports."""

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Send a message and return the answer; `legal` are the moves that the player may make now.

        Raises:
            TimeoutError: no whole answer within the seconds.
            OSError: the player cannot be reached, or does not speak HTTP.
        """


class LocalRandom:
    """A player of random legal moves."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return one of the legal moves, `ready` if there are none."""
        return self._random.choice(legal) if legal else "ready"


class LocalPlayer:
    """A player in this process, which knows the rules as the referee does.

    It chooses in threads, so that it may be late. No thread can be stopped: until a late one ends, the player is late.
    """

    def __init__(self, name: str, machine: Machine, choose: MoveChooser, seed: int) -> None:
        self.name = name
        self._match = OngoingMatch(machine)
        self._choose = choose
        self._seed = seed
        self._role = 0
        self._at_work = threading.Lock()

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Return the player's move, `ready` if there is none to make. Raises what the player raises, too."""
        if isinstance(message, Start):
            self._role = self._match.machine.roles.index(message.role)
            return "ready"
        if not isinstance(message, Play):
            return "done"
        if message.moves is not None:
            self._match.advance(message.moves)
        if len(legal) == 1:
            return legal[0]
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[int] = loop.create_future()
        seed = derive_seed(self._seed, "move", self._match.number)

        def settle(row: int, error: Exception | None) -> None:
            if answer.done():  # too late
                return
            if error is None:
                answer.set_result(row)
            else:
                answer.set_exception(error)

        def work() -> None:
            row, problem = NO_MOVE, None
            with self._at_work:
                if not answer.done():
                    try:
                        row = self._choose(self._match, self._role, seed)
                    except Exception as error:  # it belongs to the one who asks
                        problem = error
            with suppress(RuntimeError):  # the match is over, and its loop is closed
                loop.call_soon_threadsafe(settle, row, problem)

        threading.Thread(target=work, name=self.name, daemon=True).start()
        async with asyncio.timeout(seconds):
            row = await answer
        return self._match.machine.circuit.moves[row]


class RemotePlayer:
    """A player behind a URL such as http://127.0.0.1:9147.

    It is asked at this address only: an answer that leads elsewhere (a redirect) is no move. Compressed answers are not
    unpacked.
    """

    def __init__(self, url: str, client: aiohttp.ClientSession) -> None:
        self.name = url
        self._client = client
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url}: no player; give a URL such as http://127.0.0.1:9147")

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Send the message by POST, as ggp-base's server does, and return the answer."""
        import aiohttp  # here, because it takes half a second to load, and other players do without

        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": "GAMEPLAYER",
            "Content-Type": "text/acl",
            "Accept-Encoding": "identity",
        }
        body = write_message(message).encode()
        try:
            async with asyncio.timeout(seconds):
                async with self._client.post(self.name, data=body, headers=headers, allow_redirects=False) as reply:
                    answer = bytearray()
                    async for chunk in reply.content.iter_any():
                        answer.extend(chunk)
                        if len(answer) > LONGEST_ANSWER:
                            raise OSError(f"an answer of more than {LONGEST_ANSWER} bytes")
                    if "Location" in reply.headers:
                        raise OSError(f"status {reply.status}: it sends the referee to another address")
                    if reply.status != 200:
                        raise OSError(f"status {reply.status}: {answer[:200].decode(errors='replace')}")
                    return answer.decode(errors="replace").strip()
        except (aiohttp.ClientError, ValueError) as error:
            raise OSError(str(error) or type(error).__name__) from None


def new_client() -> aiohttp.ClientSession:
    """Return a client for remote players, without a limit of its own and without cookies; answers stay as they come."""
    import aiohttp  # here, for the same reason

    timeout = aiohttp.ClientTimeout(total=None)
    return aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False)
