"""Where a player lost value in a match, and why, as deeper searches of the same positions see it.

Every own position is searched with many playouts. Where that search prefers another move than the one made, the best
answers to both moves and the positions after them are searched as deeply, so that both are judged alike. A move loses
value if it brings less than the preferred one by at least a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import median
from typing import Any, NamedTuple

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.player.worth import MoveWorth
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.review.fresh_search import FreshSearch, SearchLimits, after, with_move
from gdl_miner.agent.review.kept_match import KeptMatch, KeptSearch

USUAL_PLAYOUTS = 1000  # of a match whose file does not tell them
_DEEPER, _LEAST = 10, 10_000  # a deep search has so many times the playouts of the match, and at least so many
_NEAR = 4  # a search of up to so many times the playouts of the match counts as within reach
_SHORT = 0.5  # a search with less than this share of the usual playouts was short


class Cause(StrEnum):
    """Why a move lost value, as far as it can be measured."""

    fault = "fault"  # the referee made the move, because the player's was late or illegal
    clock = "clock"  # the search was short, and one with the usual playouts finds a better move
    opening = "opening"  # in the first plies
    values = "values"  # by the values alone, the move is worth as much as the better one
    search = "search"  # a somewhat deeper search of the same player finds a better move, or nothing else is known


class MoveValue(NamedTuple):
    """A move and what it brings."""

    row: int
    value: float  # goal 0..100 that a deep search expects after the move
    worth: float | None  # of the state after it by the values alone; None without values


@dataclass(frozen=True)
class ReviewedMove:
    """A move of the player where it had a choice."""

    ply: int  # joint moves made before
    made: MoveValue
    best: MoveValue  # the move that the deep search prefers
    deep: float  # goal 0..100 that the deep search expects of the position
    estimate: float  # what the player expected of it: as its file says, or by a search as long as in the match
    playouts: int | None  # of the search in the match; None where the file does not tell
    found_at: int | None  # fewest playouts tried with which the player keeps the value; None: never, or none was lost
    causes: tuple[Cause, ...]  # all that hold, the first of which counts; empty where no value is lost

    @property
    def loss(self) -> float:
        """What the move brings less than the best one, in points."""
        return max(0.0, self.best.value - self.made.value)


@dataclass(frozen=True)
class ReviewSettings:
    """How a match is reviewed."""

    usual: int  # playouts of a search in the match
    playouts: int  # of each deep search
    threshold: float = 10.0  # points by which a move has to bring less, or an estimate has to differ
    opening: int = 8  # plies from the beginning that count as the opening
    in_flight: int | None = None  # playouts at once; None: as many as suit the player
    memory_mib: int = DEFAULT_MEMORY_MIB
    seed: int = 0

    def __post_init__(self) -> None:
        if self.playouts <= self.usual:
            raise ConfigError(
                f"deep searches of {self.playouts} playouts are no deeper than those of the match, which had "
                f"{self.usual}; give more with --playouts"
            )


@dataclass(frozen=True)
class Review:
    """What deeper searches say about a player's moves in a match."""

    match: KeptMatch
    role: int
    moves: tuple[ReviewedMove, ...]  # those with a choice, after the opening that was drawn
    settings: ReviewSettings

    @property
    def losing(self) -> tuple[ReviewedMove, ...]:
        """The moves that lost value, in the order of the match."""
        return tuple(move for move in self.moves if move.causes)

    @property
    def misjudged(self) -> ReviewedMove | None:
        """The first position of which the player expected another value than the deep search, by the threshold."""
        return next((move for move in self.moves if abs(move.estimate - move.deep) >= self.settings.threshold), None)

    def as_json(self, machine: Machine) -> dict[str, Any]:
        """Return the published keys, in order."""
        display, moves, settings = machine.sheet.display, machine.circuit.moves, self.settings

        def described(move: MoveValue) -> dict[str, Any]:
            worth = None if move.worth is None else round(move.worth, 3)
            return {"move": display(moves[move.row]), "value": round(move.value, 3), "worth": worth}

        return {
            "game": machine.sheet.name,
            "match": self.match.name,
            "role": display(machine.roles[self.role]),
            "goals": list(self.match.goals),
            "plies": self.match.plies,
            "opening_plies": self.match.opening,
            "threshold": settings.threshold,
            "usual_playouts": settings.usual,
            "playouts": settings.playouts,
            "seed": settings.seed,
            "misjudged_from": None if self.misjudged is None else self.misjudged.ply,
            "moves": [
                {
                    "ply": move.ply,
                    "made": described(move.made),
                    "best": described(move.best),
                    "loss": round(move.loss, 3),
                    "deep": round(move.deep, 3),
                    "estimate": round(move.estimate, 3),
                    "playouts": move.playouts,
                    "found_at": move.found_at,
                    "causes": [str(cause) for cause in move.causes],
                }
                for move in self.moves
            ],
        }


