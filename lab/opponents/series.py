"""A series of matches against one opponent, in pairs that share a random opening."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks, PlayerLink
from gdl_miner.agent.referee.players import new_client
from gdl_miner.agent.search.seeds import derive_seed
from lab.opponents.links import OpeningLink
from lab.opponents.match import Joint, OpponentMatch, read_match, write_match
from lab.opponents.own_player import OwnSide, own_moves
from lab.opponents.processors import LoadMeter, SideProcessors
from lab.opponents.seats import MatchSeat, SeatedOpponent
from lab.opponents.servers import GameServer

_TRIES = 1000


@dataclass(frozen=True)
class MatchSeries:
    """All matches against one opponent."""

    machine: Machine
    opponent: SeatedOpponent
    own: OwnSide
    server: GameServer
    clocks: Clocks
    roles: Sequence[int]  # that our player takes, after the same opening
    openings: int
    opening_plies: int
    seed: int
    processors: SideProcessors
    settings: Mapping[str, object]  # what a result says about its conditions
    folder: Path  # gets a folder for each match, with logs, the record and the result


def play_series(
    series: MatchSeries, progress: Callable[[OpponentMatch, bool], None]
) -> Iterator[tuple[OpponentMatch, ...]]:
    """Yield the matches of each opening, in which our player takes every role of the series once.

    A match whose result is in its folder is not played again. `progress` gets every match, and whether it is such an
    old one. Openings follow from the seed, and so do our player's moves if its limit is in playouts.

    Raises:
        ConfigError: our player cannot be started, or a result cannot be read.
        EngineError: the opponent cannot be started, or has failed in a match without clocks.
        ServerError: the server has no result.
    """
    machine = series.machine
    for pair in range(series.openings):
        opening = random_opening(machine, series.opening_plies, derive_seed(series.seed, "pair", pair))
        played = []
        for role in series.roles:
            folder = series.folder / f"{pair + 1}-{re.sub('[^0-9a-z]', '-', machine.roles[role])}"
            path = folder / "match.json"
            old = path.exists()
            if not old:
                folder.mkdir(parents=True, exist_ok=True)
                write_match(asyncio.run(_play(series, pair, role, opening, folder)), machine, series.settings, path)
            played.append(read_match(path, machine))
            progress(played[-1], old)
        yield tuple(played)


def random_opening(machine: Machine, plies: int, seed: int) -> tuple[Joint, ...]:
    """Return the [ply][role] moves of an opening, canonical.

    Every move is drawn uniformly from the legal ones. An opening that ends the match is drawn again.

    Raises ConfigError if all of 1000 openings end the match.
    """
    for attempt in range(_TRIES):
        choice = random.Random(derive_seed(seed, "opening", attempt))
        match = OngoingMatch(machine)
        while match.number < plies and not match.ended:
            match.advance([choice.choice(match.legal(role)) for role in range(len(machine.roles))])
        if not match.ended:
            return match.joints
    raise ConfigError(f"{machine.sheet.name}: {plies} random plies always end the match; give fewer opening plies")


async def _play(series: MatchSeries, pair: int, own: int, opening: Sequence[Joint], folder: Path) -> OpponentMatch:
    """Play one match."""
    machine, display = series.machine, series.machine.sheet.display
    seed = derive_seed(series.seed, "pair", pair, "role", own)
    name = re.sub(r"[^\w.-]", "-", f"{machine.sheet.name}-{pair + 1}-{machine.roles[own]}")
    seat = MatchSeat(len(opening), series.processors.own, folder / "player.log", seed)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(new_client())
        links: dict[int, PlayerLink] = {own: await stack.enter_async_context(series.own.seated(machine, seat, client))}
        for role in range(len(machine.roles)):
            if role != own:
                log = folder / f"engine-{role}.log"
                other = MatchSeat(len(opening), series.processors.engine, log, derive_seed(seed, "engine"))
                links[role] = await stack.enter_async_context(series.opponent.seated(other, client))
        seats = [
            OpeningLink(links[role], display(machine.roles[role]), [display(joint[role]) for joint in opening])
            for role in range(len(machine.roles))
        ]
        meter = LoadMeter()
        served = await series.server.run(machine, seats, series.clocks, name, seed)
        load = meter.others()
    faults = sorted([*served.faults, *(fault for link in seats for fault in link.faults)])
    own_faults = [fault for fault in faults if fault.role == display(machine.roles[own])]
    traces = series.own.traces(machine, seat, name, own)
    asked = [(ply, role) for ply, role in _choices(machine, served.joints) if role != own and ply >= len(opening)]
    return OpponentMatch(
        pair=pair,
        role=own,
        opening=len(opening),
        joints=served.joints,
        goals=served.goals,
        moves=tuple(own_moves(machine, served.joints, own, len(opening), traces, own_faults)),
        engine_seconds=tuple(seats[role].seconds[ply] for ply, role in asked if ply < len(seats[role].seconds)),
        engine_moves=len(asked),
        faults=tuple(faults),
        own_slowest_s=max(seats[own].seconds, default=0.0),
        engine_slowest_s=max((s for role, link in enumerate(seats) if role != own for s in link.seconds), default=0.0),
        other_load=load,
        shared_processor=series.processors.shared,
    )


def _choices(machine: Machine, joints: Sequence[Joint]) -> Iterator[tuple[int, int]]:
    """Yield each ply with each role that had more than one legal move."""
    match = OngoingMatch(machine)
    for ply, joint in enumerate(joints):
        for role in range(len(machine.roles)):
            if len(match.legal_rows(role)) > 1:
                yield ply, role
        match.advance(joint)
