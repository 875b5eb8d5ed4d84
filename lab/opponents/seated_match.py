"""A match between players behind links, all of which begin with the same moves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks, PlayerFault, PlayerLink
from lab.opponents.links import OpeningLink
from lab.opponents.match import Joint
from lab.opponents.processors import LoadMeter
from lab.opponents.servers import GameServer


@dataclass(frozen=True)
class SeatedMatch:
    """A finished match, as its server and the links tell it."""

    joints: tuple[Joint, ...]  # [ply][role] canonical
    goals: tuple[int | None, ...]  # [role]
    faults: tuple[PlayerFault, ...]  # of the opening, too
    seconds: tuple[tuple[float, ...], ...]  # [role] of each answer to a play message
    other_load: float  # mean number of processors that other processes kept busy


async def play_seated(
    machine: Machine,
    players: Sequence[AbstractAsyncContextManager[PlayerLink]],
    opening: Sequence[Joint],
    server: GameServer,
    clocks: Clocks,
    name: str,
    seed: int,
) -> SeatedMatch:
    """Seat the players of all roles, in their order, and play one match.

    Args:
        machine: the game.
        players: [role] each is there for the length of its block.
        opening: [ply][role] the first moves, which are made in place of the players' answers.
        server: who runs the match.
        clocks: of the players.
        name: id of the match, one word.
        seed: of the moves that replace faulty ones.

    Raises what the players and the server raise.
    """
    display = machine.sheet.display
    async with AsyncExitStack() as stack:
        links = [await stack.enter_async_context(player) for player in players]
        seats = [
            OpeningLink(link, display(name_of_role), [display(joint[role]) for joint in opening])
            for role, (link, name_of_role) in enumerate(zip(links, machine.roles, strict=True))
        ]
        meter = LoadMeter()
        served = await server.run(machine, seats, clocks, name, seed)
        load = meter.others()
    faults = sorted([*served.faults, *(fault for seat in seats for fault in seat.faults)])
    return SeatedMatch(served.joints, served.goals, tuple(faults), tuple(tuple(seat.seconds) for seat in seats), load)
