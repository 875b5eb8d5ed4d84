"""Mining as tasks of an executor: counting a part of a record, reading a file, mining for a role."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gdl_miner.agent.features import Feature
from gdl_miner.agent.search.records import MatchBatchRecord, select_places
from gdl_miner.miner.mining.candidates import Candidate
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.counts import FeatureCounts
from gdl_miner.miner.mining.mine import mine_role
from gdl_miner.miner.mining.mined import MinedRole
from gdl_miner.miner.mining.record_summary import RecordSummary, summarise_file
from gdl_miner.miner.mining.training_data import TrainingData
from gdl_miner.miner.play.prepared_game import PreparedGame

__all__ = ["count_part", "mine_for", "read_file"]


def mine_for(
    game: PreparedGame,
    config: MiningConfig,
    data: TrainingData,
    candidates: Sequence[Sequence[Candidate]],
    role: int,
) -> MinedRole:
    """Mine for one role, with [role] candidates where there are any."""
    return mine_role(data, game.machine(), role, config, candidates[role] if candidates else ())


def count_part(
    game: PreparedGame, record: MatchBatchRecord, config: MiningConfig, bounds: tuple[int, int]
) -> tuple[FeatureCounts[Feature], ...]:
    """[role] counts of the matches of a record from the first of the bounds to before the second."""
    return count_matches(select_places(record, np.arange(*bounds)), game.machine(), config)


def read_file(game: PreparedGame, config: MiningConfig, seed: int, path: Path) -> RecordSummary:
    """Read and count a file of match records."""
    return summarise_file(path, game.machine(), config, seed)
