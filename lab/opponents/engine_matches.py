"""Matches of the player against an engine, in pairs: the same random opening, with the seats swapped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from gdl_miner.agent.errors import MoveError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameter_row import ParameterValue
from gdl_miner.agent.player import Player
from gdl_miner.agent.player.thought import Thought
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import match_score
from gdl_miner.miner.play.rating import Score
from lab.opponents.engines import EngineError, Opponent
from lab.opponents.openings import random_opening

__all__ = ["EngineMatch", "Joint", "OwnSearch", "PlayerSetup", "play_pairs"]

Joint = tuple[str, ...]  # [role] canonical


@dataclass(frozen=True)
class PlayerSetup:
    """The player's knowledge, its parameters, and its limits for one move."""

    knowledge: Knowledge | None = None
    changes: Mapping[str, ParameterValue] = field(default_factory=dict)  # parameters that differ from the knowledge's
    seconds: float | None = None  # for each move
    playouts: int | None = None  # for each move
    threads: int = 1
    in_flight: int | None = None  # None: as many as suit the player
    memory_mib: int = 512

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


class OwnSearch(NamedTuple):
    """A search of the player."""

    ply: int  # joint moves made before
    playouts: int
    value: float  # mean goal of the best move, 0..100; nan without playouts


@dataclass(frozen=True)
class EngineMatch:
    """A finished match against an engine."""

    pair: int
    role: int  # the player's role
    opening: int  # plies that were drawn at random
    joints: tuple[Joint, ...]  # [ply][role]
    goals: tuple[int | None, ...]  # [role]
    searches: tuple[OwnSearch, ...]
    engine_seconds: tuple[float, ...]  # for each move that the engine chose, wall-clock

    @property
    def score(self) -> Score:
        """Win, draw or loss of the player."""
        return match_score([-1 if goal is None else goal for goal in self.goals], self.role)


def play_pairs(
    machine: Machine,
    setup: PlayerSetup,
    engine: Opponent,
    pairs: int,
    opening_plies: int,
    seed: int,
    progress: Callable[[EngineMatch], None],
    roles: Sequence[int],
) -> Iterator[tuple[EngineMatch, ...]]:
    """Yield the matches of each pair, in which the player takes each of `roles` once after the same opening.

    Openings and, if the limit is in playouts, the player's moves follow from the seed. `progress` gets every match.

    Raises EngineError if the engine fails or gives an illegal answer.
    """
    for pair in range(pairs):
        opening = random_opening(machine, opening_plies, derive_seed(seed, "pair", pair))
        played = []
        for role in roles:
            match_seed = derive_seed(seed, "pair", pair, "role", role)
            played.append(_play(machine, setup, engine, pair, role, opening, match_seed))
            progress(played[-1])
        yield tuple(played)


def _play(
    machine: Machine,
    setup: PlayerSetup,
    engine: Opponent,
    pair: int,
    own: int,
    opening: tuple[Joint, ...],
    seed: int,
) -> EngineMatch:
    """Play one match. A role with a single legal move makes it, without thinking or being asked."""
    searches: list[OwnSearch] = []
    engine_seconds: list[float] = []
    engine.begin(derive_seed(seed, "engine"))
    with closing(setup.take_seat(machine, own, derive_seed(seed, "player"))) as player:
        match = player.match
        for joint in opening:
            player.advance(joint)
        while not match.ended:
            moves = []
            for role in range(len(machine.roles)):
                legal = match.legal(role)
                if len(legal) == 1:
                    moves.append(legal[0])
                elif role == own:
                    thought = setup.think(player)
                    searches.append(OwnSearch(match.number, thought.playouts, thought.value))
                    moves.append(thought.move)
                else:
                    begin = time.perf_counter()
                    moves.append(_checked(engine.move(match, role), player, role))
                    engine_seconds.append(time.perf_counter() - begin)
            player.advance(moves)
        return EngineMatch(pair, own, len(opening), match.joints, match.goals, tuple(searches), tuple(engine_seconds))


def _checked(move: str, player: Player, role: int) -> str:
    """Return the engine's move if it is legal."""
    try:
        player.match.row(role, move)
    except MoveError as error:
        raise EngineError(f"the engine's answer after {player.match.number} plies is illegal: {error}") from None
    return move
