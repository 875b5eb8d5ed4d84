"""The check of all machines of a cluster file before Ray is started: what each has, and what it lacks."""

from __future__ import annotations

import platform
import shlex
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gdl_miner.cluster.cluster_file import ClusterFile, ClusterMachine, CommandResult, run_on

TOKEN = Path("~/.ray/auth_token")
_HERE = "here"  # stands for the machine of the user in a list of faults
_PORT = 6379  # of the head, where the workers find it
_WORKER_PORT = 10002  # the first of those at which Ray's processes talk to each other
_DISK = 3 * 2**30  # bytes that the set-up and Ray take
_DISK_AFTER = 2**30  # bytes that a run takes where everything is set up
_MEMORY = 2**30  # bytes of Ray itself
_MEMORY_OF_TASK = 2**28
_CLOCK_S = 30.0  # seconds by which a clock may differ
_LIMIT_S = 60.0  # seconds for a machine to answer everything
_WORD = "gdl-miner:"  # begins the lines of an answer, among what a login shell prints

# Run in bash on each machine. Prints "name=value" lines; what is lacking has no line.
_PROBE = r"""
export LC_ALL=C
say() { printf '%s\n' "WORD $1=$2"; }
answers() { # host port: whether a connection is taken or refused, and not swallowed on the way
  local said
  if said=$(timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2" 2>&1); then return 0; fi
  case $said in *refused*) return 0 ;; *) return 1 ;; esac
}
say clock "$(date +%s)"
say system "$(uname -s)"
say processor "$(uname -m)"
say processors "$(nproc)"
if [ -e ~/gdl-miner/.venv/bin/ray ]; then say installed yes; fi
python=${PYTHON:-python3}
if command -v "$python" >/dev/null; then
  say python "$("$python" -c 'import platform; print(platform.python_version())')"
  if "$python" -c 'import ensurepip, venv' 2>/dev/null; then say venv yes; fi
  headers='import os, sysconfig; print(os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
  if [ "$("$python" -c "$headers")" = True ]; then say headers yes; fi
  index=$("$python" -m pip config get global.index-url 2>/dev/null)
  index=${PIP_INDEX_URL:-${index:-https://pypi.org/simple}}
  say index "$index"
  reaches='import sys, urllib.error, urllib.request
try: urllib.request.urlopen(sys.argv[1], timeout=8)
except urllib.error.HTTPError: pass'
  if [ NETWORK = yes ] && "$python" -c "$reaches" "${index%/}/pip/" 2>/dev/null; then say network yes; fi
fi
if printf '#include <vector>\n#if __cplusplus < 202002L\n#error old\n#endif\n' |
  "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then say compiler yes; fi
if command -v rsync >/dev/null; then say rsync yes; fi
df -Pk ~ | { read -r _; read -r _ _ _ free _; say disk "$free"; }
df -Pk /tmp | { read -r _; read -r _ _ _ free _; say tmp "$free"; }
while read -r name value _; do if [ "$name" = MemAvailable: ]; then say memory "$value"; fi; done </proc/meminfo
if timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT' 2>/dev/null &&
  ! grep -qsa 'gcs_serve[r]' /proc/[0-9]*/cmdline; then say taken yes; fi
for place in OTHERS; do
  if answers "${place%:*}" "${place##*:}"; then say "open:$place" yes; fi &
done
wait
"""


@dataclass(frozen=True)
class Lack:
    """Something that a machine lacks; `machine` is its address, or `here`."""

    machine: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.machine}: {self.what}; {self.remedy}"


