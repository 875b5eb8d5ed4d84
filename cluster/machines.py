"""The machines of a cluster: which are there, which run the driver's code, and what changes meanwhile, in plain words.

A machine that joins is asked for its code and gets work once the answer is that of the driver. One whose code differs
gets no work, because its results would differ.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.worker import Code, code_here, differences, look_at_code, name_of

_LOOK_S = 0.5  # seconds between two looks at the nodes of a cluster
_HEAD_S = 15.0  # seconds without a head after which the run ends; after 60 s Ray would end this process
_CONNECT_S = 1.0  # seconds for the head to take a connection
_ANSWER_S = 60.0  # seconds in which the machines that are there at first should say what code they have
_MEND = "copy the project of this machine there, run scripts/setup there (`ray up cluster.yaml` does both)"

_log = logging.getLogger(__name__)

_nodes: Callable[[], list[dict[str, Any]]] = ray.nodes  # without annotations in Ray


class RayLostError(ClusterError):
    """Ray does not run beside this process any more, so that nothing of the cluster can be reached."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"Ray has ended on this machine ({error}); start the cluster again")


def ready_of(references: Sequence[Any], *, number: int | None = None, timeout_s: float) -> list[Any]:
    """Return the references that are ready, once a number of them are (by default all) or the time has passed.

    Raises RayLostError where Ray has ended on this machine.
    """
    try:
        ready, _ = ray.wait(list(references), num_returns=number or len(references), timeout=timeout_s)
    except OSError as error:
        raise RayLostError(error) from error
    return list(ready)


@dataclass
class Host:
    """A machine of the cluster, or one of several nodes on a machine."""

    id: str  # of the node
    name: str
    processors: int
    alive: bool = True
    asked: Any = None  # reference of the answer, until it is there
    deviation: str = ""  # how its code differs
    same: bool = False  # whether it runs the driver's code

    @property
    def works(self) -> bool:
        """Whether it may get tasks."""
        return self.alive and self.same


