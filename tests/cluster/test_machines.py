"""A machine whose code is not the driver's is named, and gets no work."""

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray

import gdl_miner
from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.cluster.machines import Machines
from gdl_miner.cluster.session import RaySession
from gdl_miner.cluster.worker import Job, code_here, differences, name_of, perform
from gdl_miner.miner.play.executor import WorkerTask
from tests.cluster.nodes import Nodes
from tests.cluster.work import add, where

# It is run before Ray puts the driver's folder first. An editable installation finds the package before any path does.
_IMPORTS_IT = """
import importlib.machinery, importlib.util, os, sys
found = importlib.machinery.PathFinder.find_spec("gdl_miner", [os.path.dirname(__file__)])
sys.modules["gdl_miner"] = importlib.util.module_from_spec(found)
found.loader.exec_module(sys.modules["gdl_miner"])
"""


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A folder with a copy of the package in which one line of one file was changed."""
    package = Path(gdl_miner.__file__).parent
    shutil.copytree(package, tmp_path / "gdl_miner", ignore=shutil.ignore_patterns("native", "__pycache__"))
    with (tmp_path / "gdl_miner/miner/play/pairing.py").open("a") as file:
        file.write("# one more line\n")
    (tmp_path / "sitecustomize.py").write_text(_IMPORTS_IT)
    return tmp_path


@pytest.fixture
def deviating(nodes: Nodes, changed: Path) -> Iterator[str]:
    """The id of a third node whose workers import the changed copy."""
    path = os.pathsep.join([str(changed), *sys.path])
    node = nodes.add(env_vars={"PYTHONPATH": path})
    yield str(node.node_id)
    nodes.remove(node)


@pytest.mark.slow
def test_a_machine_with_one_changed_line_is_named_and_gets_no_work(
    executor: RayExecutor, deviating: str, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = [WorkerTask(f"t{number}", number) for number in range(12)]
    with caplog.at_level(logging.INFO, "gdl_miner"):
        careful = RayExecutor(RaySession(None))
        seen = dict(careful.run(where, [careful.share(0.05)], tasks))
    assert len(seen) == 12
    assert deviating not in seen.values()
    assert "gets no work: it has other contents of miner/play/pairing.py; copy the project" in caplog.text
    assert "2 of 3 machines, 2 processors" in caplog.text


@pytest.mark.slow
def test_a_process_compares_its_code_itself_and_does_not_begin_where_it_differs(executor: RayExecutor) -> None:
    assert executor.workers
    job = Job(add, "another code", None, "", deadline_s=60.0, beat_s=10.0)
    node, code, result = ray.get(perform.remote(job, "t0", 1, 2))
    assert (code, result) == (code_here(), None)
    assert node in {each["NodeID"] for each in ray.nodes()}
    assert ray.get(perform.remote(job._replace(code=name_of(code)), "t0", 1, 2))[1:] == (None, 3)


def test_differences_are_said_in_plain_words() -> None:
    here = code_here()
    files = [name for name in here if name.endswith(".py")]
    assert len(files) > 100
    assert differences(here, here) == ""
    other = {**here, "Python": "3.11.0", "numpy": "1.0", "the native module": "else"}
    said = differences(other, here)
    assert said.startswith("Python 3.11.0 in place of 3.")
    assert "numpy 1.0 in place of" in said
    assert said.endswith("a native module of other sources")
    more = differences({**here, **dict.fromkeys(files[:5], "else")}, here)
    assert more.startswith("other contents of ")
    assert more.endswith(" and 2 more files")
    absent = {name: text for name, text in here.items() if name in ("Python", "numpy")}
    assert "the package gdl_miner is not to be used: No module" in differences(
        {**absent, "the package gdl_miner": "not to be used: No module named 'gdl_miner'"}, here
    )


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What Ray says of the only node of a cluster, which is not asked for its code."""
    node = {"NodeID": "ab", "Alive": True, "NodeManagerAddress": "192.0.2.7", "Resources": {"CPU": 4.0}}
    monkeypatch.setattr("gdl_miner.cluster.machines._nodes", lambda: [node])
    monkeypatch.setattr("gdl_miner.cluster.machines._head", lambda: ("192.0.2.6", 6379))
    monkeypatch.setattr("gdl_miner.cluster.machines._listens", lambda _: True)
    monkeypatch.setattr(Machines, "_ask", lambda _, machine: None)
    return node


def test_a_cluster_in_which_every_machine_deviates_is_an_error(node: dict[str, Any]) -> None:
    machines = Machines(joined=True)
    machines.look()
    with pytest.raises(ClusterError, match=r"no machine .* 192\.0\.2\.7 has other contents of a\.py; copy the project"):
        machines.deviates("ab", {**machines.code, "a.py": "x"})


def test_a_lost_head_ends_the_run_before_ray_does_and_one_that_is_back_does_not(
    node: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock, listening = [0.0], [False]
    monkeypatch.setattr("gdl_miner.cluster.machines.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("gdl_miner.cluster.machines._listens", lambda _: listening[0])
    machines = Machines(joined=True)
    for clock[0], listening[0] in ((1.0, False), (14.0, False), (20.0, True), (30.0, False), (44.0, False)):
        machines.look()
    assert "the head of the cluster, 192.0.2.6 port 6379, does not answer" in caplog.text
    assert "the head of the cluster is back" in caplog.text
    clock[0] = 45.0
    with pytest.raises(ClusterError, match=r"the head of the cluster, 192\.0\.2\.6 port 6379, is lost; start"):
        machines.look()
    assert machines.ray_lost


def test_changes_of_machines_are_said_in_plain_words(
    node: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nodes = [node]
    monkeypatch.setattr("gdl_miner.cluster.machines._nodes", lambda: nodes)
    monkeypatch.setattr("gdl_miner.cluster.machines._LOOK_S", 0.0)
    with caplog.at_level(logging.INFO, "gdl_miner"):
        machines = Machines(joined=True)
        machines.await_answers()
        assert machines.summary() == "0 of 1 machine, 0 processors"
        machines.answered(next(iter(machines)), machines.code)
        node["Alive"] = False
        machines.look()
        nodes.append({**node, "NodeID": "cd", "Alive": True})
        machines.look()
        machines.answered(list(machines)[1], machines.code)
    assert [record.message for record in caplog.records] == [
        "0 of 1 machine, 0 processors",
        "machine 192.0.2.7 joins; 1 of 1 machine, 4 processors",
        "machine 192.0.2.7 is lost; 0 of 1 machine, 0 processors",
        "machine 192.0.2.7 is back; 1 of 1 machine, 4 processors",
    ]


def test_where_the_files_of_this_machine_change_the_error_says_so() -> None:
    machines = Machines(joined=False)
    with pytest.raises(ClusterError, match=r"the program was changed while it ran: other contents of a\.py; start it"):
        machines.deviates("ab", {**machines.code, "a.py": "x"})
