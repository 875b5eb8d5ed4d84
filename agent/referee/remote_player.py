"""Players that the referee reaches over HTTP."""

from __future__ import annotations

import asyncio

import aiohttp

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.server.messages import Message, write_message

__all__ = ["RemotePlayer"]

LONGEST_ANSWER = 64 << 10


class RemotePlayer:
    """A player behind a URL such as http://127.0.0.1:9147."""

    def __init__(self, url: str, client: aiohttp.ClientSession) -> None:
        self.name = url
        self._client = client
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url}: no player; give a URL such as http://127.0.0.1:9147, or random")

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        """Send the message by POST, as ggp-base's server does, and return the answer."""
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": "GAMEPLAYER",
            "Content-Type": "text/acl",
        }
        try:
            async with asyncio.timeout(seconds):
                async with self._client.post(self.name, data=write_message(message).encode(), headers=headers) as reply:
                    body = bytearray()
                    async for chunk in reply.content.iter_any():
                        body.extend(chunk)
                        if len(body) > LONGEST_ANSWER:
                            raise OSError(f"an answer of more than {LONGEST_ANSWER} bytes")
                    if reply.status != 200:
                        raise OSError(f"status {reply.status}: {body[:200].decode(errors='replace')}")
                    return body.decode(errors="replace").strip()
        except (aiohttp.ClientError, ValueError) as error:
            raise OSError(str(error) or type(error).__name__) from None
