"""The throughput benchmark measures the executors, not the start of processes between their turns."""

import json
import subprocess
import sys

import pytest

from tests.cluster.small_run import environment

pytestmark = pytest.mark.slow

_TURNS = """
import json, os, tempfile
from lab.processes.throughput import KEEPS_WORKERS
from gdl_miner.cluster.launch import open_ray
from gdl_miner.miner.play.executor import WorkerTask
os.environ.update(KEEPS_WORKERS)
with open_ray(2) as executor:
    from gdl_miner.cluster.executor import RayExecutor
    from tests.cluster.work import meet
    one = RayExecutor(executor.session, cpus=2)
    def turn(executor, count):
        with tempfile.TemporaryDirectory() as folder:
            tasks = [WorkerTask(f"t{number}", count) for number in range(count)]
            return sorted(process for _, process in executor.run(meet, [executor.share(folder)], tasks))
    print(json.dumps([turn(executor, 2), turn(one, 1), turn(executor, 2)]))
"""


def test_workers_that_a_turn_leaves_idle_are_there_in_the_next() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TURNS], env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    before, between, after = json.loads(done.stdout.splitlines()[-1])
    assert len(before) == 2
    assert len(between) == 1
    assert after == before
