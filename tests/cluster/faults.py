"""The faults that can happen to a run; each draws its time and its victim from the round's random numbers."""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gdl_miner.miner.results.store import RunStore
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import GAME, MINER, environment

OTHERS = 1  # nodes besides the head, when nothing happens
_MOST_S = 180.0  # seconds for one start of the miner; longer is a failure


class FailedError(Exception):
    """A run ended otherwise than it should."""


@dataclass
class Stage:
    """The cluster, the run and the random numbers of a round."""

    nodes: Nodes
    folder: Path  # folder of the run
    rng: random.Random
    usual_s: float  # seconds that an undisturbed run takes
    learner: str = "evolution"
    starts: int = 0
    notes: list[str] = field(default_factory=list)

    def start(self, *program: str) -> subprocess.Popen[str]:
        """Begin the run or resume it, with the miner or with the program that these arguments of Python start."""
        self.starts += 1
        if (self.folder / "config.json").exists():
            what = ["resume", str(self.folder)]
        else:  # the run had not begun
            what = ["learn", "--with", self.learner, "--game", GAME]
            what += ["--config", f"{self.folder.parent}/c.toml", "--out", str(self.folder)]
        return subprocess.Popen(
            [sys.executable, *(program or MINER), *what, "--address", self.nodes.address],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def moment(self) -> float:
        """Return a random moment of a run in seconds, usually before its end."""
        return self.rng.uniform(0.5, self.usual_s)

    def wait(self, process: subprocess.Popen[str], seconds: float) -> bool:
        """Let time pass; return False where the run ended meanwhile."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.poll() is None


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a process that ends by itself; return its status and its errors."""
    try:
        _, errors = process.communicate(timeout=_MOST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise FailedError(f"not finished after {_MOST_S:.0f} s") from None
    return process.returncode, errors


def signalled(what: signal.Signals) -> Callable[[Stage], None]:
    """Return a fault: the driver gets a signal, up to three times."""

    def happen(stage: Stage) -> None:
        for _ in range(stage.rng.randint(1, 3)):
            process, moment = stage.start(), stage.moment()
            if not stage.wait(process, moment):
                break
            begun = stage.folder.exists()
            process.send_signal(what)
            status, errors = end(process)
            stage.notes.append(f"{what.name} after {moment:.2f} s")
            going_on = begun and errors and not RunStore(stage.folder).ended
            if going_on and what is not signal.SIGKILL and (status not in (0, 130) or "Traceback" in errors):
                raise FailedError(f"{what.name} ended it with status {status}:\n{errors}")

    return happen


def killed_writing(stage: Stage) -> None:
    """The driver is killed up to three times, each time just before it changes something in the run's folder."""
    for _ in range(stage.rng.randint(1, 3)):
        change = stage.rng.choice([stage.rng.randint(1, 12), stage.rng.randint(1, _CHANGES)])
        status, errors = end(stage.start("-c", _MORTAL, str(change), str(stage.folder)))
        if status == 0:
            break
        if status != -signal.SIGKILL:
            raise FailedError(f"ended with status {status}:\n{errors}")
        stage.notes.append(f"killed before change {change}")


_CHANGES = 250  # about as many as a run makes
_MORTAL = """
import os, signal, sys

left, folder = int(sys.argv.pop(1)), sys.argv.pop(1)
changes = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}

def count(event, of):
    global left
    if event in changes or (event == "open" and of[2] & (os.O_WRONLY | os.O_RDWR)):
        left -= str(of[0]).startswith(folder)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
from gdl_miner.miner.__main__ import main

main()
"""


def struck(what: signal.Signals) -> Callable[[Stage], None]:
    """Return a fault: a busy worker gets a signal, once or twice, and the run goes on by itself."""

    def happen(stage: Stage) -> None:
        process = stage.start()
        for _ in range(stage.rng.randint(1, 2)):
            stage.wait(process, stage.moment() / 2)
            while not (busy := stage.nodes.busy_workers()) and stage.wait(process, 0.01):
                pass
            if busy:
                stage.nodes.strike(what, stage.rng.choice(busy))
                stage.notes.append(f"{what.name} to a worker")
        expect_success(process)

    return happen


def node_lost(stage: Stage) -> None:
    """A node is lost for good."""
    process = stage.start()
    stage.wait(process, stage.moment())
    stage.nodes.lose_one()
    stage.notes.append("node removed")
    expect_success(process)


def node_returns(stage: Stage) -> None:
    """A node is lost and comes back while the run goes on; another joins."""
    process = stage.start()
    stage.wait(process, stage.moment() / 2)
    stage.nodes.lose_one()
    stage.wait(process, stage.moment() / 4)
    stage.nodes.replace_lost(OTHERS + 1)
    stage.notes.append("node removed and back, another joined")
    expect_success(process)
    stage.nodes.lose_one()


def store_filled(stage: Stage) -> None:
    """The objects of another program fill the store of the driver's node."""
    process = stage.start()
    hog = subprocess.Popen(
        [sys.executable, "-c", _HOG, stage.nodes.address], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert hog.stdout is not None
    try:
        if hog.stdout.readline().strip() != "full":
            raise FailedError("the object store could not be filled")
        stage.notes.append("object store full")
        expect_success(process)
    finally:
        hog.kill()
        hog.wait()


_HOG = """
import sys, time, numpy, ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
held = [ray.put(numpy.ones(2**20)) for _ in range(9)]  # 72 of the 80 MiB
views = [ray.get(each) for each in held]  # in use: they cannot be spilled
print("full", flush=True)
time.sleep(600)
"""


def disk_full(stage: Stage) -> None:
    """The disk fills up in the middle of the run; the user makes room."""
    disk = stage.folder.parent
    filler = disk / "filler"
    left = stage.rng.randint(0, 400_000)
    process = stage.start()
    stage.wait(process, stage.moment())
    with filler.open("wb") as file, contextlib.suppress(OSError):
        file.write(bytes(max(0, shutil.disk_usage(disk).free - left)))
    status, errors = end(process)
    filler.unlink()
    stage.notes.append(f"disk full but for {left} bytes: status {status}")
    if status not in (0, 2) or (status == 2 and "the disk is full; free some space" not in errors):
        raise FailedError(f"a full disk ended it with status {status}:\n{errors}")


def expect_success(process: subprocess.Popen[str]) -> None:
    status, errors = end(process)
    if status != 0:
        raise FailedError(f"ended with status {status}:\n{errors}")


FAULTS: dict[str, Callable[[Stage], None]] = {
    "driver-killed": signalled(signal.SIGKILL),
    "driver-killed-writing": killed_writing,
    "driver-terminated": signalled(signal.SIGTERM),
    "driver-interrupted": signalled(signal.SIGINT),
    "worker-killed": struck(signal.SIGKILL),
    "worker-hangs": struck(signal.SIGSTOP),
    "node-lost": node_lost,
    "node-returns": node_returns,
    "store-full": store_filled,
    "disk-full": disk_full,
}
