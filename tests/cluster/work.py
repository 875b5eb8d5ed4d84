"""Functions that Ray's workers run in the tests."""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import ray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.cluster.cancellation import _siblings

_HANGS_S = 20.0  # seconds, far past the test's deadline; a worker that Ray fails to interrupt is free again then
_MEETS_S = 60.0  # seconds for all of them to start on a busy machine
_IDLE_S = 1.5  # seconds after which Ray would end a worker that has nothing to do
_HEARD_S = 1.0  # seconds in which the first heartbeat of a task arrives


def once(mark: Path) -> bool:
    """Whether this is the first call with this mark, over all processes."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def add(shared: int, payload: int) -> int:
    return shared + payload


def die_once(mark: Path, pieces: tuple[int, ...]) -> tuple[int, ...]:
    if 3 in pieces and once(mark):
        os.kill(os.getpid(), 9)
    return pieces


def joined(parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(piece for part in parts for piece in part)


def hang_once(mark: Path, payload: int) -> int:
    if payload == 1 and once(mark):
        time.sleep(_HANGS_S)
    return payload


def stop_once(folder: Path, payload: int) -> int:
    """Stop the worker for the first two payloads; it does not react any more until it is killed."""
    if payload < 2 and once(folder / f"stopped-{payload}"):
        time.sleep(_HEARD_S)
        os.kill(os.getpid(), signal.SIGSTOP)
    return payload


def find(names: list[str], address: str) -> dict[str, str]:
    """Return the processes of the named attempts as `_kill` does, but without killing them."""
    found = {title.removeprefix("ray::"): process for process, title in _siblings()}
    return {name: f"process {found[name]} on {address}" for name in names if name in found}


def deaf(_: int) -> None:
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(60.0)


def die_always(_: Path, payload: int) -> int:
    os.kill(os.getpid(), 9)
    return payload


def complain(_: Path, payload: int) -> int:
    raise ConfigError(f"file:1: {payload} is wrong; mend it")


def where(seconds: float, payload: int) -> str:
    time.sleep(seconds)
    return str(ray.get_runtime_context().get_node_id())


def meet(folder: str, count: int) -> int:
    """Return the number of the process that does the task, once that many do tasks with this folder."""
    Path(folder, str(os.getpid())).touch()
    ends = time.monotonic() + _MEETS_S
    while len(list(Path(folder).iterdir())) < count and time.monotonic() < ends:
        time.sleep(0.1)
    time.sleep(_IDLE_S)
    return os.getpid()


def large(megabytes: int, payload: int) -> bytes:
    return bytes([payload]) * (megabytes * 10**6)


def alone_there(folder: Path, payload: int) -> bool:
    """Return whether no other task has its mark in the folder meanwhile."""
    mark = folder / str(payload)
    mark.touch()
    time.sleep(0.2)
    alone = len(list(folder.iterdir())) == 1
    mark.unlink()
    return alone


def nap(longest_s: float, number: int) -> int:
    """Sleep for a time that looks random."""
    time.sleep(longest_s * (number * 0.618 % 1))
    return number
