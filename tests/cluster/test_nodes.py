"""In a cluster of several nodes, nodes that join are used, and lost nodes cost nothing but time."""

import time
from collections.abc import Iterator

import pytest

from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.miner.play.executor import WorkerTask
from tests.cluster.nodes import Nodes
from tests.cluster.work import large, where

pytestmark = pytest.mark.slow

_NOTICED_S = 120.0  # seconds until Ray knows that a node is lost; longer is a failure


@pytest.fixture(autouse=True)
def _two_nodes_again(nodes: Nodes, executor: RayExecutor) -> Iterator[None]:
    yield
    nodes.replace_lost(1)
    until = time.monotonic() + _NOTICED_S
    while executor.workers != 2:
        assert time.monotonic() < until, f"{executor.workers} processors are there"
        time.sleep(0.1)


def tasks(count: int) -> list[WorkerTask]:
    return [WorkerTask(f"t{number}", number) for number in range(count)]


def test_a_node_that_joins_is_used_and_one_that_is_lost_is_done_without(nodes: Nodes, executor: RayExecutor) -> None:
    seen: dict[str, str] = {}
    lost_after = 0
    run = executor.run(where, [executor.share(0.05)], tasks(5000))  # more than the test waits for
    for name, node in run:
        assert name not in seen
        seen[name] = node
        if len(seen) == 5:
            assert len(set(seen.values())) <= 2
            nodes.replace_lost(2)
        if not lost_after and len(set(seen.values())) == 3:
            nodes.lose_one()
            lost_after = len(seen)
        if lost_after and len(seen) == lost_after + 40:
            break
    run.close()
    assert lost_after
    assert {f"t{number}" for number in range(lost_after)} <= seen.keys()  # tasks of the lost node are repeated first


def test_results_larger_than_the_object_store_arrive(executor: RayExecutor) -> None:
    megabytes = 25
    results = dict(executor.run(large, [executor.share(megabytes)], tasks(12)))  # 300 MB through stores of 80 MB
    assert all(len(results[f"t{number}"]) == megabytes * 10**6 for number in range(12))
    assert all(results[f"t{number}"][-1] == number for number in range(12))
