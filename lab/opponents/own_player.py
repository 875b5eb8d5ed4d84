"""Our side of a match: `agent serve` by the clocks, or the search alone with as much effort for each move."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import aiohttp

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameter_row import ParameterValue
from gdl_miner.agent.limits import MAX_SEED
from gdl_miner.agent.player import OngoingMatch, Player
from gdl_miner.agent.player.thought import Thought
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.referee import PlayerFault, PlayerLink
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.server.preparation import KnownGames
from lab.opponents.engines import EngineError
from lab.opponents.links import UntimedLink
from lab.opponents.match import OwnMove
from lab.opponents.seats import MatchSeat, running_player

_START_S = 120.0  # longest time until our player answers; it loads libraries first
_LOGGED = re.compile(
    r" match (?P<match>\S+), move (?P<number>\d+): (?P<move>.+?), "
    r"(?:not searched|(?P<playouts>\d+) playouts(?P<circuit>, \d+/s, value (?P<value>[\d.]+|nan))?)"
)


class OwnSide(Protocol):
    """How our player takes part in matches."""

    def seated(
        self, machine: Machine, seat: MatchSeat, client: aiohttp.ClientSession
    ) -> AbstractAsyncContextManager[PlayerLink]:
        """Be there in a seat for the length of a block. Raises ConfigError if the player cannot be started."""

    def traces(self, machine: Machine, seat: MatchSeat, match: str, role: int) -> OwnTraces:
        """Return what the player has left behind about its last match, which had an id."""


@dataclass(frozen=True)
class ServedSide:
    """`agent serve` with one tree, in a process of its own for each match."""

    knowledge: Path | None = None  # folder for `agent serve --knowledge`
    options: tuple[str, ...] = ()  # NAME=VALUE, parameters for `agent serve --option`
    serve: tuple[str, ...] = ()  # further words for `agent serve`

    def command(self, records: Path, seed: int) -> list[str]:
        """Return the command that serves with one tree on a port named `{port}` and writes records to a folder."""
        words = [
            sys.executable,
            "-m",
            "gdl_miner.agent",
            "serve",
            "--port",
            "{port}",
            "--threads",
            "1",
            "--seed",
            str(seed),
        ]
        words += ["--records", str(records)]
        if self.knowledge is not None:
            words += ["--knowledge", str(self.knowledge)]
        for option in self.options:
            words += ["--option", option]
        return [*words, *self.serve]

    @asynccontextmanager
    async def seated(
        self, machine: Machine, seat: MatchSeat, client: aiohttp.ClientSession
    ) -> AsyncIterator[PlayerLink]:
        """Be there in a seat for the length of a block. Raises ConfigError if the server cannot be started."""
        command = self.command(_records(seat), seat.seed % MAX_SEED)
        async with AsyncExitStack() as stack:
            try:
                player = running_player(command, seat.processor, seat.log, _START_S, client)
                link = await stack.enter_async_context(player)
            except EngineError as error:
                raise ConfigError(f"agent serve: {error}") from None
            yield link

    def traces(self, machine: Machine, seat: MatchSeat, match: str, role: int) -> OwnTraces:
        """Return what the server's log and its record of the match tell."""
        return read_traces(seat.log, _records(seat), machine, self.knowledge, match, role)


def _records(seat: MatchSeat) -> Path:
    return seat.log.with_name("records")


@dataclass
class SearchSide:
    """The search alone, in this process, with limits for each move; it keeps its trees from move to move."""

    knowledge: Knowledge | None = None
    changes: Mapping[str, ParameterValue] = field(default_factory=dict)  # parameters that differ from the knowledge's
    seconds: float | None = None  # for each move
    playouts: int | None = None  # for each move
    threads: int = 1
    in_flight: int | None = None  # None: as many as suit the player
    memory_mib: int = 512
    searched: Mapping[int, LoggedMove] = field(default_factory=dict)  # by ply, of the last match

    def take_seat(self, machine: Machine, role: int, seed: int) -> Player:
        """Return a player of the role at the start of a match; the caller closes it.

        Without knowledge it is bare UCT with the changes.
        """
        bare = {} if self.knowledge is not None else {"solver": False}
        return Player(
            machine,
            machine.roles[role],
            knowledge=self.knowledge,
            parameters=bare | dict(self.changes),
            threads=self.threads,
            in_flight=self.in_flight,
            memory_mib=self.memory_mib,
            seed=seed,
        )

    def think(self, player: Player) -> Thought:
        """Let a player search its position."""
        return player.think(seconds=self.seconds, playouts=self.playouts)

    @asynccontextmanager
    async def seated(
        self, machine: Machine, seat: MatchSeat, client: aiohttp.ClientSession
    ) -> AsyncIterator[PlayerLink]:
        """Be there in a seat for the length of a block."""
        with closing(SearchPlayer(machine, self)) as player:
            self.searched = player.searched
            yield UntimedLink("search", player, machine, derive_seed(seat.seed, "player"), seat.opening_plies)

    def traces(self, machine: Machine, seat: MatchSeat, match: str, role: int) -> OwnTraces:
        """Return the searches of the last match."""
        return OwnTraces(self.searched, {})


