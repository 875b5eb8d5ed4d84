"""A Ray cluster of several nodes on this machine, whose nodes and processes can be lost on purpose."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

_STORE = 80 * 2**20  # bytes of a node's object store


class Nodes:
    """A head with one processor and `others` more nodes of one processor each."""

    def __init__(self, others: int) -> None:
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DISABLE_IMPORT_WARNING="1")
        if "ray" not in sys.modules:  # Ray reads its environment when it is imported
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        from ray.cluster_utils import Cluster  # after the environment is set

        self._cluster = Cluster(initialize_head=True, head_node_args=self._described())
        self._others = [self.add() for _ in range(others)]

    def __enter__(self) -> Nodes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._cluster.shutdown()

    @property
    def address(self) -> str:
        """The value for --address."""
        return str(self._cluster.address)

    def add(self, **described: Any) -> Any:
        """Start a node and return it; it is `described` where it is not like the others."""
        return self._cluster.add_node(**self._described(), **described)

    def remove(self, node: Any) -> None:
        """Kill all processes of a node."""
        self._cluster.remove_node(node, allow_graceful=False)

    def lose_one(self) -> None:
        """Remove one of the nodes besides the head."""
        self.remove(self._others.pop())

    def replace_lost(self, others: int) -> None:
        """Add nodes until there are `others` besides the head."""
        while len(self._others) < others:
            self._others.append(self.add())

    def busy_workers(self) -> list[int]:
        """Return the processes that run a task of the executor at this moment."""
        raylets = [entry.process.pid for node in self._all() for entry in node.all_processes.get("raylet", [])]
        return [process for process, parent, title in _processes() if parent in raylets and " attempt-" in title]

    def strike(self, what: signal.Signals, process: int) -> None:
        """Send a signal to a worker process, unless it is gone."""
        try:
            os.kill(process, what)
        except ProcessLookupError:
            return

    def _all(self) -> list[Any]:
        return [self._cluster.head_node, *self._cluster.worker_nodes]

    @staticmethod
    def _described() -> dict[str, Any]:
        return {"num_cpus": 1, "object_store_memory": _STORE, "include_dashboard": False}


def _processes() -> Iterator[tuple[int, int, str]]:
    """Yield number, parent and title of every visible process."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue  # the process has just ended
        yield int(folder.name), parent, title
