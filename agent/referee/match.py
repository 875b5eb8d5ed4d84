"""A match between players that are reached through links (Love et al. 2008, section 4).

All players are asked at once and have the same clock. If a player answers late, not at all or with an illegal move, a
random legal move replaces its answer; the match goes on, and the fault is reported. Goals that random moves alone have
brought are no goals of the player.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gdl_miner.agent.errors import ConfigError, MoveError, RuleError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee.players import LocalPlayer, LocalRandom, PlayerLink
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.server.messages import Abort, Message, Play, Start, Stop

STOP_S = 5.0


class Clocks(NamedTuple):
    """Clocks of the players, in seconds."""

    start: float
    play: float


class PlayerFault(NamedTuple):
    """A fault of a player."""

    move: int  # 0: the start of the match, then the number of the joint move
    role: str
    what: str  # late, illegal, unreachable, not ready
    detail: str


@dataclass(frozen=True, eq=False)
class RefereedMatch:
    """A match that was played to its end."""

    record: MatchBatchRecord
    joints: tuple[tuple[str, ...], ...]  # [move][role] canonical
    goals: tuple[int | None, ...]  # [role] by the rules, whoever made the moves
    own_moves: tuple[int, ...]  # [role] moves that the player made itself; random ones made the others
    faults: tuple[PlayerFault, ...]
    slowest: tuple[float, ...]  # [role] longest answer to a play message, s

    @property
    def never_moved(self) -> tuple[bool, ...]:
        """[role] whether no move of the match is from the player: it was gone, or all its answers were wrong."""
        return tuple(len(self.joints) > 0 and own == 0 for own in self.own_moves)


class _Seat:
    """A player in its role, with the words in which rules and moves are sent to it."""

    def __init__(self, link: PlayerLink, machine: Machine, role: int, seed: int | None) -> None:
        self.link = link
        self.role = role
        self.name = machine.sheet.display(machine.roles[role])
        self.rules, self.renaming = scrambled(machine.sheet, seed)
        self.slowest = 0.0
        self.own_moves = 0

    def words(self, moves: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.renaming.there(move) for move in moves)


async def referee(
    machine: Machine,
    links: Sequence[PlayerLink],
    clocks: Clocks,
    *,
    name: str,
    seed: int = 0,
    scramble: bool = False,
    watch: Callable[[int, Sequence[str]], None] | None = None,
) -> RefereedMatch:
    """Play one match.

    Args:
        machine: the game.
        links: the players, one for each role in their order, without the role `random`: chance moves for it.
        clocks: the clocks of the players.
        name: id of the match, one word.
        seed: seed of the random moves that replace faulty ones, and of scrambled words.
        scramble: scramble the words of rules and moves, differently for each player that is sent rules.
        watch: called with the number and the moves of each joint move.

    Raises:
        ConfigError: the number of players is not the number of roles.
        RuleError: a role has no legal move.
    """
    roles = [machine.sheet.display(role) for role in machine.roles]
    played = [role for role in roles if role.lower() != CHANCE_ROLE]
    if len(links) != len(played):
        raise ConfigError(f"{len(links)} players for the roles {', '.join(played)}; give one for each, in this order")
    if len(played) < len(roles):
        links = list(links)
        links.insert(machine.circuit.chance_role, LocalRandom(derive_seed(seed, "chance")))
    seats = [
        _Seat(
            link,
            machine,
            role,
            derive_seed(seed, "words", role) if scramble and not isinstance(link, LocalPlayer) else None,
        )
        for role, link in enumerate(links)
    ]
    table = _Course(machine, seats, clocks, name, random.Random(derive_seed(seed, "replacements")))
    try:
        await table.start()
        while not table.match.ended:
            joint = await table.play()
            if watch is not None:
                watch(table.match.number, joint)
    except BaseException:
        await table.tell([Abort(name) for _ in seats])
        raise
    await table.tell([Stop(name, seat.words(table.match.joints[-1]) if table.match.number else None) for seat in seats])
    return table.outcome()


class _Course:
    """A match in progress with its players."""

    def __init__(self, machine: Machine, seats: list[_Seat], clocks: Clocks, name: str, chance: random.Random) -> None:
        self.match = OngoingMatch(machine)
        self._seats = seats
        self._clocks = clocks
        self._name = name
        self._chance = chance
        self._faults: list[PlayerFault] = []
        self._moving = 0  # number of the joint move for which the players are asked

    async def start(self) -> None:
        def message(seat: _Seat) -> Start:
            role = seat.renaming.there(self.match.machine.roles[seat.role])
            return Start(self._name, role, seat.rules, self._clocks.start, self._clocks.play)

        async def one(seat: _Seat) -> None:
            answer = await self._asked(seat, message(seat), (), self._clocks.start)
            if answer is not None and answer.lower() != "ready":
                self._fault(seat, "not ready", answer)

        await asyncio.gather(*map(one, self._seats))

    async def play(self) -> tuple[str, ...]:
        match = self.match
        self._moving = match.number + 1
        last = match.joints[-1] if match.number else None

        async def asked(seat: _Seat) -> str | None:
            message = Play(self._name, None if last is None else seat.words(last))
            legal = seat.words(match.legal(seat.role))
            begin = time.perf_counter()
            answer = await self._asked(seat, message, legal, self._clocks.play)
            seat.slowest = max(seat.slowest, time.perf_counter() - begin)
            return answer

        # No answer is read before all are there, so that a long one takes no time from the clocks of the others.
        answers = await asyncio.gather(*map(asked, self._seats))
        joint = tuple(map(self._move, self._seats, answers))
        match.advance(joint)
        return joint

    def _move(self, seat: _Seat, answer: str | None) -> str:
        """Return the move of an answer, a random one if there is no answer or it is no legal move."""
        if answer is not None:
            try:
                move = seat.renaming.back(normalise(answer))
                self.match.row(seat.role, move)
            except (MoveError, RuleError):
                self._fault(seat, "illegal", answer)
            else:
                seat.own_moves += 1
                return move
        return self._chance.choice(self.match.legal(seat.role))

    async def tell(self, messages: Sequence[Message]) -> None:
        """Send one message to each player without regard to the answers."""
        asked = [seat.link.ask(message, (), STOP_S) for seat, message in zip(self._seats, messages, strict=True)]
        await asyncio.gather(*asked, return_exceptions=True)

    def outcome(self) -> RefereedMatch:
        names = [seat.link.name for seat in self._seats]
        distinct = list(dict.fromkeys(names))
        players = {role: distinct.index(name) for role, name in enumerate(names)}
        return RefereedMatch(
            record=self.match.record(self._name, players),
            joints=self.match.joints,
            goals=self.match.goals,
            own_moves=tuple(seat.own_moves for seat in self._seats),
            faults=tuple(sorted(self._faults)),
            slowest=tuple(seat.slowest for seat in self._seats),
        )

    async def _asked(self, seat: _Seat, message: Message, legal: tuple[str, ...], seconds: float) -> str | None:
        try:
            return await seat.link.ask(message, legal, seconds)
        except TimeoutError:
            self._fault(seat, "late", f"no answer within {seconds:g} s")
        except OSError as error:
            self._fault(seat, "unreachable", str(error))
        return None

    def _fault(self, seat: _Seat, what: str, detail: str) -> None:
        self._faults.append(PlayerFault(self._moving, seat.name, what, detail[:200]))
