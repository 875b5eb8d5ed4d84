"""The Ray that a run starts for itself: nobody else can reach it, and nobody without its token may use it."""

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.small_run import ROOT

pytestmark = pytest.mark.slow

_OPEN = """
import json
from gdl_miner.cluster.launch import open_ray
with open_ray(1) as executor:
    import ray
    from ray._private import worker
    folder = worker.global_worker.node.get_session_dir_path()
    print(json.dumps({"gcs": ray.get_runtime_context().gcs_address, "folder": folder}), flush=True)
    input()
"""


@pytest.fixture(scope="module")
def private() -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    with subprocess.Popen(
        [sys.executable, "-c", _OPEN],
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield process, json.loads(line)
        if process.poll() is None:
            process.communicate("\n")


def family(parent: int) -> Iterator[int]:
    """Yield a process and all its descendants."""
    yield parent
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    for child in listed.stdout.split():
        yield from family(int(child))


def listening(processes: set[int]) -> list[str]:
    """Return the addresses at which the processes listen, as the kernel writes them."""
    sockets = set()
    for process in processes:
        try:
            names = os.listdir(f"/proc/{process}/fd")  # noqa: PTH208 - the entries are links to nothing
            sockets |= {os.readlink(f"/proc/{process}/fd/{name}") for name in names}  # noqa: PTH115 - as above
        except OSError:
            continue  # the process ended meanwhile
    found = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}", encoding="ascii") as lines:  # noqa: PTH123 - no file of ours
            rows = [line.split() for line in lines][1:]
        found += [row[1].rpartition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    return found


def test_it_listens_on_the_loopback_address_only(private: tuple[subprocess.Popen[str], dict[str, str]]) -> None:
    process, described = private
    addresses = listening(set(family(process.pid)))
    assert described["gcs"].startswith("127.0.0.1:")
    assert len(addresses) >= 5
    assert set(addresses) <= {"0100007F", "0000000000000000FFFF00000100007F", "0" * 24 + "01000000"}


def test_it_refuses_whoever_has_no_token(private: tuple[subprocess.Popen[str], dict[str, str]]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    call = f"from ray._raylet import GcsClient; GcsClient(address={private[1]['gcs']!r})"
    with subprocess.Popen(
        [sys.executable, "-c", call], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as intruder:
        assert intruder.stderr is not None
        until = time.monotonic() + 30
        refused = any("InvalidAuthToken" in line or time.monotonic() > until for line in intruder.stderr)
        assert refused
        assert time.monotonic() < until
        intruder.kill()


def test_its_folder_is_open_to_its_user_alone_and_goes_with_it(
    private: tuple[subprocess.Popen[str], dict[str, str]],
) -> None:
    process, described = private
    folder = Path(described["folder"])
    assert (folder / "sockets").is_dir()
    own = next(parent for parent in folder.parents if parent.name.startswith("gdl-miner-ray-"))
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    process.communicate("\n", timeout=60)
    assert not own.exists()
