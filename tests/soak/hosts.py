"""Machines made of Linux namespaces: each has a network address, a disk, processes and a login of its own.

The machines share the kernel, the processors and a root file system, over which each has a layer for its changes. Their
addresses exist only in namespaces that are made here, and nothing leads out of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

__all__ = ["HOME", "LOGIN", "Network", "NetworkHost", "base_root", "lacking"]

LOGIN = "miner"
HOME = f"/home/{LOGIN}"
# The release of Debian by its version of Python: wheels that are made here must fit there.
_RELEASES = {(3, 11): "bookworm", (3, 13): "trixie"}
_PACKAGES = "openssh-server,python3-venv,python3-dev,g++,rsync,iproute2,procps,ca-certificates"
_TIMED_OUT = 124  # status of timeout(1)
_START_S = 180.0  # seconds for a machine to start where this one is busy
_SUBNET = "10.77.0"  # inside of the namespaces only
# The first process of a machine. It reaps the processes that others leave behind.
_INIT = """
mount -t proc proc /proc && mount -t tmpfs -o mode=755 dev /dev && mkdir /dev/pts /dev/shm
mount -t tmpfs shm /dev/shm && chmod 1777 /dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts && ln -s pts/ptmx /dev/ptmx
mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/zero c 1 5; mknod -m 666 /dev/full c 1 7
mknod -m 666 /dev/random c 1 8; mknod -m 666 /dev/urandom c 1 9; mknod -m 666 /dev/tty c 5 0
ln -s /proc/self/fd /dev/fd
hostname {name}; printf '127.0.0.1 localhost {name}\\n' > /etc/hosts; mkdir -p /run/sshd
/usr/sbin/sshd
while :; do sleep 1; done
"""


def lacking() -> str | None:
    """Return in words what this system lacks to make such machines, or None."""
    if os.geteuid() != 0:
        return "this needs root"
    for program in ("ip", "unshare", "nsenter", "chroot", "mount", "debootstrap"):
        if shutil.which(program) is None:
            return f"this needs the command {program}"
    if subprocess.run(["ip", "netns", "list"], capture_output=True).returncode != 0:
        return "this needs network namespaces (ip netns)"
    if sys.version_info[:2] not in _RELEASES:
        releases = ", ".join(f"{major}.{minor}" for major, minor in _RELEASES)
        return f"this needs a Python that a release of Debian has: {releases}"
    if "overlay" not in Path("/proc/filesystems").read_text():
        return "this needs overlay file systems"
    return None


def base_root(room: Path) -> Path:
    """Return the root file system that all machines share; it is made once, from packages of Debian, and kept."""
    root, made = room / "root", room / "root.ready"
    if not made.exists():
        shutil.rmtree(root, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        _run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _RELEASES[sys.version_info[:2]], str(root))
        _run("chroot", str(root), "useradd", "--create-home", "--shell", "/bin/bash", LOGIN)
        _run("chroot", str(root), "ssh-keygen", "-A")
        ssh = f"mkdir -m 700 {HOME}/.ssh && ssh-keygen -q -t ed25519 -N '' -f {HOME}/.ssh/id_ed25519"
        login = f"{ssh} && cp {HOME}/.ssh/id_ed25519.pub {HOME}/.ssh/authorized_keys"
        _run("chroot", str(root), "su", "-", LOGIN, "-c", login)
        made.touch()
    return root


class NetworkHost:
    """A machine that runs. `address` is its only address beside the loopback one."""

    def __init__(self, network: str, name: str, number: int, root: Path, room: Path) -> None:
        self.name, self.address = name, f"{_SUBNET}.{number}"
        self._space = f"gdl-{name}"
        self._link = f"gdl{number}"  # the end of its cable at the switch
        self._network = network
        self._mounted = room / "merged"
        for folder in ("upper", "work", "merged"):
            (room / folder).mkdir(parents=True)
        layers = f"lowerdir={root},upperdir={room / 'upper'},workdir={room / 'work'}"
        _run("mount", "-t", "overlay", "-o", layers, "overlay", str(self._mounted))
        _run("ip", "netns", "add", self._space)
        _run("ip", "link", "add", self._link, "netns", network, "type", "veth", "peer", "eth0", "netns", self._space)
        _run("ip", "-n", network, "link", "set", self._link, "master", "switch", "up")
        _run("ip", "-n", self._space, "addr", "add", f"{self.address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _run("ip", "-n", self._space, "link", "set", device, "up")
        unshare = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", f"--root={self._mounted}"]
        command = ["ip", "netns", "exec", self._space, *unshare, "/bin/bash", "-c", _INIT.format(name=name)]
        self._shell = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        self._await_login()

    @property
    def path(self) -> Path:
        """The root of its file system, as it is seen from outside."""
        return self._mounted

    def command(self, text: str, login: str = LOGIN, limit_s: float = 0.0) -> list[str]:
        """Return a command for outside that runs a command of bash on this machine, for `limit_s` at most (0: any)."""
        enter = ["nsenter", f"--target={self._init()}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        limit = ["timeout", "--kill-after=10", f"{limit_s:.0f}"] if limit_s else []
        return [*enter, *limit, "su", "-", login, "-c", text]

    def run(self, text: str, *, login: str = LOGIN, check: bool = True, timeout: float = 600) -> str:
        """Run a command of bash on this machine and return what it prints.

        Raises RuntimeError where it fails, or takes longer than `timeout` seconds; then it is killed.
        """
        done = subprocess.run(
            self.command(text, login, timeout), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        if done.returncode == _TIMED_OUT or (check and done.returncode != 0):
            raise RuntimeError(f"{self.name}: {text!r} ended with {done.returncode}:\n{done.stdout[-3000:]}")
        return done.stdout

    def processes(self, word: str) -> list[str]:
        """Return the command lines of its processes that have a word in them."""
        lines = self.run("ps -eo args", login="root").splitlines()
        return [line for line in lines if word in line and "ps -eo" not in line]

    def set_link(self, up: bool) -> None:
        """Plug its cable in or out."""
        _run("ip", "-n", self._network, "link", "set", self._link, "up" if up else "down")

    def remove(self) -> None:
        """End all its processes and take its network and its disk away."""
        if self._shell.poll() is None:
            os.killpg(self._shell.pid, signal.SIGKILL)  # with the first process the others end
        self._shell.wait()
        subprocess.run(["ip", "netns", "del", self._space], capture_output=True)
        for _ in range(50):
            if subprocess.run(["umount", str(self._mounted)], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)

    def _init(self) -> int:
        """Return the number of its first process, as it is outside."""
        tasks = Path(f"/proc/{self._shell.pid}/task/{self._shell.pid}/children").read_text().split()
        if not tasks:
            raise RuntimeError(f"the machine {self.name} does not run")
        return int(tasks[0])

    def _await_login(self) -> None:
        started = self._mounted / "run/sshd.pid"
        until = time.monotonic() + _START_S
        while not started.exists():
            if self._shell.poll() is not None or time.monotonic() > until:
                self.remove()
                raise RuntimeError(f"the machine {self.name} does not start")
            time.sleep(0.1)


class Network:
    """A switch with machines; all of it is removed at the end of the block."""

    def __init__(self, names: Sequence[str], root: Path, room: Path) -> None:
        self._space = "gdl-switch"
        self._room = room / "hosts"
        self.hosts: dict[str, NetworkHost] = {}
        self._names, self._root = names, root

    def __enter__(self) -> Network:
        if self._space in subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout.split():
            raise RuntimeError(f"the network namespace {self._space} is there; another bed is at work, or left it")
        shutil.rmtree(self._room, ignore_errors=True)
        _run("ip", "netns", "add", self._space)
        try:
            _run("ip", "-n", self._space, "link", "add", "switch", "type", "bridge")
            _run("ip", "-n", self._space, "link", "set", "switch", "up")
            for number, name in enumerate(self._names, start=10):
                self.hosts[name] = NetworkHost(self._space, name, number, self._root, self._room / name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Remove all machines and the switch."""
        for host in self.hosts.values():
            host.remove()
        subprocess.run(["ip", "netns", "del", self._space], capture_output=True)
        shutil.rmtree(self._room, ignore_errors=True)


def _run(*command: str) -> None:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}")
