"""The matches of a ladder: one engine, our player, real clocks, and pairs that share a random opening."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.limits import MAX_SEED
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks, PlayerLink
from gdl_miner.agent.search.seeds import derive_seed
from lab.opponents.engine_matches import EngineMatch, Joint
from lab.opponents.engines import EngineError
from lab.opponents.ladder_engines import EngineSeat, LadderEngine
from lab.opponents.ladder_match import LadderMatch, read_match, write_match
from lab.opponents.links import OpeningLink
from lab.opponents.openings import random_opening
from lab.opponents.own_player import OwnSetup, own_moves, read_traces
from lab.opponents.player_process import running_player
from lab.opponents.processors import LoadMeter, SideProcessors
from lab.opponents.servers import GameServer

__all__ = ["LadderSeries", "play_series"]

_OWN_START_S = 120.0  # longest time until our player answers; it loads libraries first


@dataclass(frozen=True)
class LadderSeries:
    """All matches against one engine."""

    machine: Machine
    engine: LadderEngine
    own: OwnSetup
    server: GameServer
    clocks: Clocks
    pairs: int
    opening_plies: int
    seed: int
    processors: SideProcessors
    settings: Mapping[str, object]  # what a result says about its conditions
    folder: Path  # gets a folder for each match, with logs, the record and the result


def play_series(
    series: LadderSeries, progress: Callable[[LadderMatch, bool], None]
) -> Iterator[tuple[LadderMatch, ...]]:
    """Yield the matches of each pair, in which our player takes every role once after the same opening.

    A match whose result is in its folder is not played again. `progress` gets every match, and whether it is such an
    old one.

    Raises:
        ConfigError: our player cannot be started, or a result cannot be read.
        EngineError: the engine cannot be started.
        ServerError: the server has no result.
    """
    machine = series.machine
    for pair in range(series.pairs):
        opening = random_opening(machine, series.opening_plies, derive_seed(series.seed, "pair", pair))
        played = []
        for role in range(len(machine.roles)):
            folder = series.folder / f"{pair + 1}-{re.sub('[^0-9a-z]', '-', machine.roles[role])}"
            path = folder / "match.json"
            old = path.exists()
            if not old:
                folder.mkdir(parents=True, exist_ok=True)
                write_match(asyncio.run(_play(series, pair, role, opening, folder)), machine, series.settings, path)
            played.append(read_match(path, machine))
            progress(played[-1], old)
        yield tuple(played)


async def _play(series: LadderSeries, pair: int, own: int, opening: Sequence[Joint], folder: Path) -> LadderMatch:
    """Play one match, each player in processes of its own, which end with the match."""
    machine, display = series.machine, series.machine.sheet.display
    seed = derive_seed(series.seed, "pair", pair, "role", own)
    name = re.sub(r"[^\w.-]", "-", f"{machine.sheet.name}-{pair + 1}-{machine.roles[own]}")
    log, records = folder / "player.log", folder / "records"
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)))
        links: dict[int, PlayerLink] = {
            own: await stack.enter_async_context(_own_running(series, records, log, seed % MAX_SEED, client))
        }
        for role in range(len(machine.roles)):
            if role != own:
                seat = EngineSeat(
                    series.processors.engine, folder / f"engine-{role}.log", derive_seed(seed, "engine", role)
                )
                links[role] = await stack.enter_async_context(series.engine.seated(seat, client))
        seats = [
            OpeningLink(links[role], display(machine.roles[role]), [display(joint[role]) for joint in opening])
            for role in range(len(machine.roles))
        ]
        meter = LoadMeter()
        served = await series.server.run(machine, seats, series.clocks, name, seed)
        load = meter.others()
    faults = sorted([*served.faults, *(fault for seat in seats for fault in seat.faults)])
    own_faults = [fault for fault in faults if fault.role == display(machine.roles[own])]
    traces = read_traces(log, records, machine, series.own.knowledge, name, own)
    moves = tuple(own_moves(machine, served.joints, own, len(opening), traces, own_faults))
    asked = [(ply, role) for ply, role in _choices(machine, served.joints) if role != own and ply >= len(opening)]
    return LadderMatch(
        match=EngineMatch(
            pair=pair,
            role=own,
            opening=len(opening),
            joints=served.joints,
            goals=served.goals,
            searches=tuple(move.search for move in moves if move.search is not None),
            engine_seconds=tuple(seats[role].seconds[ply] for ply, role in asked if ply < len(seats[role].seconds)),
        ),
        moves=moves,
        engine_moves=len(asked),
        faults=tuple(faults),
        own_slowest_s=max(seats[own].seconds, default=0.0),
        engine_slowest_s=max((s for role, seat in enumerate(seats) if role != own for s in seat.seconds), default=0.0),
        other_load=load,
        shared_processor=series.processors.shared,
    )


@asynccontextmanager
async def _own_running(
    series: LadderSeries, records: Path, log: Path, seed: int, client: aiohttp.ClientSession
) -> AsyncIterator[PlayerLink]:
    """Run our player for the length of the block."""
    async with AsyncExitStack() as stack:
        command = series.own.command(records, seed)
        try:
            link = await stack.enter_async_context(
                running_player(command, series.processors.own, log, _OWN_START_S, client)
            )
        except EngineError as error:
            raise ConfigError(f"agent serve: {error}") from None
        yield link


def _choices(machine: Machine, joints: Sequence[Joint]) -> Iterator[tuple[int, int]]:
    """Yield each ply with each role that had more than one legal move."""
    match = OngoingMatch(machine)
    for ply, joint in enumerate(joints):
        for role in range(len(machine.roles)):
            if len(match.legal_rows(role)) > 1:
                yield ply, role
        match.advance(joint)