@dataclass
class Report:
    """What is known of the machines, and all their faults."""

    machines: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Lack] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the report for a terminal: a line for each machine, then one for each fault."""
        width = max((len(each["address"]) for each in self.machines), default=0)
        lines = [f"{each['address']:{width}}  {each['role']:6}  {_summary(each)}" for each in self.machines]
        if not self.faults:
            return [*lines, f"{len(self.machines)} of {len(self.machines)} machines are ready"]
        ready = sum(each["ok"] for each in self.machines)
        count = f"{ready} of {len(self.machines)} machines are ready; " if self.machines else ""
        return [*lines, f"{count}what is lacking:", *(f"  {fault}" for fault in self.faults)]

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {"ok": not self.faults, "machines": self.machines, "faults": [vars(fault) for fault in self.faults]}


def check_cluster(file: ClusterFile, project: Path) -> Report:
    """Check this machine, from whose folder `project` files are copied, and all machines of the file, at once."""
    first = list(_faults_before_calls(file))
    report = Report(faults=[*_faults_here(project), *first])
    if not first:
        check_machines(file, file.machines, Wheels(project), report)
    return report


class Wheels:
    """The wheels that are copied to the machines with the project (scripts/wheels)."""

    def __init__(self, project: Path) -> None:
        folder = project / "dist/wheels"
        names = [path.name for path in folder.glob("*.whl")]
        own = [name for name in names if name.startswith("gdl_miner-")]
        self._own: list[str] = []
        self.libraries = False
        if own:
            asked = [sys.executable, "-I", str(project / "scripts/environments.py"), "--digest"]
            digest = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
            self._own = [name for name in own if f"-1{digest}-" in name]
            mark = folder / "libraries"
            self.libraries = bool(self._own) and mark.exists() and mark.read_text() == digest

    def fit(self, python: str, processor: str) -> bool:
        """Whether there is one of the native module for a version of Python and a kind of processor."""
        tag = "cp" + "".join(python.split(".")[:2])
        return any(f"-{tag}-" in name and name.endswith(f"_{processor}.whl") for name in self._own)


def check_machines(file: ClusterFile, machines: Iterable[ClusterMachine], wheels: Wheels, report: Report) -> None:
    """Ask machines of the file, all at once, what they have, and add it to the report.

    Without the head among them, this is the head.
    """
    chosen = list(machines)
    begun = time.time()
    scripts = {machine: _probe(file, machine, network=not wheels.libraries) for machine in chosen}
    answers = run_on(file, chosen, scripts, _LIMIT_S)
    took = time.time() - begun
    facts = {machine: _facts(answers[machine]) for machine in chosen}
    head_python = facts[file.head].get("python") if file.head in facts else platform.python_version()
    for machine in chosen:
        report.faults += _faults(file, machine, answers[machine], facts[machine], wheels, head_python, (begun, took))
    faulty = {fault.machine for fault in report.faults}  # the head finds faults of others, too
    report.machines += [_as_json(machine, facts[machine], machine.address not in faulty) for machine in chosen]


def _probe(file: ClusterFile, machine: ClusterMachine, *, network: bool) -> str:
    """Return the script that a machine runs."""
    if machine is file.head:
        others = [f"{worker.address}:{port}" for worker in file.workers for port in (22, _WORKER_PORT)]
    else:
        others = [f"{file.head.address}:{port}" for port in (_PORT, _WORKER_PORT)]
    text = _PROBE.replace("WORD", _WORD).replace("PORT", str(_PORT)).replace("NETWORK", "yes" if network else "no")
    return text.replace("OTHERS", shlex.join(others) or "''")


def _facts(answer: CommandResult) -> dict[str, str]:
    lines = [line.strip() for line in answer.output.splitlines()]
    pairs = [line.removeprefix(_WORD).strip().partition("=") for line in lines if line.startswith(_WORD)]
    return {name: value for name, _, value in pairs}


def _as_json(machine: ClusterMachine, facts: dict[str, str], ok: bool) -> dict[str, Any]:
    def number(name: str, unit: int = 1) -> int | None:
        return int(facts[name]) * unit if facts.get(name, "").isdecimal() else None

    return {
        "address": machine.address,
        "role": machine.role,
        "python": facts.get("python"),
        "processors": number("processors"),
        "memory_bytes": number("memory", 1024),
        "disk_bytes": number("disk", 1024),
        "ok": ok,
    }


def _summary(machine: dict[str, Any]) -> str:
    if machine["processors"] is None:
        return "not reached"
    amounts = (
        ("Python", machine["python"]),
        ("processors", machine["processors"]),
        ("GiB of memory free", _gib(machine["memory_bytes"])),
        ("GiB of disk free", _gib(machine["disk_bytes"])),
    )
    python, *others = [f"{name} {value}" if name == "Python" else f"{value} {name}" for name, value in amounts if value]
    return ", ".join([python, *others, *([] if machine["ok"] else ["not ready"])])


def _gib(amount: int | None) -> str | None:
    return None if amount is None else f"{amount / 2**30:.1f}"


def _faults_here(project: Path) -> Iterator[Lack]:
    """Yield what is lacking on the machine where `ray up` will be typed."""
    if not (project / "gdl_miner/__init__.py").exists() or not (project / "scripts/setup").exists():
        yield Lack(_HERE, "this is not the project's folder, which is copied to the machines", "go there first")
    if shutil.which("rsync") is None:
        yield Lack(_HERE, "no rsync", "install it (Debian: apt install rsync)")
    token = TOKEN.expanduser()
    make = "type: .venv/bin/ray get-auth-token --generate; chmod 600 ~/.ray/auth_token"
    if not token.exists():
        yield Lack(_HERE, f"no token {TOKEN}", make)
    elif stat.S_IMODE(token.stat().st_mode) & 0o077:
        yield Lack(_HERE, f"others may read {TOKEN}", f"type: chmod 600 {TOKEN}")


def _faults_before_calls(file: ClusterFile) -> Iterator[Lack]:
    """Yield what is lacking before any machine can be asked."""
    if shutil.which("ssh") is None:
        yield Lack(_HERE, "no ssh", "install it (Debian: apt install openssh-client)")
    if file.key is not None and not file.key.exists():
        yield Lack(_HERE, f"no ssh key {file.key}", "name yours in the cluster file, or make one: ssh-keygen")
    if any(machine.address.startswith("192.0.2.") for machine in file.machines):
        yield Lack(_HERE, f"{file.path} has addresses of examples (192.0.2.…)", "write yours at the marks <--")


def _faults(
    file: ClusterFile,
    machine: ClusterMachine,
    answer: CommandResult,
    facts: dict[str, str],
    wheels: Wheels,
    head_python: str | None,
    asked: tuple[float, float],
) -> Iterator[Lack]:
    """Yield what a machine lacks; `asked` are the time of the question and the seconds until all had answered."""

    def fault(what: str, remedy: str) -> Lack:
        return Lack(machine.address, what, remedy)

    def lacks(name: str) -> bool:
        return name not in facts

    def below(name: str, least: int) -> bool:
        return facts.get(name, "").isdecimal() and int(facts[name]) * 1024 < least

    if lacks("clock"):
        yield fault(*_unreachable(file, answer))
        return
    installed = not lacks("installed")
    if facts.get("system") != "Linux":
        yield fault(f"the system is {facts.get('system')}", "take a machine with Linux")
    if lacks("python"):
        yield fault("no python3", "install Python 3.11 or newer (Debian: apt install python3)")
    elif _version(facts["python"]) < (3, 11):
        yield fault(f"Python {facts['python']} is too old", "install 3.11 or newer")
    else:
        if head_python is not None and facts["python"] != head_python:
            yield fault(f"Python {facts['python']}, and the head has {head_python}", "install the same version on all")
        if lacks("venv"):
            yield fault("this Python makes no virtual environments", "install venv (Debian: apt install python3-venv)")
        if not installed and not wheels.fit(facts["python"], facts.get("processor", "")):
            missing = " and no ".join(
                what for name, what in (("compiler", "C++20 compiler"), ("headers", "Python.h")) if lacks(name)
            )
            if missing:
                yield fault(f"no {missing}", "apt install g++ python3-dev (Debian), or type here: scripts/wheels")
        if not installed and not wheels.libraries and lacks("network"):
            yield fault(
                f"the package index {facts.get('index', '')} does not answer",
                "give pip a mirror (pip config set global.index-url URL), or type here: scripts/wheels libraries",
            )
    if lacks("rsync"):
        yield fault("no rsync", "apt install rsync (Debian)")
    yield from _room(fault, below, facts, installed)
    difference = float(facts["clock"]) - asked[0]
    if not -_CLOCK_S <= difference <= asked[1] + _CLOCK_S:
        yield fault(f"its clock is {abs(difference):.0f} s {'ahead' if difference > 0 else 'behind'}", "set it (NTP)")
    if machine is file.head and "taken" in facts:
        yield fault(f"another program listens at port {_PORT}", "stop it, or change the port in the cluster file")
    yield from _closed(file, machine, facts)


def _room(fault: Any, below: Any, facts: dict[str, str], installed: bool) -> Iterator[Lack]:
    disk = _DISK_AFTER if installed else _DISK
    if below("disk", disk):
        yield fault(f"{_mib(facts['disk'])} of disk are free", f"make room: {disk // 2**20} MiB in the home folder")
    if below("tmp", _DISK_AFTER):
        yield fault(f"{_mib(facts['tmp'])} are free in /tmp", f"make room: {_DISK_AFTER // 2**20} MiB for Ray")
    processors = int(facts["processors"]) if facts.get("processors", "").isdecimal() else 1
    memory = _MEMORY + processors * _MEMORY_OF_TASK
    if below("memory", memory):
        wanted = f"{memory // 2**20} MiB for Ray and {processors} tasks"
        yield fault(f"{_mib(facts['memory'])} of memory are free", f"end other programs: {wanted}")


def _closed(file: ClusterFile, machine: ClusterMachine, facts: dict[str, str]) -> Iterator[Lack]:
    """Yield the connections inside of the cluster that do not come about."""
    if machine is file.head:
        for worker in file.workers:
            if f"open:{worker.address}:22" not in facts:
                yield Lack(worker.address, "the head does not reach its port 22", "let the head in: routes, firewall")
            elif f"open:{worker.address}:{_WORKER_PORT}" not in facts:
                what = f"the head does not reach its ports {_WORKER_PORT} and above"
                yield Lack(worker.address, what, "let machines of the cluster in at all ports")
    else:
        closed = [port for port in (_PORT, _WORKER_PORT) if f"open:{file.head.address}:{port}" not in facts]
        if closed:
            ports = " and ".join(str(port) for port in closed)
            what = f"does not reach the head {file.head.address} at port {ports}"
            yield Lack(machine.address, what, "let machines of the cluster in at all ports of the head")


def _unreachable(file: ClusterFile, answer: CommandResult) -> tuple[str, str]:
    said = answer.errors.strip().splitlines()
    last = said[-1].strip() if said else f"status {answer.status}"
    if "Permission denied" in answer.errors:
        copy = f"ssh-copy-id -i {file.key} {file.user}@ADDRESS" if file.key else "ssh-copy-id"
        return f"the key does not open the login {file.user}", f"type: {copy}, or mend ssh_user"
    if "bash: not found" in answer.errors or "bash: No such file" in answer.errors:
        return "no bash", "install it"
    if "UNPROTECTED PRIVATE KEY" in answer.errors or "bad permissions" in answer.errors:
        return f"ssh refuses the key {file.key}, which others may read", f"type: chmod 600 {file.key}"
    return f"not reached by ssh: {last}", "check the address, and that sshd runs there"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdecimal())


def _mib(kib: str) -> str:
    return f"{int(kib) // 1024} MiB"
