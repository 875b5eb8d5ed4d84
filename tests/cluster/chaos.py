"""Breaks runs at random moments, resumes them, and says whether their bytes are those of an undisturbed run.

Every round draws a fault and its time from a seed: the driver is killed at some moment or just before it changes a
file, terminated or interrupted; a worker is killed or stopped for good; a node is lost, is lost and comes back, or
joins; the object store is filled; the disk is full.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from gdl_miner.miner.results.store import RunStore
from tests.cluster.faults import FAULTS, OTHERS, FailedError, Stage, expect_success
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import DISTURBED, contents

_DISK = 24 * 2**20  # bytes of the disk that is filled


def undisturbed(nodes: Nodes, room: Path, learner: str) -> tuple[dict[str, bytes], float]:
    """Return the contents of a run that nothing happens to, and the seconds that it takes."""
    (room / "c.toml").write_text(DISTURBED[learner])
    stage = Stage(nodes, room / "undisturbed", random.Random(0), 0.0, learner)
    begun = time.monotonic()
    expect_success(stage.start())
    return contents(stage.folder), time.monotonic() - begun


class Chaos:
    """Rounds of disturbed runs on one cluster."""

    def __init__(
        self,
        nodes: Nodes,
        room: Path,
        config: str,
        expected: dict[str, bytes],
        usual_s: float,
        learner: str = "evolution",
    ) -> None:
        self._nodes = nodes
        self._learner = learner
        self._room = room
        self._expected = expected
        self._usual_s = usual_s  # seconds that an undisturbed run takes
        (room / "c.toml").write_text(config)

    def round(self, seed: int, fault: str | None = None) -> str:
        """Disturb one run and return what happened. Raises FailedError where the run did not end as it should."""
        rng = random.Random(seed)
        name = fault or rng.choice(sorted(FAULTS))
        self._nodes.replace_lost(OTHERS)
        stage = Stage(self._nodes, self._room / f"run-{seed}", rng, self._usual_s, self._learner)
        begun = time.monotonic()
        FAULTS[name](stage)
        while not RunStore(stage.folder).ended:
            expect_success(stage.start())
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
    """Yield a folder on a small disk of its own where one can be mounted, otherwise an ordinary one."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        mounted = (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "chaos", folder], check=False, stderr=subprocess.DEVNULL
            ).returncode
            == 0
        )
        if not mounted:
            FAULTS.pop("disk-full", None)
            print("no small disk can be mounted here (that needs root); runs do not meet a full one")
        try:
            yield Path(folder)
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", folder], check=True)


def main() -> int:
    """Make rounds for some minutes, or some rounds from a seed on. Return 1 where one of them failed."""
    parser = argparse.ArgumentParser(prog="scripts/chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="begin no round after this long")
    parser.add_argument("--rounds", type=int, default=10**6, help="at most so many")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; the next has the next")
    parser.add_argument("--what", choices=sorted(FAULTS), help="only this; otherwise drawn")
    parser.add_argument("--with", dest="learner", choices=sorted(DISTURBED), default="evolution", help="who learns")
    options = parser.parse_args()
    failed, rounds = [], 0
    with disk() as room, Nodes(OTHERS) as nodes:
        expected, usual_s = undisturbed(nodes, room, options.learner)
        print(f"an undisturbed run takes {usual_s:.1f} s", flush=True)
        chaos = Chaos(nodes, room, DISTURBED[options.learner], expected, usual_s, options.learner)
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
