from collections.abc import Iterator

import pytest
import ray

from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.cluster.session import join_cluster
from tests.cluster.nodes import Nodes


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """One cluster of two nodes for all tests of this folder; starting it takes seconds."""
    with Nodes(others=1) as started:
        yield started


@pytest.fixture(scope="session")
def executor(nodes: Nodes) -> Iterator[RayExecutor]:
    """An executor on all processors of that cluster, with a monitor that hears the first heartbeats of tasks."""
    with RayExecutor(join_cluster(nodes.address)) as opened:
        ray.get(opened.session.monitor.take.remote(""))
        yield opened
