"""Who may send messages to a player: controllers by their addresses, and pages of browsers by their origins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gdl_miner.agent.errors import ConfigError

ANY_ORIGIN = "*"


@dataclass(frozen=True)
class Access:
    """The senders that are heard; by default all addresses, and no pages.

    A browser says for every message of a page from which origin the page is; other programs do not name any.
    """

    controllers: tuple[IPv4Network | IPv6Network, ...] = ()  # empty: all addresses
    origins: frozenset[str] = frozenset()  # as `check_origin` returns them

    def refusal(self, address: str | None, origin: str | None) -> str | None:
        """Return why a message from an address, and from a page of an origin if there is one, is not heard."""
        if self.controllers and not self._controls(address):
            return f"{address} is none of the controllers that this player listens to"
        if origin is not None and not self._opens_to(origin):
            return "this player takes no messages from pages of your origin; agent serve --origin allows it"
        return None

    def headers(self, origin: str | None) -> dict[str, str]:
        """Return the headers that let a page of an origin read an answer (CORS)."""
        if origin is None or not self._opens_to(origin):
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
            "Access-Control-Allow-Headers": "Content-Type",
            "Access-Control-Max-Age": "86400",  # s
            "Vary": "Origin",
        }

    def _opens_to(self, origin: str) -> bool:
        return ANY_ORIGIN in self.origins or _plain(origin) in self.origins

    def _controls(self, address: str | None) -> bool:
        try:
            sender = ip_address(address or "")
        except ValueError:
            return False
        if isinstance(sender, IPv6Address) and sender.ipv4_mapped is not None:
            sender = sender.ipv4_mapped
        return any(sender in network for network in self.controllers)


def read_controllers(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Read addresses and networks that are separated by commas. Raises ConfigError for anything else."""
    networks = []
    for part in text.split(","):
        try:
            networks.append(ip_network(part.strip()))
        except ValueError:
            raise ConfigError(
                f"--controllers {part.strip()}: no address; give addresses or networks, such as 192.0.2.7,10.1.0.0/16"
            ) from None
    return tuple(networks)


def check_origin(origin: str) -> str:
    """Return an origin of pages as `Access` has it. Raises ConfigError for what no browser names so."""
    if origin != ANY_ORIGIN and not re.fullmatch(r"(https?://[^/\s]+|null)", origin, re.I):
        raise ConfigError(f"--origin {origin}: no origin; give one such as https://example.org, or * for any page")
    return _plain(origin)


def _plain(origin: str) -> str:
    """Return an origin as browsers write it: in lower case, without the usual port (RFC 6454, section 6)."""
    return re.sub(r"^(http://.*):80$|^(https://.*):443$", r"\1\2", origin.lower())