def review_match(
    machine: Machine,
    match: KeptMatch,
    role: int,
    settings: ReviewSettings,
    *,
    knowledge: Knowledge | None = None,
    judge: Knowledge | None = None,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Review:
    """Review the moves of a role. The same match, knowledge and settings have the same review.

    Args:
        machine: the game.
        match: the match.
        role: whose moves are reviewed.
        settings: how.
        knowledge: of the player; None for one without.
        judge: knowledge of the deep searches; by default that of the player.
        progress: called with the number of moves that are done, and of all.
    """
    legal = [machine.legal(state) for state in match.record.states[:-1]]
    alone = all(sum(len(rows) > 1 for rows in of_roles) <= 1 for of_roles in legal)
    proves = alone and CHANCE_ROLE not in machine.roles
    limits = SearchLimits(proves, settings.in_flight, settings.memory_mib, settings.seed)
    searches = match.searches if role == match.role else {}
    with ExitStack() as stack:
        player = stack.enter_context(closing(FreshSearch(machine, knowledge, limits)))
        deep = player if judge is None else stack.enter_context(closing(FreshSearch(machine, judge, limits)))
        worth = None if knowledge is None or knowledge.values is None else MoveWorth(knowledge.values, machine)
        reviewer = _MoveReviewer(match, role, player, deep, worth, settings)
        plies, moves = choices(match, machine, role), []
        for done, ply in enumerate(plies):
            progress(done, len(plies))
            moves.append(reviewer.at(ply, searches.get(ply, KeptSearch())))
    return Review(match, role, tuple(moves), settings)


def reviewed_role(match: KeptMatch, machine: Machine) -> int:
    """Return the role of the file's player, else the one with the smallest goal."""
    if match.role is not None:
        return match.role
    return min(machine.circuit.choosing_roles, key=lambda role: (match.goals[role] or 0, role))


def choices(match: KeptMatch, machine: Machine, role: int) -> list[int]:
    """Return the plies after the opening in which a role had a choice.

    Raises ConfigError for the role that moves by chance, and where there are none.
    """
    name = machine.sheet.display(machine.roles[role])
    if machine.roles[role] == CHANCE_ROLE:
        raise ConfigError(f"the role {name} moves by chance; name another one with --role")
    states = match.record.states
    plies = [ply for ply in range(match.opening, match.plies) if len(machine.legal(states[ply])[role]) > 1]
    if not plies:
        raise ConfigError(f"match {match.name}: {name} never had a choice; name another role with --role")
    return plies


def deep_playouts(usual: int) -> int:
    """Return how many playouts deep searches have by default: ten times the usual ones, and at least 10,000."""
    return min(MAX_PLAYOUTS, max(_LEAST, _DEEPER * usual))


def usual_playouts(match: KeptMatch, machine: Machine, role: int) -> int:
    """Return the playouts of a usual search of a role, as the file of the match tells them; 1000 where it does not."""
    searches = match.searches.values() if role == match.role else ()
    told = [each.playouts for each in searches if each.playouts]
    if told:
        return int(median(told))
    total = int(match.record.playouts[0, role])
    return max(1, round(total / len(choices(match, machine, role)))) if total > 0 else USUAL_PLAYOUTS


class _MoveReviewer:
    """It reviews the moves of one match, one after the other."""

    def __init__(
        self,
        match: KeptMatch,
        role: int,
        player: FreshSearch,
        deep: FreshSearch,
        worth: MoveWorth | None,
        settings: ReviewSettings,
    ) -> None:
        self._match = match
        self._role = role
        self._player = player
        self._deep = deep
        self._worth = worth
        self._settings = settings

    def at(self, ply: int, kept: KeptSearch) -> ReviewedMove:
        """Review the move after so many joint moves."""
        record, role, playouts = self._match.record, self._role, self._settings.playouts
        joint = record.moves[ply].tolist()
        here = OngoingMatch(self._deep.machine, record.states[ply], record.moves[ply - 1].tolist() if ply else ())
        thought = self._deep.think(here, role, playouts)
        deep = self._deep.value(here, role, playouts, thought)

        @cache
        def brings(row: int) -> float:
            return self._deep.value(after(here, with_move(joint, role, row)), role, playouts)

        worths = {} if self._worth is None else self._worth.of_moves(here.state, role)
        made, best = (MoveValue(row, brings(row), worths.get(row)) for row in (joint[role], thought.chosen.row))
        length = kept.playouts or self._settings.usual
        estimate = self._player.value(here, role, length) if kept.value is None else kept.value
        if best.value - made.value < self._settings.threshold:
            return ReviewedMove(ply, made, best, deep, estimate, kept.playouts, None, ())
        found_at = self._found_at(here, lambda row: best.value - brings(row) < self._settings.threshold)
        causes = tuple(self._causes(ply, kept, made, best, found_at))
        return ReviewedMove(ply, made, best, deep, estimate, kept.playouts, found_at, causes)

    def _found_at(self, here: OngoingMatch, keeps: Callable[[int], bool]) -> int | None:
        """Return the fewest playouts, doubled from the usual ones on, with which the player makes a move that keeps."""
        playouts = self._settings.usual
        while True:
            if keeps(self._player.think(here, self._role, playouts).chosen.row):
                return playouts
            if playouts == self._settings.playouts:
                return None
            playouts = min(2 * playouts, self._settings.playouts)

    def _causes(
        self, ply: int, kept: KeptSearch, made: MoveValue, best: MoveValue, found_at: int | None
    ) -> Iterator[Cause]:
        """Yield the causes that hold, the one that counts first."""
        usual = self._settings.usual
        by_values = made.worth is not None and best.worth is not None and made.worth >= best.worth
        if kept.fault:
            yield Cause.fault
        if kept.playouts is not None and kept.playouts < _SHORT * usual and found_at == usual:
            yield Cause.clock
        if ply < self._settings.opening:
            yield Cause.opening
        if by_values:
            yield Cause.values
        if not by_values or (found_at is not None and found_at <= _NEAR * usual):
            yield Cause.search
