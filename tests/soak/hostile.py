"""Check that attacks leave matches alone: answers under siege are in time, and the server's memory does not grow."""

import argparse
import asyncio
import threading
import time

import aiohttp

from gdl_miner.agent.referee import Clocks
from tests.server.attacks import COUNTER, besieged, posted
from tests.soak.serving import Tally, burning, played, served

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this check."""
    parser.add_argument("--game", default="breakthrough.ext")
    parser.add_argument("--matches", type=int, default=3, help="[default: 3]")
    parser.add_argument("--playclock", type=float, default=1.0)
    parser.add_argument("--load", type=int, default=0, help="processes that burn the processors [default: none]")
    parser.add_argument("--growth", type=float, default=64.0, help="MiB the server may grow by [default: 64]")


def run(options: argparse.Namespace) -> int:
    """Return 1 for a fault, a server that grew, or a server that is not available at the end, else 0."""
    tally, attacks = Tally(), 0
    with served("--memory", "64") as server, burning(options.load):

        async def play() -> None:
            async with aiohttp.ClientSession() as client:
                for _ in range(options.matches):
                    await played(server, options.game, Clocks(2.0, options.playclock), tally, client)
                    print(
                        f"{tally.matches} matches, {len(tally.thought)} moves, {server.resident_mib:.1f} MiB",
                        flush=True,
                    )

        posted(server.url, f"(start quiet a ({COUNTER}) 5 1)")
        posted(server.url, "(abort quiet)")
        before = server.resident_mib
        players = threading.Thread(target=lambda: asyncio.run(play()))
        players.start()
        while players.is_alive():
            if tally.moves_of_match == 0:  # the match must take the player before the attacks can
                time.sleep(0.05)
                continue
            with besieged(server.url, f"soak-{tally.matches}"):
                attacks += 1
                players.join(5.0)
            posted(server.url, "(abort other)")
        status = posted(server.url, "(info)")
        after = server.resident_mib
    for fault in tally.faults:
        print(fault)
    print(
        f"{attacks} sieges, {len(tally.thought)} moves chosen, {len(tally.faults)} faults, slowest answer "
        f"{tally.slowest:.3f} s; memory {before:.1f} MiB before, {after:.1f} after; then {status}"
    )
    return 1 if tally.faults or after > before + options.growth or "available" not in status else 0
