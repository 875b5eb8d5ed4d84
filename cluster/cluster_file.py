"""The machines of a cluster file, and commands that run on all of them at once, by ssh."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from gdl_miner.agent.errors import ConfigError, why_unreadable

FOLDER = "~/gdl-miner"  # of the project on every machine
_CONNECT_S = 10  # seconds for a machine to take a connection
_AT_ONCE = 64  # connections


@dataclass(frozen=True)
class ClusterMachine:
    """A machine of a cluster: the head, or a worker."""

    address: str
    role: str  # head or worker
    reached_at: str  # where it is reached from here; for the others of the cluster it is at its address


@dataclass(frozen=True)
class ClusterFile:
    """What a cluster file says of machines that their owner named."""

    path: Path
    name: str  # of the cluster
    machines: tuple[ClusterMachine, ...]  # the head first
    user: str
    key: Path | None
    by_way_of_head: bool  # whether workers are reached from the head only
    proxy: str | None  # the command that leads to the machines

    @property
    def head(self) -> ClusterMachine:
        """The machine that coordinates the others."""
        return self.machines[0]

    @property
    def workers(self) -> tuple[ClusterMachine, ...]:
        """The machines beside the head."""
        return self.machines[1:]

    def on_head(self) -> ClusterFile:
        """Return the file as the head itself reads it: the head reaches all machines at their addresses."""
        machines = tuple(replace(machine, reached_at=machine.address) for machine in self.machines)
        return replace(self, machines=machines, by_way_of_head=False, proxy=None)

    def ssh(self, machine: ClusterMachine) -> list[str]:
        """Return the command that runs another on a machine; it never asks anything."""
        options = {
            "BatchMode": "yes",
            "ConnectTimeout": str(_CONNECT_S),
            "IdentitiesOnly": "yes",
            "LogLevel": "ERROR",
            "StrictHostKeyChecking": "no",  # as Ray calls ssh
            "UserKnownHostsFile": os.devnull,
        }
        if self.proxy:
            options["ProxyCommand"] = self.proxy
        words = ["ssh", *(["-i", str(self.key)] if self.key else [])]
        words += [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        if self.by_way_of_head and machine is not self.head:
            through = shlex.join([*words, "-W", "%h:%p", f"{self.user}@{self.head.reached_at}"])
            words += ["-o", f"ProxyCommand={through}"]
        return [*words, f"{self.user}@{machine.reached_at}"]


def read_cluster_file(path: Path) -> ClusterFile:
    """Read a cluster file. Raises ConfigError where it cannot be read or names no machines."""
    try:
        content = yaml.safe_load(path.expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {why_unreadable(error)}; name a file such as cluster.yaml") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    provider, auth = _part(path, content, "provider"), _part(path, content, "auth")
    name = content.get("cluster_name") if isinstance(content, Mapping) else None
    if not isinstance(name, str):
        raise ConfigError(f"{path}: cluster_name needs a name for the cluster")
    if provider.get("type") != "local":
        raise ConfigError(
            f"{path}: provider type {provider.get('type')!r}: a cloud makes its machines itself; "
            "this works for machines that the file names (type: local)"
        )
    head, workers = provider.get("head_ip"), provider.get("worker_ips")
    if not isinstance(head, str) or not isinstance(workers, list) or not all(isinstance(each, str) for each in workers):
        raise ConfigError(f"{path}: provider: head_ip needs an address, and worker_ips a list of addresses")
    if not isinstance(auth.get("ssh_user"), str):
        raise ConfigError(f"{path}: auth: ssh_user needs your login on the machines")
    outside = _text(path, provider, "provider", "external_head_ip", "the address of the head as it is seen from here")
    key = _text(path, auth, "auth", "ssh_private_key", "the path of a key")
    proxy = _text(path, auth, "auth", "ssh_proxy_command", "a command")
    machines = [
        ClusterMachine(head, "head", outside or head),
        *(ClusterMachine(each, "worker", each) for each in workers),
    ]
    if twice := sorted({each.address for each in machines if sum(each.address == m.address for m in machines) > 1}):
        raise ConfigError(f"{path}: the address {twice[0]} is there twice; name each machine once")
    return ClusterFile(
        path,
        name,
        tuple(machines),
        auth["ssh_user"],
        Path(key).expanduser() if key else None,
        by_way_of_head=outside is not None,
        proxy=proxy,
    )


def _text(path: Path, part: Mapping[str, Any], name: str, key: str, what: str) -> str | None:
    """Return the text of a key that may be missing. Raises ConfigError where it is something else than text."""
    value = part.get(key)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{path}: {name}: {key} is {value!r}; it needs {what}, or leave it out")
    return value or None


def _part(path: Path, content: object, name: str) -> Mapping[str, Any]:
    part = content.get(name) if isinstance(content, Mapping) else None
    if not isinstance(part, Mapping):
        raise ConfigError(f"{path}: there is no part {name}; is this a cluster file such as cluster.yaml?")
    return part


@dataclass(frozen=True)
class CommandResult:
    """What a command on a machine printed, and how it ended."""

    status: int
    output: str
    errors: str


def run_on(
    file: ClusterFile, machines: Iterable[ClusterMachine], command: Mapping[ClusterMachine, str], limit_s: float
) -> dict[ClusterMachine, CommandResult]:
    """Run a command of bash on each machine, on all at once, as Ray runs its own: in a login shell.

    The status is 255 where ssh does not reach the machine, 124 where the command takes longer than `limit_s`.
    """
    chosen = list(machines)
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(chosen)) or 1) as pool:
        answers = pool.map(lambda machine: _ask(file.ssh(machine), command[machine], limit_s), chosen)
        return dict(zip(chosen, answers, strict=True))


def _ask(ssh: list[str], command: str, limit_s: float) -> CommandResult:
    words = [*ssh, "bash", "--login", "-i", "-c", shlex.quote(command)]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        return CommandResult(124, "", f"no answer within {limit_s:.0f} s")
    except OSError as error:
        return CommandResult(255, "", why_unreadable(error))
    return CommandResult(done.returncode, done.stdout, done.stderr)
