"""Breaks runs at random moments, resumes them, and says whether their bytes are those of an undisturbed run.

Every round draws from its seed what happens and when: the driver killed, at some moment or just before it changes a
file, terminated or interrupted; a worker killed or stopped for good; a node lost, lost and back, or joining; the object
store filled; the disk full.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from miner.results.store import RunStore
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import GAME, MINER, SMALL, contents, environment

_OTHERS = 1  # nodes besides the head, when nothing happens
_MOST_S = 180.0  # for one start of the miner; longer is a failure
_DISK = 24 * 2**20  # bytes of the disk that is filled
_DISTURBED = SMALL.replace("generations = 2", "generations = 3") + "deadline_s = 20.0\n"


class FailedError(Exception):
    """A run ended otherwise than it should."""


@dataclass
class Stage:
    """Where a round takes place."""

    nodes: Nodes
    folder: Path  # of the run
    rng: random.Random
    usual_s: float  # that an undisturbed run takes
    starts: int = 0
    notes: list[str] = field(default_factory=list)

    def start(self, *program: str) -> subprocess.Popen[str]:
        """Begins the run, or goes on with it; with Python's arguments for another program than the miner."""
        self.starts += 1
        if (self.folder / "config.json").exists():
            what = ["resume", str(self.folder)]
        else:  # it had not begun
            what = ["evolve", "--game", GAME, "--config", f"{self.folder.parent}/c.toml", "--out", str(self.folder)]
        return subprocess.Popen(
            [sys.executable, *(program or MINER), *what, "--address", self.nodes.address],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def moment(self) -> float:
        """A random moment of a run, in seconds; short of its end, as a rule."""
        return self.rng.uniform(0.5, self.usual_s)

    def wait(self, process: subprocess.Popen[str], seconds: float) -> bool:
        """Lets time pass; False where the run ended meanwhile."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.poll() is None


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Status and errors of a process that comes to its end by itself."""
    try:
        _, errors = process.communicate(timeout=_MOST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise FailedError(f"not finished after {_MOST_S:.0f} s") from None
    return process.returncode, errors


def signalled(what: signal.Signals) -> Callable[[Stage], None]:
    """The driver gets a signal, up to three times."""

    def happen(stage: Stage) -> None:
        for _ in range(stage.rng.randint(1, 3)):
            process, moment = stage.start(), stage.moment()
            if not stage.wait(process, moment):
                break
            begun = stage.folder.exists()
            process.send_signal(what)
            status, errors = end(process)
            stage.notes.append(f"{what.name} after {moment:.2f} s")
            going_on = begun and errors and not RunStore(stage.folder).finished
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
from miner.__main__ import main

main()
"""


def struck(what: signal.Signals) -> Callable[[Stage], None]:
    """A busy worker gets a signal; the run goes on by itself."""

    def happen(stage: Stage) -> None:
        process = stage.start()
        for _ in range(stage.rng.randint(1, 2)):
            stage.wait(process, stage.moment() / 2)
            while not (busy := stage.nodes.busy_workers()) and stage.wait(process, 0.01):
                pass
            if busy:
                stage.nodes.strike(what, stage.rng.choice(busy))
                stage.notes.append(f"{what.name} to a worker")
        _expect_success(process)

    return happen


def node_lost(stage: Stage) -> None:
    """A node is lost for good."""
    process = stage.start()
    stage.wait(process, stage.moment())
    stage.nodes.lose_one()
    stage.notes.append("node removed")
    _expect_success(process)


def node_returns(stage: Stage) -> None:
    """A node is lost and comes back while the run goes on; another joins."""
    process = stage.start()
    stage.wait(process, stage.moment() / 2)
    stage.nodes.lose_one()
    stage.wait(process, stage.moment() / 4)
    stage.nodes.replace_lost(_OTHERS + 1)
    stage.notes.append("node removed and back, another joined")
    _expect_success(process)
    stage.nodes.lose_one()


def store_filled(stage: Stage) -> None:
    """Someone else's objects fill the store of the driver's node."""
    process = stage.start()
    hog = subprocess.Popen(
        [sys.executable, "-c", _HOG, stage.nodes.address], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert hog.stdout is not None
    try:
        if hog.stdout.readline().strip() != "full":
            raise FailedError("the object store could not be filled")
        stage.notes.append("object store full")
        _expect_success(process)
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


def _expect_success(process: subprocess.Popen[str]) -> None:
    status, errors = end(process)
    if status != 0:
        raise FailedError(f"ended with status {status}:\n{errors}")


HAPPENINGS: dict[str, Callable[[Stage], None]] = {
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


def undisturbed(nodes: Nodes, room: Path) -> tuple[dict[str, bytes], float]:
    """What a run leaves that nothing happens to, and how many seconds it takes."""
    (room / "c.toml").write_text(_DISTURBED)
    stage = Stage(nodes, room / "undisturbed", random.Random(0), 0.0)
    begun = time.monotonic()
    _expect_success(stage.start())
    return contents(stage.folder), time.monotonic() - begun


class Chaos:
    """Rounds of disturbed runs on one cluster."""

    def __init__(self, nodes: Nodes, room: Path, config: str, expected: dict[str, bytes], usual_s: float) -> None:
        self._nodes = nodes
        self._room = room
        self._expected = expected
        self._usual_s = usual_s  # that an undisturbed run takes
        (room / "c.toml").write_text(config)

    def round(self, seed: int, happening: str | None = None) -> str:
        """One run, disturbed; says what happened. Raises FailedError where it did not end as it should."""
        rng = random.Random(seed)
        name = happening or rng.choice(sorted(HAPPENINGS))
        self._nodes.replace_lost(_OTHERS)
        stage = Stage(self._nodes, self._room / f"run-{seed}", rng, self._usual_s)
        begun = time.monotonic()
        HAPPENINGS[name](stage)
        while not RunStore(stage.folder).finished:
            _expect_success(stage.start())
        found = contents(stage.folder)
        differing = [file for file in self._expected if found.get(file) != self._expected[file]]
        if differing or found.keys() != self._expected.keys():
            raise FailedError(f"{', '.join(stage.notes)}: the bytes differ in {', '.join(differing) or 'files'}")
        if "The champion scored" not in (stage.folder / "report.html").read_text("utf-8"):
            raise FailedError(f"{', '.join(stage.notes)}: the report lacks the champion")
        shutil.rmtree(stage.folder)
        took = time.monotonic() - begun
        return f"{name}: {', '.join(stage.notes) or 'ended before'}; {stage.starts} starts, {took:.1f} s"


@contextlib.contextmanager
def disk() -> Iterator[Path]:
    """A folder on a small disk of its own where we may mount one, else an ordinary one."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        mounted = (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "chaos", folder], check=False, stderr=subprocess.DEVNULL
            ).returncode
            == 0
        )
        if not mounted:
            HAPPENINGS.pop("disk-full", None)
            print("no small disk can be mounted here (that needs root); runs do not meet a full one")
        try:
            yield Path(folder)
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", folder], check=True)


def main() -> int:
    """Rounds for some minutes, or those of given seeds. 1 where one of them failed."""
    parser = argparse.ArgumentParser(prog="scripts/chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="begin no round after this long")
    parser.add_argument("--rounds", type=int, default=10**6, help="at most so many")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; the next has the next")
    parser.add_argument("--what", choices=sorted(HAPPENINGS), help="only this; otherwise drawn")
    options = parser.parse_args()
    failed, rounds = [], 0
    with disk() as room, Nodes(_OTHERS) as nodes:
        expected, usual_s = undisturbed(nodes, room)
        print(f"an undisturbed run takes {usual_s:.1f} s", flush=True)
        chaos = Chaos(nodes, room, _DISTURBED, expected, usual_s)
        until = time.monotonic() + 60 * options.minutes
        while time.monotonic() < until and rounds < options.rounds:
            seed, rounds = options.seed + rounds, rounds + 1
            try:
                print(f"seed {seed}: same bytes: {chaos.round(seed, options.what)}", flush=True)
            except FailedError as error:
                failed.append(seed)
                print(f"seed {seed}: FAILED: {error}", flush=True)
    print(f"{rounds} rounds, {len(failed)} failed{': seeds ' + ', '.join(map(str, failed)) if failed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
