"""Measurements of mining as the number of states grows: time, states per second, and peak memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.mine import mine_role
from gdl_miner.miner.mining.record_summary import RecordSummary, merge_summaries, summarise_record
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "measure_mining"]

COLUMNS = (
    Column("game", "game", 22),
    Column("states", "states"),
    Column("matches", "matches"),
    Column("seconds", "counting, s", form=",.1f"),
    Column("rate", "states/s"),
    Column("fit", "fitting, s", form=",.1f"),
    Column("features", "features"),
    Column("memory", "most MiB"),
)

_MATCHES = 2048  # matches that are played; they are mined repeatedly under other ids
_PLAYOUTS = 10
_SEED = 1


def measure_mining(machine: Machine, sizes: Sequence[int]) -> Iterator[dict[str, CellValue]]:
    """Yield a row for each number of states, which are counted part by part and then mined for every role."""
    roles, config = len(machine.roles), MiningConfig()
    seats, names = np.zeros((_MATCHES, roles), np.int32), [f"m{number}" for number in range(_MATCHES)]
    played = play_matches(machine, [PlayerSpec("uct", playouts=_PLAYOUTS)], seats, range(_MATCHES), names)
    total: RecordSummary | None = None
    seconds, copy = 0.0, 0
    for size in sizes:
        while total is None or total.states < size:
            record = _renamed(played, copy)
            copy += 1
            begun = time.perf_counter()
            found = summarise_record(record, machine, config, f"{copy:09d}")
            total = merge_summaries([found] if total is None else [total, found], config, _SEED)
            seconds += time.perf_counter() - begun
        begun = time.perf_counter()
        data = total.training_data(config, _SEED)
        mined = [mine_role(data, machine, role, config) for role in range(roles)]
        yield {
            "game": machine.sheet.name,
            "states": total.states,
            "matches": total.matches,
            "seconds": seconds,
            "rate": total.states / seconds,
            "fit": time.perf_counter() - begun,
            "features": sum(len(role.features) for role in mined),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


def _renamed(record: MatchBatchRecord, copy: int) -> MatchBatchRecord:
    return replace(record, ids=tuple(f"c{copy}-{name}" for name in record.ids))
