"""The players that the referee asks for moves: over HTTP, or random ones that keep to the protocol."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Protocol

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.server.messages import Message, write_message

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


class RemotePlayer:
    """A player behind a URL such as http://127.0.0.1:9147.

    It is asked at this address only: an answer that leads elsewhere (a redirect) is no move. Compressed answers are not
    unpacked.
    """

    def __init__(self, url: str, client: aiohttp.ClientSession) -> None:
        self.name = url
        self._client = client
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url}: no player; give a URL such as http://127.0.0.1:9147, or random")

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
