"""Mining as tasks: counting a part of a record, reading a file, mining for a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agent.knowledge import Feature
from agent.search.records import MatchBatchRecord, select_places
from miner.mining.config import MiningConfig
from miner.mining.counting import count_matches
from miner.mining.counts import FeatureCounts
from miner.mining.mine import MinedRole, mine_role
from miner.mining.reading import Reading, read_record_file
from miner.play.prepared_game import PreparedGame

__all__ = ["MiningWork", "count_part", "mine_for", "read_file"]


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
