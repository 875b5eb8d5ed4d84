"""Counts of a generation are made once, in parts, and equal those made all at once."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.miner.mining import counting
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counting import CountCache, count_matches
from gdl_miner.miner.play.executor import SerialExecutor, Shared, WorkerTask
from gdl_miner.miner.play.prepared_game import PreparedGame


class Listing(SerialExecutor):
    """An executor that lists its tasks and yields their results in reverse order."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(
        self, work: Callable[..., Any], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, Any]]:
        self.asked += [task.id for task in tasks]
        yield from reversed(list(super().run(work, shared, tasks)))


def test_a_generation_is_counted_once_in_parts_that_sum_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_PART", 60)
    machine, config, executor = load_machine("tictactoe.ext"), MiningConfig(), Listing()
    seats, names = np.zeros((40, 2), np.int32), [f"m{number}" for number in range(40)]
    record = play_matches(machine, [PlayerSpec("uct", playouts=8)], seats, range(40), names)
    counts = CountCache(executor, executor.share(PreparedGame(machine.sheet, machine.circuit)), config)
    found = counts.of(3, record)
    assert len(executor.asked) > 3
    for role, whole in enumerate(count_matches(record, machine, config)):
        assert dict(zip(found[role].features, found[role].sums.tolist(), strict=True)) == dict(
            zip(whole.features, whole.sums.tolist(), strict=True)
        )
    before = len(executor.asked)
    assert counts.of(3, record) is found
    counts.forget(4)
    counts.of(3, record)
    assert len(executor.asked) == 2 * before
