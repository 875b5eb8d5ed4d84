from collections.abc import Iterator

import pytest

from cluster.executor import RayExecutor
from cluster.launch import open_ray


@pytest.fixture(scope="session")
def executor() -> Iterator[RayExecutor]:
    """One Ray with two processors for all tests of this folder; starting it takes seconds."""
    with open_ray(workers=2) as opened:
        yield opened
