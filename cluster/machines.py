"""The machines of a cluster: which are there, which run the driver's code, and what changes meanwhile, in plain words.

A machine that joins is asked for its code and gets work once the answer is that of the driver. One whose code differs
gets no work, because its results would differ.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from gdl_miner.cluster.dispatch import ClusterError
from gdl_miner.cluster.worker import Code, code_here, differences, look_at_code, name_of

_LOOK_S = 0.5  # seconds between two looks at the nodes of a cluster
_ANSWER_S = 60.0  # seconds in which the machines that are there at first should say what code they have
_MEND = "copy the project of this machine there, run scripts/setup there (`ray up cluster.yaml` does both)"

_log = logging.getLogger(__name__)

_nodes: Callable[[], list[dict[str, Any]]] = ray.nodes  # without annotations in Ray


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
        self._known: dict[str, Host] = {}  # by id of the node
        self._looked = float("-inf")

    def __iter__(self) -> Iterator[Host]:
        """Yield the machines that are or were there."""
        return iter(self._known.values())

    @property
    def processors(self) -> int:
        """The number of processors of machines that may get work."""
        return sum(machine.processors for machine in self if machine.works)

    @property
    def barred(self) -> tuple[str, ...]:
        """The ids of the nodes that are there and must not get tasks, in ascending order."""
        return tuple(sorted(machine.id for machine in self if machine.alive and not machine.same))

    def alive(self, node: str) -> bool:
        """Whether a node is there, as far as is known; one that was never seen is."""
        return node not in self._known or self._known[node].alive

    def name(self, node: str) -> str:
        """Return the name of the machine of a node."""
        return self._known[node].name if node in self._known else node[:6]

    def await_answers(self) -> None:
        """Look at the machines until all have said what code they have, for a minute at most; then say who works."""
        until = time.monotonic() + _ANSWER_S
        self._look()
        while (asked := [machine.asked for machine in self if machine.asked is not None]) and time.monotonic() < until:
            ray.wait(asked, num_returns=len(asked), timeout=_LOOK_S)
            self._look()
        _log.info("%s", self.summary())

    def summary(self) -> str:
        """Return who works, such as `2 of 3 machines, 6 processors`."""
        here = [machine for machine in self if machine.alive and machine.processors]
        working = sum(machine.works for machine in here)
        return f"{working} of {_count(len(here), 'machine')}, {_count(self.processors, 'processor')}"

    def look(self) -> None:
        """Look at the machines unless that was a moment ago. Raises ClusterError where all deviate."""
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
        present = {node["NodeID"]: node for node in _nodes()}
        for node, described in present.items():
            if node not in self._known and described["Alive"]:
                self._came(node, described)
        for machine in self:
            if machine.alive and not present.get(machine.id, {}).get("Alive", False):
                machine.alive, machine.asked = False, None
                _log.warning("machine %s is lost; %s", machine.name, self.summary())
        self._take_answers()
        self._looked = time.monotonic()
        self._check()

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
        answered, _ = ray.wait(list(asked), num_returns=len(asked), timeout=0) if asked else ([], [])
        for machine in map(asked.__getitem__, answered):
            try:
                code: Code = ray.get(machine.asked)
            except RayTaskError as error:
                code = {"the package gdl_miner": f"not to be used: {str(error.cause or error).strip()}"}
            except RayError:
                self._ask(machine)  # its process was lost; the machine may be, too
                continue
            machine.asked = None
            if differences(code, self.code):
                self.deviates(machine.id, code)
            else:
                machine.same = True
                was = any(other.name == machine.name and other is not machine for other in self)
                if self._looked > 0:
                    _log.info("machine %s %s; %s", machine.name, "is back" if was else "joins", self.summary())

    def _check(self) -> None:
        """Raise ClusterError where every machine deviates."""
        here = [machine for machine in self if machine.alive and machine.processors]
        if here and all(machine.deviation for machine in here):
            said = "; ".join(f"{machine.name} has {machine.deviation}" for machine in here)
            raise ClusterError(f"no machine of the cluster runs the code of this one: {said}; {_MEND}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
