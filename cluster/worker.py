"""What runs in the processes of workers. Ray sends this code itself, so that machines whose code is another say so.

The results of tasks depend on the code that does them. Each process compares its code with the driver's before its
first task; the name of the driver's stands for it. While it works, it sends heartbeats to a monitor, where the driver
reads them.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import ray

_LIBRARIES = ("clingo", "deap", "lxml", "numpy", "pandas", "pydantic", "ray", "scipy")
_MISSING = "missing"

_LAST_S = 10.0  # seconds that the driver has to cancel a task that hangs, before its process ends itself
_RESTS = 0.01  # share of a processor; who uses less rests, unless it waits for a processor

Code: TypeAlias = Mapping[str, str]  # Python files by path, libraries by name, and others; digests and versions

_known: dict[str, Code] = {}  # the code of this process, by its name


class Beat(NamedTuple):
    """A heartbeat of an attempt at a task."""

    node: str  # id
    progress: tuple[int, int, int]  # fields of TaskProgress
    stalled: float  # seconds of work, or of rest, since the attempt last got on


@ray.remote(num_cpus=0, max_restarts=-1)
class Monitor:
    """The latest heartbeats of attempts, in a process of their own."""

    def __init__(self) -> None:
        self._beats: dict[str, dict[str, Beat]] = {}  # by mark and name

    def put(self, mark: str, name: str, beat: Beat) -> None:
        """Put up a heartbeat of the attempt with that name, for the executor with that mark."""
        self._beats.setdefault(mark, {})[name] = beat

    def take(self, mark: str) -> Mapping[str, Beat]:
        """Return the latest heartbeats for an executor since its last call, by name of the attempt."""
        return self._beats.pop(mark, {})


class Job(NamedTuple):
    """What all attempts at the tasks of a call have in common."""

    work: Callable[..., Any]
    code: str  # name of the driver's code
    monitor: Any  # where heartbeats go; None: nowhere
    mark: str  # of the executor
    deadline_s: float  # seconds without progress after which the process ends itself
    beat_s: float  # seconds between heartbeats


@ray.remote(num_cpus=1, max_retries=0)
def perform(job: Job, name: str, payload: Any, *values: Any) -> tuple[str, Code | None, Any]:
    """Do the work in a worker. Return the id of the node, the code there if it is another, or else the result.

    Ray's cancellation interrupts Python code only, and may not reach a worker at all. Therefore a process that hangs
    ends itself, with a traceback in its log, without the help of the code that hangs.
    """
    if not _known:
        here = code_here()
        _known[name_of(here)] = here
    node = str(ray.get_runtime_context().get_node_id())
    if job.code not in _known:
        return node, next(iter(_known.values())), None
    heart = _Heart(job, name, node)
    try:
        return node, None, job.work(*values, payload)
    finally:
        heart.stop()


class _Heart:
    """The heartbeats of a process during a task, from a thread of their own.

    They tell for how long the task has not got on. That is processor time while it works or waits for a processor, so
    that a busy machine does it no wrong, and time while it rests.
    """

    def __init__(self, job: Job, name: str, node: str) -> None:
        executor = importlib.import_module("gdl_miner.miner.play.executor")
        self._kernels = importlib.import_module("gdl_miner.agent._native").looks
        self._listen = executor.listen
        self._job = job
        self._name = name
        self._node = node
        self._told: tuple[int, int, int] = (0, 0, 0)
        self._seen: object = None  # by which progress is noticed
        self._stalled = 0.0
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._native = threading.get_native_id()
        self._then = time.monotonic(), time.clock_gettime(self._clock)
        self._over = threading.Event()
        self._arming = threading.Lock()
        self._listen(self._hear)
        self._send()
        threading.Thread(target=self._beat, daemon=True).start()

    def stop(self) -> None:
        """Send no more heartbeats."""
        self._over.set()
        self._listen(None)
        with self._arming:
            faulthandler.cancel_dump_traceback_later()

    def _hear(self, progress: tuple[int, int, int]) -> None:
        self._told = (progress[0], progress[1], progress[2])

    def _beat(self) -> None:
        while not self._over.wait(self._job.beat_s):
            self._look()
            self._send()

    def _send(self) -> None:
        """Send a heartbeat, and put off the end of the process unless the task hangs."""
        if self._job.monitor is not None:
            self._job.monitor.put.remote(self._job.mark, self._name, Beat(self._node, self._told, self._stalled))
        with self._arming:
            if self._stalled < self._job.deadline_s and not self._over.is_set():
                left = self._job.deadline_s - self._stalled
                faulthandler.dump_traceback_later(left + _LAST_S, exit=True, file=sys.stderr)

    def _look(self) -> None:
        """Notice whether the task has got on."""
        now, seen = (time.monotonic(), time.clock_gettime(self._clock)), (self._told, self._kernels())
        passed, worked = now[0] - self._then[0], now[1] - self._then[1]
        waits = _state(self._native) in "RD"
        self._stalled += worked if waits or worked > _RESTS * passed else passed
        if seen != self._seen:
            self._stalled = 0.0
        self._then, self._seen = now, seen


def _state(thread: int) -> str:
    """Return the state of a thread of this process: R if it runs or could, D while it waits for a disk, or another."""
    try:
        return Path(f"/proc/self/task/{thread}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "unknown"


@ray.remote(num_cpus=0, max_retries=0)
def look_at_code() -> Code:
    """Return the code that the processes of a node run."""
    return code_here()


def code_here() -> Code:
    """Return what decides results in this process: Python, libraries, native module, plug-ins, the package's files."""
    found = {"Python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _MISSING
    try:
        # In a checkout the first path of the package is that of the native module alone.
        package = Path(str(importlib.import_module("gdl_miner").__file__)).parent
        found["the native module"] = importlib.import_module("gdl_miner.agent._native").sources
        found |= _plugins()
    except (ImportError, AttributeError) as error:
        found["the package gdl_miner"] = f"not to be used: {error}"
        return found
    for folder, folders, files in os.walk(package, followlinks=True):
        folders[:] = [each for each in folders if each not in ("__pycache__", "native")]
        for path in (Path(folder, each) for each in files if each.endswith(".py")):
            found[str(path.relative_to(package))] = sha256(path.read_bytes()).hexdigest()
    return found


def _plugins() -> Code:
    """Return the plug-ins here, each with the version of its package and a digest of its sources."""
    plugins = importlib.import_module("gdl_miner.agent.plugins")
    every = [each for kind in plugins.GROUPS for each in plugins.installed_plugins(kind)]
    return {f"the {each.kind} {each.name}": f"{each.package} {each.version} ({each.digest})" for each in every}


def name_of(code: Code) -> str:
    """Return a digest that stands for the code."""
    return sha256(repr(sorted(code.items())).encode()).hexdigest()


def differences(there: Code, here: Code) -> str:
    """Return in words how the code of another machine differs from the code here; it is empty where they agree."""
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    files = sorted(name for name in names if name.endswith(".py"))
    said = [_difference(name, there, here) for name in names if name not in files]
    if files and "the package gdl_miner" not in there:
        more = f" and {len(files) - 3} more files" if len(files) > 3 else ""
        said.append(f"other contents of {', '.join(files[:3])}{more}")
    return ", ".join(each for each in said if each)


def _difference(name: str, there: Code, here: Code) -> str:
    if name == "the native module":
        return "" if name not in there else "a native module of other sources"
    if name == "the package gdl_miner":
        return f"{name} is {there[name]}" if name in there else ""
    return f"{name} {there.get(name, _MISSING)} in place of {here.get(name, _MISSING)}"


_send_itself: Callable[[ModuleType], None] = ray.cloudpickle.register_pickle_by_value  # without annotations in Ray
_send_itself(sys.modules[__name__])
