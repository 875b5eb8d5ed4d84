"""What `ray up` and `ray down` leave undone: to wait until all machines of a cluster take part, and to stop them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ray
from ray._common.utils import get_default_ray_temp_dir

from gdl_miner.agent.errors import UserError
from gdl_miner.cluster.cluster_file import FOLDER, ClusterFile, ClusterMachine, run_on
from gdl_miner.cluster.session import connect

_ASK_S = 2.0
_SAY_S = 15.0
# Seconds for Ray on the head to begin with a worker, and to log in to it.
_IN_VAIN_S = {"uninitialized": 180.0, "waiting-for-ssh": 60.0}
_LIMIT_S = 1800.0  # seconds for a worker to be set up
_STOP_S = 60.0
_nodes: Callable[[], list[dict[str, Any]]] = ray.nodes  # without annotations in Ray
_resources: Callable[[], dict[str, float]] = ray.cluster_resources
_folder: Callable[[], str] = get_default_ray_temp_dir  # of Ray on the head, as RAY_TMPDIR says
_WORDS = {
    "uninitialized": "not begun",
    "waiting-for-ssh": "waiting for its login",
    "syncing-files": "copying files",
    "setting-up": "setting up",
    "update-failed": "failed",
    "up-to-date": "starting Ray",
}


def wait_for_workers(file: ClusterFile, say: Callable[[str], None]) -> tuple[list[ClusterMachine], int]:
    """Wait on the head until every worker of the file takes part, or is lost.

    Returns those that are lost, and the number of processors that take part. `say` is told now and then what the others
    do. Raises UserError where no Ray runs here.
    """
    connect("auto")
    begun = said = time.monotonic()
    waiting = dict.fromkeys(file.workers, (begun, ""))  # since when it is in which state
    failed: set[ClusterMachine] = set()
    try:
        while True:
            missing = _missing(file.workers, _nodes())
            states = _states(file)
            now = time.monotonic()
            for worker in missing:
                state = states.get(worker.address, "uninitialized")
                if state != waiting[worker][1]:
                    waiting[worker] = (now, state)
                in_vain = now - waiting[worker][0] > _IN_VAIN_S.get(state, _LIMIT_S)
                if state == "update-failed" or in_vain or now - begun > _LIMIT_S:
                    failed.add(worker)
            if failed.issuperset(missing):
                return missing, int(_resources().get("CPU", 0))
            if now - said >= _SAY_S:
                said = now
                doing = ", ".join(
                    f"{each.address} {_WORDS.get(waiting[each][1], waiting[each][1])}" for each in missing
                )
                count = f"{len(file.machines) - len(missing)} of {len(file.machines)} machines"
                say(f"[{now - begun:3.0f} s] {count}; {doing}")
            time.sleep(_ASK_S)
    finally:
        ray.shutdown()


def _missing(workers: Iterable[ClusterMachine], nodes: Iterable[dict[str, Any]]) -> list[ClusterMachine]:
    alive = {node["NodeManagerAddress"] for node in nodes if node["Alive"]}
    return [worker for worker in workers if _number(worker.address) not in alive]


def _number(address: str) -> str:
    """Return the IP address of a machine whose address may be a name."""
    try:
        return socket.gethostbyname(address)
    except OSError:
        return address


def _states(file: ClusterFile) -> dict[str, str]:
    """Return how far Ray is with each machine, by address."""
    try:
        known = json.loads(Path(_folder(), f"cluster-{file.name}.state").read_text())
        return {address: each["tags"].get("ray-node-status", "uninitialized") for address, each in known.items()}
    except (OSError, ValueError, KeyError):
        return {}  # being written


def stop_machines(file: ClusterFile, machines: Iterable[ClusterMachine]) -> list[tuple[ClusterMachine, str]]:
    """Stop Ray on machines, on all at once. Returns those on which that failed, and why."""
    program = f"{FOLDER}/.venv/bin/ray"
    chosen = list(machines)
    command = f"if [ -e {program} ]; then {program} stop --grace-period 10; fi"
    answers = run_on(file, chosen, dict.fromkeys(chosen, command), _STOP_S)
    failed = [(machine, answer) for machine, answer in answers.items() if answer.status != 0]
    return [(machine, (answer.errors.strip().splitlines() or ["no word"])[-1]) for machine, answer in failed]


def lost_workers_error(file: ClusterFile, lost: list[ClusterMachine], processors: int) -> UserError:
    """Return the error that names the workers that do not take part."""
    count, names = len(file.machines), ", ".join(worker.address for worker in lost)
    return UserError(
        f"{count - len(lost)} of {count} machines take part ({processors} processors); not started: {names}. Mend what "
        f"is named above and type `ray up` again, or take {'it' if len(lost) == 1 else 'them'} out of the file; "
        f"the log is {_folder()}/session_latest/logs/monitor.out on the head"
    )
