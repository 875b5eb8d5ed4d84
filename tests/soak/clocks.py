"""Check that every move is in time: play matches with short clocks on a loaded machine."""

import argparse
import asyncio

import aiohttp
import numpy as np

from gdl_miner.agent.referee import Clocks
from tests.soak.serving import Served, Tally, burning, played, served, watched

__all__ = ["add_arguments", "run"]

GAMES = ["connectfour.ext", "breakthrough.ext", "tictactoe.ext", "othello.ext"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this check."""
    parser.add_argument("--game", action="append", help="a game; again for more [default: four bundled ones]")
    parser.add_argument("--moves", type=int, default=1000, help="moves the player has to choose [default: 1000]")
    parser.add_argument("--startclock", type=float, default=1.0)
    parser.add_argument("--playclock", type=float, default=1.0)
    parser.add_argument("--load", type=int, default=2, help="processes that burn the processors [default: 2]")
    parser.add_argument("--no-ponder", action="store_true", help="let the player rest on the opponents' time")


def run(options: argparse.Namespace) -> int:
    """Return the exit status, 1 for a late or faulty answer."""
    with served(*(["--no-ponder"] if options.no_ponder else [])) as server, burning(options.load):
        tally = asyncio.run(_played(server, options))
    seconds = np.array(tally.thought)
    print(
        f"{len(seconds)} moves chosen in {tally.matches} matches with {options.playclock:g} s each: "
        f"{len(tally.faults)} faults; answers took {np.median(seconds):.3f} s in the median, "
        f"{np.quantile(seconds, 0.99):.3f} s at the 99th percentile, {seconds.max():.3f} s at most; "
        f"the referee itself was held up by {tally.held_up:.3f} s at most"
    )
    return 1 if tally.faults else 0


async def _played(server: Served, options: argparse.Namespace) -> Tally:
    games = options.game or GAMES
    tally = Tally()
    watching = asyncio.create_task(watched(tally))
    async with aiohttp.ClientSession() as client:
        while len(tally.thought) < options.moves:
            known = len(tally.faults)
            game = games[tally.matches % len(games)]
            await played(server, game, Clocks(options.startclock, options.playclock), tally, client)
            for fault in tally.faults[known:]:
                print(fault)
            print(
                f"{tally.matches} matches, {len(tally.thought)} moves, {len(tally.faults)} faults, "
                f"slowest {tally.slowest:.3f} s, referee held up by {tally.held_up:.3f} s at most",
                flush=True,
            )
    watching.cancel()
    return tally
