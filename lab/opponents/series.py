"""A series of matches against one opponent, in pairs that share a random opening."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks
from gdl_miner.agent.referee.players import new_client
from gdl_miner.agent.search.seeds import derive_seed
from lab.opponents.match import Joint, OpponentMatch, read_match, write_match
from lab.opponents.own_player import OwnSide, own_moves
from lab.opponents.processors import SideProcessors
from lab.opponents.seated_match import play_seated
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
    machine = series.machine
    seed = derive_seed(series.seed, "pair", pair, "role", own)
    name = re.sub(r"[^\w.-]", "-", f"{machine.sheet.name}-{pair + 1}-{machine.roles[own]}")
    seat = MatchSeat(len(opening), series.processors.own, folder / "player.log", seed)
    async with new_client() as client:
        seated = [
            series.own.seated(machine, seat, client)
            if role == own
            else series.opponent.seated(
                MatchSeat(
                    len(opening), series.processors.engine, folder / f"engine-{role}.log", derive_seed(seed, "engine")
                ),
                client,
            )
            for role in range(len(machine.roles))
        ]
        played = await play_seated(machine, seated, opening, series.server, series.clocks, name, seed)
    own_faults = [fault for fault in played.faults if fault.role == machine.sheet.display(machine.roles[own])]
    traces = series.own.traces(machine, seat, name, own)
    asked = [(ply, role) for ply, role in _choices(machine, played.joints) if role != own and ply >= len(opening)]
    others = [seconds for role, seconds in enumerate(played.seconds) if role != own]
    return OpponentMatch(
        pair=pair,
        role=own,
        opening=len(opening),
        joints=played.joints,
        goals=played.goals,
        moves=tuple(own_moves(machine, played.joints, own, len(opening), traces, own_faults)),
        engine_seconds=tuple(played.seconds[role][ply] for ply, role in asked if ply < len(played.seconds[role])),
        engine_moves=len(asked),
        faults=played.faults,
        own_slowest_s=max(played.seconds[own], default=0.0),
        engine_slowest_s=max((each for seconds in others for each in seconds), default=0.0),
        other_load=played.other_load,
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
