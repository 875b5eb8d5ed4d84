"""The work that tasks do: prepare a player, play a batch of matches, mine for a role; wherever an executor puts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from agent.gdl import RuleSheet
from agent.knowledge import Feature, Knowledge
from agent.reasoner.circuit import Circuit
from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from agent.search.records import MatchBatchRecord
from agent.search.uct import play_matches
from miner.evolution.executor import Task
from miner.evolution.pairing import MatchRequest, Pair
from miner.evolution.rating import Score
from miner.evolution.work import Sample
from miner.mining.config import MiningConfig
from miner.mining.counting import count_matches
from miner.mining.counts import FeatureCounts
from miner.mining.mine import MinedRole, mine_role
from miner.mining.reading import Reading, read_record_file
from miner.results.archive import select_places

__all__ = [
    "MATCHES_PER_TASK",
    "MiningWork",
    "PreparedGame",
    "PreparedPlayer",
    "count_part",
    "cut_into_tasks",
    "mine_for",
    "play_batch",
    "play_pairs",
    "prepare_player",
    "read_file",
]

MATCHES_PER_TASK = 256  # 512 together take a tenth to a fifth less processor time, but twice the memory for trees
_FEWEST = 8  # pieces that are worth a task of their own


@dataclass(frozen=True, eq=False)
class PreparedGame:
    """A game ready to be played anywhere: its rules and its circuit."""

    sheet: RuleSheet
    circuit: Circuit

    def machine(self) -> Machine:
        """The game's machine; made once per process."""
        return _machine(_Keyed(self))

    def sample(self) -> Sample:
        """Positions to find out what a playout costs; drawn once per process."""
        return _sample(_Keyed(self))


@dataclass(frozen=True, eq=False)
class PreparedPlayer:
    """A player, and the price of one of its playouts."""

    player: PlayerSpec
    work: float


def prepare_player(game: PreparedGame, bare: PlayerSpec, knowledge: Knowledge) -> PreparedPlayer:
    """The player that searches like the bare one, but with knowledge."""
    player = bare.with_knowledge(knowledge, game.machine())
    return PreparedPlayer(player, game.sample().work(player))


def play_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], matches: tuple[MatchRequest, ...]
) -> MatchBatchRecord:
    """Plays the matches; the result of each depends on its players and seed only."""
    return _play(game.machine(), players, matches)


def play_pairs(machine: Machine, players: Sequence[PlayerSpec], pairs: Sequence[Pair]) -> list[Score]:
    """Plays whole pairs in this process; gives the score of each pair's player."""
    record = _play(machine, players, [match for pair in pairs for match in pair.matches])
    goals = {name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)}
    return [pair.score(goals) for pair in pairs]


def _play(machine: Machine, players: Sequence[PlayerSpec], matches: Sequence[MatchRequest]) -> MatchBatchRecord:
    return play_matches(
        machine,
        players,
        [match.seats for match in matches],
        [match.seed for match in matches],
        [match.id for match in matches],
    )


@dataclass(frozen=True, eq=False)
class MiningWork:
    """What is mined, and how: the same for every role."""

    records: Sequence[MatchBatchRecord]  # generations, oldest first
    config: MiningConfig
    seed: int
    lessons: Sequence[MatchBatchRecord] | None = None  # what weights are fitted to, if not to the records
    weights: Sequence[float] | None = None  # [record] what a match counts; by default it fades with the record's age
    counts: Sequence[Sequence[FeatureCounts[Feature]]] | None = None  # [record][role] where they are known already


def mine_for(game: PreparedGame, work: MiningWork, role: int) -> MinedRole:
    """Mines for one role."""
    counts = None if work.counts is None else [roles[role] for roles in work.counts]
    return mine_role(
        work.records,
        game.machine(),
        work.config,
        role,
        seed=work.seed,
        weights=work.weights,
        lessons=work.lessons,
        counts=counts,
    )


def count_part(
    game: PreparedGame, record: MatchBatchRecord, config: MiningConfig, bounds: tuple[int, int]
) -> tuple[FeatureCounts[Feature], ...]:
    """Counts the matches of a record from the first of the bounds to before the second; for every role."""
    machine, part = game.machine(), select_places(record, np.arange(*bounds))
    return tuple(count_matches(part, machine, config, role) for role in range(len(machine.roles)))


def read_file(game: PreparedGame, config: MiningConfig, seed: int, path: Path) -> Reading:
    """Reads and counts a file of match records."""
    return read_record_file(game.machine(), config, seed, path)


def cut_into_tasks(name: str, pieces: Sequence[object], largest: int, workers: int) -> list[Task]:
    """Tasks `name`-t000, … of at most `largest` pieces (matches, positions) each, as many as keep all workers busy.

    Pieces are dealt out in turn, so that every task holds some of every player's.
    """
    fewest = -(-len(pieces) // largest)
    count = max(fewest, min(-(-fewest // workers) * workers, len(pieces) // _FEWEST), 1)
    return [Task(f"{name}-t{number:03d}", tuple(pieces[number::count])) for number in range(count)]


class _Keyed:
    """A prepared game that equals any other copy of the same rules."""

    def __init__(self, game: PreparedGame) -> None:
        self.game = game

    def __hash__(self) -> int:
        return hash(self.game.sheet.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.game.sheet.digest == self.game.sheet.digest


@lru_cache(maxsize=4)
def _machine(keyed: _Keyed) -> Machine:
    return Machine(keyed.game.sheet, keyed.game.circuit)


@lru_cache(maxsize=4)
def _sample(keyed: _Keyed) -> Sample:
    return Sample(keyed.game.machine())