class Machines:
    """The machines of the cluster that this process has joined, or of the Ray that it has started."""

    def __init__(self, joined: bool) -> None:
        self._joined = joined
        self.code = code_here()
        self.code_name = name_of(self.code)
        self.ray_lost = False  # whether nothing may be asked of Ray any more
        self._head = _head() if joined else None
        self._headless: float | None = None  # time since when the head does not answer
        self._known: dict[str, Host] = {}  # by id of the node
        self._looked = float("-inf")
        self._begun = False  # whether it was said who works

    def __iter__(self) -> Iterator[Host]:
        """Yield the machines that are or were there."""
        return iter(self._known.values())

    @cached_property
    def _store(self) -> str | None:
        """The socket of the object store on this machine; None where a client of Ray has none."""
        if _is_client():
            return None
        own = ray.get_runtime_context().get_node_id()
        return next(str(node["ObjectStoreSocketName"]) for node in _nodes() if node["NodeID"] == own)

    @property
    def processors(self) -> int:
        """The number of processors of machines that may get work."""
        return sum(machine.processors for machine in self if machine.works)

    @property
    def least_processors(self) -> int:
        """The number of processors of the smallest machine that may get work; 1 where there is none."""
        return min((machine.processors for machine in self if machine.works and machine.processors), default=1)

    @property
    def barred(self) -> tuple[str, ...]:
        """The ids of the nodes that are there and must not get tasks, in ascending order."""
        return tuple(sorted(machine.id for machine in self if machine.alive and not machine.same))

    def check_ray_here(self) -> None:
        """Raise RayLostError where Ray has ended on this machine.

        Ask it before values are put into Ray's object store or taken from it: where that is gone, Ray ends this
        process at once and without a word.
        """
        if self._store is None:
            return
        with socket.socket(socket.AF_UNIX) as asked, suppress(TimeoutError, BlockingIOError):  # busy is not lost
            asked.settimeout(_CONNECT_S)
            try:
                asked.connect(self._store)
            except (ConnectionRefusedError, FileNotFoundError) as error:
                self.ray_lost = True
                raise RayLostError(error) from error

    def alive(self, node: str) -> bool:
        """Whether a node is there, as far as is known; one that was never seen is."""
        return node not in self._known or self._known[node].alive

    def name(self, node: str) -> str:
        """Return the name of the machine of a node."""
        return self._known[node].name if node in self._known else node[:6]

    def place(self, node: str) -> str:
        """Return ` on` and the name of the machine of a node, or nothing where there is one machine only."""
        return f" on {self._known[node].name}" if node in self._known else ""

    def await_answers(self) -> None:
        """Look at the machines until all have said what code they have, for a minute at most; then say who works."""
        until = time.monotonic() + _ANSWER_S
        self._look()
        while (asked := [machine.asked for machine in self if machine.asked is not None]) and time.monotonic() < until:
            ready_of(asked, timeout_s=_LOOK_S)
            self._look()
        for machine in self:
            if machine.asked is not None:
                _log.warning(
                    "machine %s has started no worker for %g s; it gets work once it has", machine.name, _ANSWER_S
                )
        self._begun = True
        _log.info("%s", self.summary())

    def summary(self) -> str:
        """Return who works of all machines that are or were there, such as `2 of 3 machines, 6 processors`."""
        known = {machine.name for machine in self if machine.processors}
        working = sum(machine.works for machine in self if machine.processors)
        return f"{working} of {_count(len(known), 'machine')}, {_count(self.processors, 'processor')}"

    def look(self) -> None:
        """Look at the machines unless that was a moment ago.

        Raises ClusterError where all deviate, or the head has been lost.
        """
        if time.monotonic() - self._looked >= _LOOK_S:
            self._look()

    def deviates(self, node: str, code: Code) -> None:
        """Note that a process on a node runs other code. Raises ClusterError where no machine is left.

        A process of the Ray that was started here shares its files with this one, so they were changed.
        """
        if not self._joined:
            raise ClusterError(f"the program was changed while it ran: {differences(code, self.code)}; start it again")
        machine = self._known.get(node)
        if machine is not None and not machine.deviation:
            machine.same, machine.deviation = False, differences(code, self.code)
            _log.warning("machine %s gets no work: it has %s; %s", machine.name, machine.deviation, _MEND)
        self._check()

    def _look(self) -> None:
        self._looked = time.monotonic()
        if not self._head_answers():
            return
        present = {node["NodeID"]: node for node in _nodes()}
        for node, described in present.items():
            if node not in self._known and described["Alive"]:
                self._came(node, described)
        for machine in self:
            if machine.alive and not present.get(machine.id, {}).get("Alive", False):
                machine.alive, machine.asked = False, None
                _log.warning("machine %s is lost; %s", machine.name, self.summary())
        self._take_answers()
        self._check()

    def _head_answers(self) -> bool:
        """Return whether the head answers. Raises ClusterError where it has not for a while."""
        if self._head is None or _listens(self._head):
            if self._headless is not None:
                _log.warning("the head of the cluster is back")
            self._headless = None
            return True
        now = time.monotonic()
        if self._headless is None:
            self._headless = now
            _log.warning("the head of the cluster, %s port %d, does not answer", *self._head)
        if now - self._headless >= _HEAD_S:
            self.ray_lost = True
            raise ClusterError(
                f"the head of the cluster, {self._head[0]} port {self._head[1]}, is lost; start the cluster again"
            )
        return False

    def _came(self, node: str, described: dict[str, Any]) -> None:
        name = str(described["NodeManagerAddress"])
        if any(machine.alive and machine.name.partition(" ")[0] == name for machine in self):
            name += f" ({node[:6]})"  # one of several nodes on a machine
        self._known[node] = Host(node, name, int(described["Resources"].get("CPU", 0)))
        self._ask(self._known[node])

    def _ask(self, machine: Host) -> None:
        there = NodeAffinitySchedulingStrategy(machine.id, soft=False)
        machine.asked = look_at_code.options(scheduling_strategy=there).remote()

    def _take_answers(self) -> None:
        asked = {machine.asked: machine for machine in self if machine.asked is not None}
        for machine in map(asked.__getitem__, ready_of(list(asked), timeout_s=0.0) if asked else ()):
            try:
                code: Code = ray.get(machine.asked)
            except RayTaskError as error:
                code = {"the package gdl_miner": f"not to be used: {str(error.cause or error).strip()}"}
            except RayError:
                self._ask(machine)  # its process was lost; the machine may be, too
                continue
            machine.asked = None
            self.answered(machine, code)

    def answered(self, machine: Host, code: Code) -> None:
        """Note what code a machine runs. Raises ClusterError where no machine is left."""
        if differences(code, self.code):
            self.deviates(machine.id, code)
            return
        machine.same = True
        if self._begun:
            back = any(other.name == machine.name and other is not machine for other in self)
            _log.info("machine %s %s; %s", machine.name, "is back" if back else "joins", self.summary())

    def _check(self) -> None:
        """Raise ClusterError where every machine deviates."""
        here = [machine for machine in self if machine.alive and machine.processors]
        if here and all(machine.deviation for machine in here):
            said = "; ".join(f"{machine.name} has {machine.deviation}" for machine in here)
            raise ClusterError(f"no machine of the cluster runs the code of this one: {said}; {_MEND}")


def _head() -> tuple[str, int] | None:
    """Return host and port of the head; None where a client of Ray reaches it through another port."""
    if _is_client():
        return None
    host, _, port = str(ray.get_runtime_context().gcs_address).rpartition(":")
    return host.strip("[]"), int(port)


def _is_client() -> bool:
    connected: Callable[[], bool] = ray.util.client.ray.is_connected  # without annotations in Ray
    return connected()


def _listens(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, _CONNECT_S).close()
    except OSError:
        return False
    return True


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
