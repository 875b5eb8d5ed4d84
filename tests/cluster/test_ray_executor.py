import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import ray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.cluster.session import RaySession
from gdl_miner.miner.play.executor import WorkerTask
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import environment
from tests.cluster.work import add, alone_there, complain, die_always, die_once, find, hang_once, joined, stop_once

pytestmark = pytest.mark.slow


def tasks(count: int) -> list[WorkerTask]:
    return [WorkerTask(f"t{number}", number) for number in range(count)]


def test_every_task_gives_one_result(executor: RayExecutor) -> None:
    results = list(executor.run(add, [executor.share(100)], tasks(25)))
    assert len(results) == 25
    assert dict(results) == {f"t{number}": 100 + number for number in range(25)}


def test_a_killed_worker_only_costs_its_own_task_which_is_then_done_in_halves(
    executor: RayExecutor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pairs = [WorkerTask(f"t{number}", (2 * number, 2 * number + 1), joined) for number in range(8)]
    results = list(executor.run(die_once, [executor.share(tmp_path / "died")], pairs))
    assert sorted(results) == [(pair.id, pair.payload) for pair in pairs]
    assert re.search(r"task t1 was lost.* \(its process ended\); its halves are tried \(2 of 5\)", caplog.text)


def test_a_task_that_hangs_is_given_to_another_worker(executor: RayExecutor, tmp_path: Path) -> None:
    impatient = RayExecutor(executor.session, deadline_s=2.0)
    results = list(impatient.run(hang_once, [impatient.share(tmp_path / "hung")], tasks(4)))
    assert sorted(results) == [(f"t{number}", number) for number in range(4)]


def test_tasks_that_stop_the_workers_of_all_processors_are_killed_and_run_again(
    executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl_miner.cluster.cancellation.GRACE_S", 0.5)
    assert executor.workers == 2
    impatient = RayExecutor(executor.session, deadline_s=3.0)
    results = list(impatient.run(stop_once, [impatient.share(tmp_path)], tasks(4)))
    impatient._cancelled.finish()  # the second may not have been killed yet when the first has done all
    assert len(list(tmp_path.iterdir())) == 2
    assert sorted(results) == [(f"t{number}", number) for number in range(4)]


def test_where_no_stopped_worker_can_be_killed_the_error_says_which_they_are(
    nodes: Nodes, executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl_miner.cluster.cancellation.GRACE_S", 0.2)
    monkeypatch.setattr("gdl_miner.cluster.cancellation._STUCK_S", 2.0)
    monkeypatch.setattr("gdl_miner.cluster.cancellation._kill", ray.remote(num_cpus=0)(find))
    impatient = RayExecutor(executor.session, deadline_s=1.0)
    with pytest.raises(ClusterError, match=r"task t[01] hangs in process \d+ on [\d.]+, which cannot be killed"):
        list(impatient.run(stop_once, [impatient.share(tmp_path)], tasks(4)))
    for process in nodes.busy_workers():
        nodes.strike(signal.SIGKILL, process)


_DEAF = """
import ray
from gdl_miner.cluster import worker
from tests.cluster.work import deaf
ray.get_runtime_context = lambda: ray
ray.get_node_id = lambda: "a node"
worker._LAST_S = 0.1
worker.perform._function(worker.Job(deaf, worker.name_of(worker.code_here()), None, "", 0.1, 0.05), "t0", 0)
"""


def test_a_task_that_cannot_be_interrupted_ends_with_its_worker_and_says_where_it_hung() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _DEAF], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert "in deaf" in ended.stderr


def test_a_task_that_is_always_lost_ends_in_a_clear_error(executor: RayExecutor, tmp_path: Path) -> None:
    stubborn = RayExecutor(executor.session, attempts=2)
    with pytest.raises(ClusterError, match=r"task t0 was lost .* 2 times"):
        list(stubborn.run(die_always, [stubborn.share(tmp_path)], tasks(1)))


def test_a_users_mistake_arrives_as_it_was_raised(executor: RayExecutor, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^file:1: 0 is wrong; mend it$"):
        list(executor.run(complain, [executor.share(tmp_path)], tasks(1)))


def test_a_run_that_is_broken_off_leaves_the_executor_usable(executor: RayExecutor) -> None:
    run = executor.run(add, [executor.share(0)], tasks(20))
    next(run)
    run.close()
    assert dict(executor.run(add, [executor.share(1)], tasks(3))) == {"t0": 1, "t1": 2, "t2": 3}


def test_where_ray_ends_beside_it_the_driver_asks_nothing_more_of_it(
    executor: RayExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("Broken pipe")

    asked: list[object] = []
    with monkeypatch.context() as patch:
        patch.setattr("gdl_miner.cluster.machines.ray.wait", broken)
        patch.setattr("gdl_miner.cluster.cancellation._cancel.remote", lambda *names: asked.append(names))
        with pytest.raises(
            ClusterError, match=r"Ray has ended on this machine \(Broken pipe\); start the cluster again"
        ):
            list(executor.run(add, [executor.share(0)], tasks(2)))
    assert executor.session.machines.ray_lost
    assert not asked
    executor.session.machines.ray_lost = False


_RAY_ENDS = """
import os, signal, sys, time
import ray
from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.launch import open_ray
from gdl_miner.miner.play.executor import WorkerTask
from tests.cluster.work import add
with open_ray(1) as executor:
    assert list(executor.run(add, [executor.share(1)], [WorkerTask("t", 2)])) == [("t", 3)]
    [raylet] = ray._private.worker._global_node.all_processes["raylet"]
    os.kill(raylet.process.pid, signal.SIGKILL)
    raylet.process.wait()
    try:
        executor.share(bytes(1 << 20))
    except ClusterError as error:
        print(error)
        sys.stdout.flush()
"""


def test_where_ray_ends_between_two_calls_the_driver_says_so_before_ray_ends_it() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _RAY_ENDS], env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.stdout.startswith("Ray has ended on this machine"), ended.stderr


_BROKEN_OFF = """
from gdl_miner.cluster.launch import open_ray
from gdl_miner.miner.play.executor import WorkerTask
from tests.cluster.work import nap
with open_ray(2) as executor:
    longest_s = executor.share(0.001)
    for start in range(200):
        run = executor.run(nap, [longest_s], [WorkerTask(f"t{number}", start + number) for number in range(6)])
        next(run)
        run.close()
"""


def test_tasks_cancelled_while_their_results_arrive_do_not_end_the_driver() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _BROKEN_OFF], env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_no_more_tasks_run_at_a_time_than_were_asked_for(executor: RayExecutor, tmp_path: Path) -> None:
    assert executor.workers > 1
    one = RayExecutor(RaySession(1, bounded=True))
    assert all(alone for _, alone in one.run(alone_there, [one.share(tmp_path)], tasks(6)))
