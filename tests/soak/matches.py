"""Check that the memory of the server does not grow: play many short matches, one after the other."""

import argparse
import asyncio

import aiohttp
import numpy as np

from gdl_miner.agent.referee import Clocks
from tests.soak.serving import Served, Tally, played, served

__all__ = ["add_arguments", "run"]

GAMES = ["tictactoe.ext", "connectfour.ext"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this check."""
    parser.add_argument("--game", action="append", help="a game; again for more [default: two bundled ones]")
    parser.add_argument("--matches", type=int, default=500, help="[default: 500]")
    parser.add_argument("--startclock", type=float, default=1.0)
    parser.add_argument("--playclock", type=float, default=0.4)
    parser.add_argument("--memory", type=int, default=64, help="MiB of transposition tables [default: 64]")
    parser.add_argument("--growth", type=float, default=8.0, help="MiB the server may grow by [default: 8]")


def run(options: argparse.Namespace) -> int:
    """Return 1 for a faulty answer or a server that grew from the second tenth of the matches to the last, else 0."""
    with served("--memory", str(options.memory)) as server:
        memory, tally = asyncio.run(_played(server, options))
    tenth = max(1, options.matches // 10)
    begin, middle, end = (
        float(np.median(part))
        for part in (memory[tenth : 2 * tenth] or memory, memory[len(memory) // 2 :][:tenth], memory[-tenth:])
    )
    for fault in tally.faults:
        print(fault)
    print(
        f"{tally.matches} matches, {len(tally.thought)} moves, {len(tally.faults)} faults; memory after the first "
        f"match {memory[0]:.1f} MiB, then (medians) {begin:.1f} in the second tenth, {middle:.1f} in the middle, "
        f"{end:.1f} at the end, {max(memory):.1f} at most"
    )
    return 1 if tally.faults or end > begin + options.growth else 0


async def _played(server: Served, options: argparse.Namespace) -> tuple[list[float], Tally]:
    games = options.game or GAMES
    tally, memory = Tally(), []
    async with aiohttp.ClientSession() as client:
        while tally.matches < options.matches:
            game = games[tally.matches % len(games)]
            await played(server, game, Clocks(options.startclock, options.playclock), tally, client)
            memory.append(server.resident_mib)
            print(f"{tally.matches} matches, {len(tally.faults)} faults, {memory[-1]:.1f} MiB", flush=True)
    return memory, tally