class SearchPlayer:
    """The search as one that chooses moves, match after match."""

    def __init__(self, machine: Machine, side: SearchSide) -> None:
        self.searched: dict[int, LoggedMove] = {}  # by ply
        self._machine = machine
        self._side = side
        self._seed = 0
        self._player: Player | None = None

    def begin(self, seed: int) -> None:
        """Begin a match."""
        self.close()
        self._seed = seed
        self.searched.clear()

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move that a search of the position chooses."""
        if self._player is None:
            self._player = self._side.take_seat(self._machine, role, self._seed)
        for joint in match.joints[self._player.match.number :]:
            self._player.advance(joint)
        thought = self._side.think(self._player)
        value = None if math.isnan(thought.value) else round(thought.value, 2)
        self.searched[match.number] = LoggedMove(normalise(thought.move), thought.playouts, value)
        return thought.move

    def close(self) -> None:
        """End the search of a match."""
        if self._player is not None:
            self._player.close()
            self._player = None


class LoggedMove(NamedTuple):
    """What our player says about a move."""

    move: str  # canonical
    playouts: int | None  # 0 where the position was solved before; None if nothing was searched
    value: float | None


@dataclass(frozen=True)
class OwnTraces:
    """The record that our player has left behind about one match."""

    logged: Mapping[int, LoggedMove]  # by ply
    visits: Mapping[int, Mapping[str, int]]  # by ply: visits of the root's moves, canonical


def read_traces(log: Path, records: Path, machine: Machine, knowledge: Path | None, match: str, role: int) -> OwnTraces:
    """Read the log of a player and the record of its match; what is missing in them is missing in the result.

    Args:
        log: the output of the player.
        records: the folder with the record.
        machine: the game.
        knowledge: the folder with the player's knowledge, which decides under which names it knows the game.
        match: id of the match.
        role: our player's role.
    """
    logged = dict(_logged(log.read_text(errors="replace").splitlines(), match))
    found = sorted(records.glob("*.xml"))
    visits = _visits(found[-1], machine, knowledge, role) if found else {}
    return OwnTraces(logged, visits)


def _logged(lines: Sequence[str], match: str) -> Iterator[tuple[int, LoggedMove]]:
    for line in lines:
        found = _LOGGED.search(line)
        if found is None or found["match"] != match:
            continue
        playouts = int(found["playouts"] or 0)
        searched = playouts > 0 or found["circuit"] is not None  # the interpreter has no tree to look into
        value = float(found["value"] or "nan")
        yield (
            int(found["number"]) - 1,
            LoggedMove(normalise(found["move"]), playouts if searched else None, None if math.isnan(value) else value),
        )


def _visits(path: Path, machine: Machine, knowledge: Path | None, role: int) -> dict[int, dict[str, int]]:
    """Return the visits of our player's searches from a record, which has the words of the sheet that it plays with."""
    known = KnownGames(knowledge).recognise(machine.sheet)
    played = machine if known.sheet.digest == machine.sheet.digest else load_machine(known.sheet.source)
    try:
        record = read_records(path, played)
    except UserError:
        return {}  # the player was ended while it wrote
    found: dict[int, dict[str, int]] = {}
    for ply in range(len(record.states)):
        span = slice(int(record.visit_start[ply]), int(record.visit_start[ply + 1]))
        visits = zip(record.visit_row[span].tolist(), record.visit_count[span].tolist(), strict=True)
        moves = {played.circuit.moves[row]: count for row, count in visits if row in played.rows(role)}
        if moves:
            back = str if known.renaming is None else known.renaming.back
            found[ply] = {back(move): count for move, count in moves.items()}
    return found


def own_moves(
    machine: Machine,
    joints: Sequence[Sequence[str]],
    role: int,
    opening: int,
    traces: OwnTraces,
    faults: Sequence[PlayerFault],
) -> Iterator[OwnMove]:
    """Yield our player's moves of a match after the opening, where it had a choice.

    Args:
        machine: the game.
        joints: [ply][role] the moves that were made, canonical.
        role: our player's role.
        opening: plies that were drawn.
        traces: what our player has left behind.
        faults: the faults of our player as the referee saw them.
    """
    seen = {fault.move - 1: fault.what for fault in faults}
    match = OngoingMatch(machine)
    for ply, joint in enumerate(joints):
        if ply >= opening and len(match.legal_rows(role)) > 1:
            logged, visits = traces.logged.get(ply), traces.visits.get(ply)
            top = None if visits is None else visits.get(joint[role], 0) == max(visits.values())
            chosen = bool(top) if logged is None else logged.playouts is not None and logged.move == joint[role]
            yield OwnMove(
                ply,
                joint[role],
                None if logged is None else logged.playouts,
                None if logged is None else logged.value,
                chosen and ply not in seen,
                top,
                seen.get(ply),
            )
        match.advance(joint)
