"""A game server like that of docs/opponents.md: ggp_server.py MATCH SHEET STARTCLOCK PLAYCLOCK HOST:PORT…

It prints the match as ggp-base writes it. With the environment variable WRONG_GOALS it claims other goals.
"""

import asyncio
import json
import os
import sys

import aiohttp

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, RefereedMatch, referee
from gdl_miner.agent.referee.players import RemotePlayer

WORDS = {"late": "TO", "illegal": "IL", "unreachable": "CE", "not ready": "CE"}


async def run(name: str, sheet: str, start: str, play: str, *players: str) -> RefereedMatch:
    async with aiohttp.ClientSession() as client:
        links = [RemotePlayer(f"http://{player}/", client) for player in players]
        return await referee(load_machine(sheet), links, Clocks(int(start), int(play)), name=name)


if __name__ == "__main__":
    played = asyncio.run(run(*sys.argv[1:]))
    machine = load_machine(sys.argv[2])
    errors = [["" for _ in machine.roles] for _ in range(len(played.joints) + 1)]
    for fault in played.faults:
        errors[fault.move][machine.roles.index(fault.role)] = WORDS[fault.what]
    goals = [100, 100] if "WRONG_GOALS" in os.environ else list(played.goals)
    print("a line before the match")
    print(json.dumps({"matchId": sys.argv[1], "moves": played.joints, "errors": errors, "goalValues": goals}))
