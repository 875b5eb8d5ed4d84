"""The check of machines before `ray up`, and what is done for `ray up` and `ray down`, with an `ssh` of the test."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.cluster import gathering
from gdl_miner.cluster.cluster_file import read_cluster_file
from gdl_miner.cluster.preflight import check_cluster
from tests.command_line import miner

# Answers as the files beside it say, one for each machine; where there is none, the command runs here.
SSH = """#!/bin/bash
echo "$*" >> "$(dirname "$0")/calls"
for word; do if [[ $word == miner@* ]]; then host=${word#miner@}; fi; done
if [ ! -e "$(dirname "$0")/$host" ]; then while [ "$1" != bash ]; do shift; done; exec bash -c "$*"; fi
. "$(dirname "$0")/$host"
"""
GOOD = {
    "clock": "$(date +%s)", "system": "Linux", "processor": "x86_64", "processors": "4", "python": "3.11.2",
    "venv": "yes", "index": "https://pypi.org/simple", "rsync": "yes",
    "disk": "9000000", "tmp": "9000000", "memory": "8000000",
}  # fmt: skip


class Cluster:
    """A project, a cluster file and machines that answer as they are told."""

    def __init__(self, folder: Path, workers: list[str], more: str = "") -> None:
        self.folder, self.workers = folder, workers
        self.bin = folder / "bin"
        for name in ("bin", "scripts", "gdl_miner", "dist/wheels", ".ray"):
            (folder / name).mkdir(parents=True)
        (folder / "scripts/setup").touch()
        (folder / "scripts/environments.py").write_text("print('c0de')")
        (folder / "gdl_miner/__init__.py").touch()
        (folder / "dist/wheels/gdl_miner-0.1.0-1c0de-cp311-cp311-linux_x86_64.whl").touch()
        (folder / "dist/wheels/libraries").write_text("c0de")
        for name, mode in ((".ray/auth_token", 0o600), ("key", 0o600), ("bin/ssh", 0o755)):
            (folder / name).write_text(SSH)
            (folder / name).chmod(mode)
        auth = f"auth: {{ssh_user: miner, ssh_private_key: {folder / 'key'}}}"
        provider = f"provider: {{type: local, head_ip: 127.0.0.1, worker_ips: [{', '.join(workers)}]{more}}}"
        self.file = folder / "cluster.yaml"
        self.file.write_text(f"cluster_name: mine\n{provider}\n{auth}\n")
        self.answer("127.0.0.1", **{f"open:{worker}:{port}": "yes" for worker in workers for port in (22, 10002)})
        for worker in workers:
            self.answer(worker)

    def answer(self, host: str, without: tuple[str, ...] = (), **more: str) -> None:
        """Let a machine answer what a good one does, without some lines and with others."""
        if host != "127.0.0.1":
            more = {"open:127.0.0.1:6379": "yes", "open:127.0.0.1:10002": "yes"} | more
        lines = [f"echo 'gdl-miner: {name}='{value}" for name, value in (GOOD | more).items() if name not in without]
        self.say(host, "\n".join(["echo Welcome to this machine.", *lines]))

    def say(self, host: str, script: str) -> None:
        """Let the connection to a machine do what a script does."""
        (self.bin / host).write_text(script)

    def faults(self) -> list[str]:
        """Return all faults that the check finds."""
        return [str(fault) for fault in check_cluster(read_cluster_file(self.file), self.folder).faults]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Cluster]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gdl_miner.cluster.preflight.shutil.which", lambda name: name)
    return lambda workers=(), more="": Cluster(tmp_path, list(workers), more)


def test_a_good_cluster_is_ready(cluster: Callable[..., Cluster]) -> None:
    cluster(["127.0.1.2"])
    done = miner("cluster", "check")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "127.0.0.1  head    Python 3.11.2, 4 processors, 7.6 GiB of memory free, 8.6 GiB of disk free",
        "127.0.1.2  worker  Python 3.11.2, 4 processors, 7.6 GiB of memory free, 8.6 GiB of disk free",
        "2 of 2 machines are ready",
    ]


def test_all_that_is_lacking_on_all_machines_stands_in_one_list(cluster: Callable[..., Cluster]) -> None:
    made = cluster([f"127.0.1.{number}" for number in range(2, 12)])
    made.answer("127.0.1.2", without=("rsync", "venv"))
    made.say("127.0.1.3", "echo 'miner@127.0.1.3: Permission denied (publickey).' >&2; exit 255")
    made.say("127.0.1.4", "echo 'ssh: connect to host 127.0.1.4 port 22: No route to host' >&2; exit 255")
    made.answer("127.0.1.5", python="3.11.9", clock="$(($(date +%s) - 3600))")
    made.answer("127.0.1.6", without=("python",))
    made.answer("127.0.1.7", disk="1000000", tmp="1000", memory="1000")
    made.answer("127.0.1.8", processor="aarch64")
    made.answer("127.0.1.9", without=("open:127.0.0.1:6379",))
    made.answer("127.0.1.10", python="3.9.2")
    told = made.faults()
    head = "127.0.1.3: the head does not reach its port 22"
    assert head not in told
    expected = [
        "127.0.1.2: this Python makes no virtual environments",
        "127.0.1.2: no rsync",
        "127.0.1.3: the key does not open the login miner",
        "127.0.1.4: not reached by ssh: ssh: connect to host 127.0.1.4 port 22: No route to host",
        "127.0.1.5: Python 3.11.9, and the head has 3.11.2",
        "127.0.1.5: its clock is 36",
        "127.0.1.6: no python3",
        "127.0.1.7: 976 MiB of disk are free",
        "127.0.1.7: 0 MiB are free in /tmp",
        "127.0.1.7: 0 MiB of memory are free",
        "127.0.1.8: no C++20 compiler and no Python.h",
        "127.0.1.9: does not reach the head 127.0.0.1 at port 6379",
        "127.0.1.10: Python 3.9.2 is too old",
    ]
    assert [line[: len(start)] for line, start in zip(told, expected, strict=True)] == expected
    assert all("; " in line for line in told)  # each says what to do
    done = miner("cluster", "check", "cluster.yaml", "--json")
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert (said["ok"], len(said["faults"])) == (False, len(expected))
    assert [each["address"] for each in said["machines"] if each["ok"]] == ["127.0.0.1", "127.0.1.11"]


def test_ports_and_a_stranger_on_the_head(cluster: Callable[..., Cluster]) -> None:
    made = cluster(["127.0.1.2", "127.0.1.3", "127.0.1.4"])
    to_last = {f"open:127.0.1.4:{port}": "yes" for port in (22, 10002)}
    made.answer("127.0.0.1", taken="yes", **{"open:127.0.1.2:22": "yes"}, **to_last)
    report = check_cluster(read_cluster_file(made.file), made.folder)
    assert [str(fault).partition(";")[0] for fault in report.faults] == [
        "127.0.0.1: another program listens at port 6379",
        "127.0.1.2: the head does not reach its ports 10002 and above",
        "127.0.1.3: the head does not reach its port 22",
    ]
    assert [each["address"] for each in report.machines if each["ok"]] == ["127.0.1.4"]


def test_without_wheels_machines_need_a_compiler_and_a_package_index(cluster: Callable[..., Cluster]) -> None:
    made = cluster(["127.0.1.2"])
    made.answer("127.0.1.2", headers="yes", compiler="yes", network="yes")
    (made.folder / "dist/wheels/libraries").unlink()
    index = "127.0.0.1: the package index https://pypi.org/simple does not answer"
    assert [line.partition(";")[0] for line in made.faults()] == [index]
    (made.folder / "scripts/environments.py").write_text("print('0ther')")  # other sources than those of the wheel
    compiler = "127.0.0.1: no C++20 compiler and no Python.h"
    assert [line.partition(";")[0] for line in made.faults()] == [compiler, index]
    made.answer("127.0.0.1", installed="yes", **{"open:127.0.1.2:22": "yes", "open:127.0.1.2:10002": "yes"})
    assert made.faults() == []  # what is set up stays


def test_a_machine_tells_the_truth(cluster: Callable[..., Cluster]) -> None:
    made = cluster()
    (made.bin / "127.0.0.1").unlink()  # the questions are asked on this machine
    [machine] = check_cluster(read_cluster_file(made.file), made.folder).machines
    assert machine["processors"] >= 1
    assert machine["memory_bytes"] > 2**26
    assert machine["disk_bytes"] > 0


def test_nothing_is_called_before_this_machine_is_right(
    cluster: Callable[..., Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cluster()
    made.file.write_text(made.file.read_text().replace("127.0.0.1", "192.0.2.10").replace("/key", "/lost"))
    (made.folder / ".ray/auth_token").chmod(0o644)
    (made.folder / "scripts/setup").unlink()
    told = made.faults()
    assert [line.partition(";")[0].removeprefix("here: ").replace(str(made.folder), "") for line in told] == [
        "this is not the project's folder, which is copied to the machines",
        "others may read ~/.ray/auth_token",
        "no ssh key /lost",
        "/cluster.yaml has addresses of examples (192.0.2.…)",
    ]
    assert not (made.bin / "calls").exists()


def test_workers_behind_the_head_are_asked_by_way_of_it(cluster: Callable[..., Cluster]) -> None:
    made = cluster(["127.0.1.2"], more=", external_head_ip: 127.0.9.9")
    (made.bin / "127.0.0.1").rename(made.bin / "127.0.9.9")
    assert made.faults() == []
    [to_worker] = [line for line in (made.bin / "calls").read_text().splitlines() if "miner@127.0.1.2" in line]
    assert "ProxyCommand=ssh -i" in to_worker
    assert "-W %h:%p miner@127.0.9.9" in to_worker
    assert miner("cluster", "stop", "--workers").exit_code == 0  # on the head, which reaches them itself
    assert "127.0.9.9" not in (made.bin / "calls").read_text().splitlines()[-1]


_OTHERWISE_GOOD = "provider: {type: local, head_ip: a, worker_ips: []"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[", "not YAML"),
        ("cluster_name: x", "no part provider"),
        ("provider: {type: local}\nauth: {}", "cluster_name needs"),
        ("provider: {type: aws}\nauth: {ssh_user: x}", "a cloud makes its machines itself"),
        ("provider: {type: local, head_ip: a}\nauth: {ssh_user: x}", "worker_ips a list"),
        ("provider: {type: local, head_ip: a, worker_ips: [b, b]}\nauth: {ssh_user: x}", "b is there twice"),
        ("provider: {type: local, head_ip: a, worker_ips: []}\nauth: {}", "ssh_user"),
        (f"{_OTHERWISE_GOOD}, external_head_ip: 7}}\nauth: {{ssh_user: x}}", "external_head_ip is 7; it needs the"),
        (f"{_OTHERWISE_GOOD}}}\nauth: {{ssh_user: x, ssh_private_key: [k]}}", "ssh_private_key is .'k'.; it needs"),
        (f"{_OTHERWISE_GOOD}}}\nauth: {{ssh_user: x, ssh_proxy_command: 1}}", "ssh_proxy_command is 1; it needs"),
    ],
)
def test_a_cluster_file_that_says_too_little_is_refused(tmp_path: Path, text: str, what: str) -> None:
    name = "" if what.startswith("cluster_name") else "cluster_name: x\n"
    (tmp_path / "c.yaml").write_text(text if text in ("[", "cluster_name: x") else name + text)
    with pytest.raises(ConfigError, match=what):
        read_cluster_file(tmp_path / "c.yaml")


def test_waiting_ends_when_all_workers_take_part_or_are_lost(
    cluster: Callable[..., Cluster], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = read_cluster_file(cluster(["127.0.0.2", "127.0.0.3", "127.0.0.4"]).file)
    now = [0.0]
    states = {"127.0.0.2": "setting-up", "127.0.0.3": "setting-up", "127.0.0.4": "waiting-for-ssh"}
    alive: list[str] = ["127.0.0.1"]

    def pass_time(seconds: float) -> None:
        now[0] += seconds
        if now[0] > 20:
            alive.append("127.0.0.2")
        if now[0] > 40:
            states["127.0.0.3"] = "update-failed"
        tags = {address: {"tags": {"ray-node-status": state}} for address, state in states.items()}
        (tmp_path / "cluster-mine.state").write_text(json.dumps(tags))

    def nodes() -> list[dict[str, Any]]:
        return [{"NodeManagerAddress": address, "Alive": True} for address in alive]

    monkeypatch.setattr(gathering, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=pass_time))
    monkeypatch.setattr(gathering, "_nodes", nodes)
    monkeypatch.setattr(gathering, "_folder", lambda: str(tmp_path))
    monkeypatch.setattr(gathering, "_resources", lambda: {"CPU": 2.0 * len(set(alive))})
    monkeypatch.setattr(ray, "init", lambda address, log_to_driver, logging_level: logging.ERROR)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    said: list[str] = []
    lost, processors = gathering.wait_for_workers(file, said.append)
    assert ([each.address for each in lost], processors) == (["127.0.0.3", "127.0.0.4"], 4)
    assert 60 < now[0] < 70  # seconds that a login may take
    assert said[1].startswith("[ 32 s] 2 of 4 machines; 127.0.0.3 setting up, 127.0.0.4 waiting for its login")
    error = gathering.lost_workers_error(file, lost, processors)
    assert str(error).startswith("2 of 4 machines take part (4 processors); not started: 127.0.0.3, 127.0.0.4.")
    alive += ["127.0.0.3", "127.0.0.4"]
    assert gathering.wait_for_workers(file, said.append)[0] == []


def test_where_no_ray_runs_waiting_ends_at_once(
    cluster: Callable[..., Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cluster()

    def init(**_: object) -> None:
        raise ConnectionError("Could not find any running Ray instance.")

    monkeypatch.setattr(ray, "init", init)
    done = miner("cluster", "wait", str(made.file))
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith("no Ray cluster answers at 'auto': Could not find any running Ray instance.")
    assert "--address" not in str(done.exception)


def test_machines_on_which_ray_may_still_run_are_named(cluster: Callable[..., Cluster]) -> None:
    made = cluster(["127.0.1.2", "127.0.1.3"])
    made.say("127.0.1.2", "exit 0")
    made.say("127.0.1.3", "echo 'ssh: No route to host' >&2; exit 255")
    done = miner("cluster", "stop", "--workers")
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith("Ray may still run on 127.0.1.3: ssh: No route to host; stop it there")
    assert "miner@127.0.0.1" not in (made.bin / "calls").read_text()
