"""Several nodes: those that join are used, those that are lost cost nothing but time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.executor import RayExecutor
from miner.evolution.executor import Task
from tests.cluster.chaos import Chaos
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import SMALL
from tests.cluster.work import large, where

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _two_nodes_again(nodes: Nodes) -> Iterator[None]:
    yield
    nodes.replace_lost(1)


def tasks(count: int) -> list[Task]:
    return [Task(f"t{number}", number) for number in range(count)]


def test_a_node_that_joins_is_used_and_one_that_is_lost_is_done_without(nodes: Nodes, executor: RayExecutor) -> None:
    seen: list[str] = []
    for _, node in executor.run(where, [executor.share(0.1)], tasks(60)):
        seen.append(node)
        if len(seen) == 5:
            nodes.replace_lost(2)
        if len(seen) == 40:
            nodes.lose_one()
    assert len(seen) == 60
    assert len(set(seen[:5])) <= 2
    assert len(set(seen)) == 3


def test_results_larger_than_the_object_store_arrive(executor: RayExecutor) -> None:
    megabytes = 25
    results = dict(executor.run(large, [executor.share(megabytes)], tasks(12)))  # 300 MB through stores of 80 MB
    assert all(len(results[f"t{number}"]) == megabytes * 10**6 for number in range(12))
    assert all(results[f"t{number}"][-1] == number for number in range(12))


def test_a_run_whose_driver_is_killed_ends_in_the_same_bytes(nodes: Nodes, tmp_path: Path) -> None:
    chaos = Chaos(nodes, tmp_path, SMALL)
    assert "driver-killed" in chaos.round(1, "driver-killed")
