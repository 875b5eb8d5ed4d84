"""Check that cluster.yaml does what it says, on machines of namespaces, and that a run survives what befalls machines.

A laptop, a head and two workers are made, each with an address, a disk and a login of its own, in a network without a
way out. Every command that the cluster file advises is typed on the laptop. Runs are broken, resumed and compared with
the bytes of a serial run. It needs root, and a package index the first time.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.small_run import GAME, ROOT, SMALL, contents
from tests.soak.hosts import HOME, Network, NetworkHost, base_root, lacking

__all__ = ["add_arguments", "run"]

_PROJECT = f"{HOME}/gdl-miner"
_PYTHONS = Path.home() / ".pyenv/versions"
_RUN_S = 1200.0  # seconds for a run, or for `ray up`, on a busy machine
# A run of some ten seconds of one processor, in tasks of about half a second.
_SMALL = SMALL.replace("generations = 2", "generations = 1").replace("matches_per_task = 8", "matches_per_task = 24")
_RAY = ("raylet", "gcs_server", "dashboard")
_COUNT_ALIVE = "import ray; ray.init('auto', logging_level=50); print(sum(each['Alive'] for each in ray.nodes()))"
_LONG_CUT_S = 75.0  # seconds after which Ray gives a machine up


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this check."""
    room = Path.home() / ".cache/gdl-miner-machines"
    parser.add_argument("--room", type=Path, default=room, help=f"folder for the machines' disks [default: {room}]")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        help="only checks that have one of these words, after those that start the cluster",
    )


def run(options: argparse.Namespace) -> int:
    """Return 1 if something was not as it should be, else 0, also where this system cannot make machines."""
    if lack := lacking():
        print(f"skipped: {lack}")
        return 0
    signal.signal(signal.SIGTERM, _leave)  # so that the machines are removed
    started = time.monotonic()
    root = base_root(options.room)
    print(f"[{time.monotonic() - started:4.0f} s] the root file system of the machines is there", flush=True)
    subprocess.run([str(ROOT / "scripts/wheels"), "libraries"], check=True)
    failures = 0
    with Network(("laptop", "head", "one", "two"), root, options.room) as network:
        bed = _Bed(network, options.room)
        for check in _CHECKS:
            name = check.__name__.strip("_").replace("_", " ")
            needed = check in _NEEDED
            if options.only and not needed and not any(word in name for word in options.only):
                continue
            begun = time.monotonic()
            try:
                said = check(bed)
            except (RuntimeError, AssertionError, subprocess.TimeoutExpired) as error:
                failures += 1
                said = f"FAILED: {error}"
                if needed:
                    print(f"[{time.monotonic() - started:4.0f} s] {name}: {said}", flush=True)
                    break
            took = time.monotonic() - begun
            print(f"[{time.monotonic() - started:4.0f} s] {name} ({took:.0f} s): {said}", flush=True)
    print(f"{failures} checks failed" if failures else "all is as it should be")
    return int(failures > 0)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


class _Bed:
    """The machines, and what is typed on the laptop."""

    def __init__(self, network: Network, room: Path) -> None:
        self.hosts = network.hosts
        self.laptop, self.head = network.hosts["laptop"], network.hosts["head"]
        self.one, self.two = network.hosts["one"], network.hosts["two"]
        self.serial: dict[str, bytes] = {}
        self._serial_folder = room / "serial"

    def type(self, text: str, *, check: bool = True, timeout: float = _RUN_S) -> str:
        """Type a command on the laptop, in the project's folder."""
        return self.laptop.run(f"cd {_PROJECT} && {text}", check=check, timeout=timeout)

    def fails(self, text: str) -> str:
        """Type a command that must fail, and return what it prints."""
        said = self.type(f"{text}; echo status $?", timeout=_RUN_S)
        _expect(not said.rstrip().endswith("status 0"), f"{text!r} did not fail:\n{said[-1500:]}")
        return said

    def evolve(self, out: str, resume: bool = False) -> str:
        """Return the command that makes the small run on the head, or goes on with it."""
        start = f"evolve --game {GAME} --config ~/small.toml --seed 1 --out results/{out}"
        return f"cd {_PROJECT} && scripts/miner {f'resume results/{out}' if resume else start} --address auto"

    def on_head(self, text: str, *, timeout: float = _RUN_S) -> str:
        """Run a command on the head by `ray exec`, as the cluster file says."""
        return self.type(f".venv/bin/ray exec cluster.yaml {shlex.quote(text)}", timeout=timeout)

    def compare(self, out: str) -> str:
        """Fetch a run from the head and compare it with the serial one."""
        self.type("rm -rf fetched && .venv/bin/ray rsync-down cluster.yaml '~/gdl-miner/results/' fetched/")
        found = contents(self.laptop.path / _PROJECT.lstrip("/") / "fetched" / out)
        differing = sorted(name for name in self.serial | found if self.serial.get(name) != found.get(name))
        _expect(not differing, f"{len(differing)} of {len(self.serial)} files differ: {differing[:5]}")
        return f"{len(found)} files have the bytes of the serial run"

    def alive(self) -> int:
        """Return the number of machines that take part. `ray status` would tell it late."""
        asked = f"RAY_AUTH_MODE=token {_PROJECT}/.venv/bin/python -c {shlex.quote(_COUNT_ALIVE)}"
        last = self.head.run(f"{asked} 2>/dev/null", check=False).split()[-1:]
        return int(last[0]) if last and last[0].isdecimal() else 0  # Ray says more where nothing answers

    def await_alive(self, count: int, limit_s: float) -> float:
        """Wait until so many machines take part, and return the seconds."""
        begun = time.monotonic()
        while self.alive() != count:
            _expect(time.monotonic() - begun < limit_s, f"{self.alive()} machines take part after {limit_s:.0f} s")
            time.sleep(3)
        return time.monotonic() - begun

    @contextmanager
    def running(self, out: str, *, ends_well: bool = True) -> Iterator[list[str]]:
        """A run on the head that goes on meanwhile and has begun to give results.

        What it said is in the list after the block.
        """
        command = self.head.command(f"export RAY_AUTH_MODE=token; {self.evolve(out)}")
        heard: list[str] = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            journal = self.head.path / _PROJECT.lstrip("/") / f"results/{out}/checkpoints/journal.jsonl"
            begun = time.monotonic()
            size = journal.stat().st_size if journal.exists() else 0
            while not journal.exists() or journal.stat().st_size == size:
                _expect(process.poll() is None, f"the run ended with {process.returncode} before it began")
                _expect(time.monotonic() - begun < _RUN_S, "the run does not begin")
                time.sleep(0.2)
            try:
                yield heard
                said, _ = process.communicate(timeout=_RUN_S)
            finally:
                process.kill()
        heard.append(said)
        _expect((process.returncode == 0) is ends_well, f"the run ended with {process.returncode}:\n{said[-2000:]}")


def _a_laptop_is_set_up(bed: _Bed) -> str:
    begun = time.monotonic()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    there = bed.laptop.path / _PROJECT.lstrip("/")
    there.mkdir()
    for name in files.decode().split("\0")[:-1]:
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, there / name, follow_symlinks=False)
    shutil.copytree(ROOT / "dist/wheels", there / "dist/wheels")
    text = (ROOT / "cluster.yaml").read_text()
    ours = [host.address for host in (bed.head, bed.one, bed.two)]
    for example, address in zip(("192.0.2.10", "192.0.2.11", "192.0.2.12"), ours, strict=True):
        text = text.replace(example, address)
    # Workers have the priority of this check; Ray's own would not move beside other work on this machine.
    text = text.replace("RAY_worker_register", f"RAY_worker_niceness={os.nice(0)} RAY_worker_register")
    (there / "cluster.yaml").unlink()
    (there / "cluster.yaml").write_text(text)
    for host in (bed.laptop, bed.head):
        (host.path / HOME.lstrip("/") / "small.toml").write_text(_SMALL)
    bed.laptop.run(f"chown -R miner {_PROJECT}; mv /usr/bin/c++ /usr/bin/no-c++", login="root")
    bed.type("scripts/setup && (.venv/bin/ray get-auth-token --generate; chmod 600 ~/.ray/auth_token) >/dev/null")
    return f"scripts/setup without compiler and network, {time.monotonic() - begun:.0f} s"


def _a_check_names_all_that_is_lacking(bed: _Bed) -> str:
    bed.two.run("mv /usr/bin/rsync /usr/bin/no-rsync", login="root")
    bed.one.run("mv ~/.ssh/authorized_keys ~/.ssh/none")
    said = bed.fails("scripts/miner cluster check cluster.yaml")
    bed.two.run("mv /usr/bin/no-rsync /usr/bin/rsync", login="root")
    bed.one.run("mv ~/.ssh/none ~/.ssh/authorized_keys")
    _expect(f"{bed.one.address}: the key does not open" in said, said)
    _expect(f"{bed.two.address}: no rsync" in said, said)
    said = bed.type("scripts/miner cluster check cluster.yaml")
    _expect("3 of 3 machines are ready" in said, said)
    return "a missing rsync and a wrong key stand in one list; without them 3 of 3 machines are ready"


def _another_python_is_named(bed: _Bed) -> str:
    others = [path for path in _PYTHONS.glob("3.1[1-9].*") if path.name not in bed.head.run("python3 --version")]
    if not others:
        return f"skipped: {_PYTHONS} has none that differs from that of the machines"
    source = max(others)
    name = source.name.rpartition(".")[0]
    there = bed.two.path / "opt/python"
    unneeded = shutil.ignore_patterns("test", "site-packages", "config-*", "__pycache__")
    shutil.copytree(source / "lib", there / "lib", ignore=unneeded, symlinks=True)
    (there / "bin").mkdir()
    shutil.copy2(source / f"bin/python{name}", there / "bin")
    wrapper = bed.two.path / "usr/local/bin/python3"
    wrapper.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH=/opt/python/lib exec /opt/python/bin/python{name} "$@"\n')
    wrapper.chmod(0o755)
    said = bed.fails("scripts/miner cluster check cluster.yaml")
    wrapper.unlink()
    _expect(f"{bed.two.address}: Python {source.name}, and the head has 3." in said, said)
    _expect("2 of 3 machines are ready" in said, said)
    return f"Python {source.name} on {bed.two.address} is named"


def _another_folder_is_refused(bed: _Bed) -> str:
    bed.fails(f"cd .. && {_PROJECT}/.venv/bin/ray up {_PROJECT}/cluster.yaml -y")
    _expect(not (bed.head.path / _PROJECT.lstrip("/")).exists(), "something was copied")
    return "nothing is copied"


def _ray_up_names_a_worker_that_does_not_start(bed: _Bed) -> str:
    bed.two.run("mv ~/.ssh/authorized_keys ~/.ssh/none")
    said = bed.fails(".venv/bin/ray up cluster.yaml -y")
    bed.two.run("mv ~/.ssh/none ~/.ssh/authorized_keys")
    _expect(f"2 of 3 machines take part (4 processors); not started: {bed.two.address}" in said, said[-3000:])
    _expect(f"{bed.two.address}: the key does not open" in said, said[-3000:])
    return "it fails and says why"


def _ray_up_starts_all_machines(bed: _Bed) -> str:
    said = bed.type(".venv/bin/ray up cluster.yaml -y")
    _expect("3 of 3 machines take part" in said, said[-3000:])
    bed.await_alive(3, 60)
    return "3 of 3 machines take part"


def _files_that_were_copied(bed: _Bed) -> str:
    modes = {host.name: host.run("stat -c '%a %n' .ray/auth_token ray_bootstrap* 2>&1", check=False) for host in
             (bed.head, bed.one)}  # fmt: skip
    _expect("600 .ray/auth_token" in modes["head"] and "600 .ray/auth_token" in modes["one"], str(modes))
    _expect("600 ray_bootstrap_key.pem" in modes["head"] and "key" not in modes["one"].replace("ray_bootstrap*", ""),
            str(modes))  # fmt: skip
    return "the token is 0600 on all, and only the head has the key"


def _a_run_has_the_bytes_of_a_serial_run(bed: _Bed) -> str:
    bed.type(f"scripts/miner evolve --game {GAME} --config ~/small.toml --seed 1 --executor serial --out serial")
    bed.serial = contents(bed.laptop.path / _PROJECT.lstrip("/") / "serial")
    begun = time.monotonic()
    bed.on_head(bed.evolve("plain"))
    return f"{bed.compare('plain')}, {time.monotonic() - begun:.0f} s on the cluster"


def _a_job_is_submitted(bed: _Bed) -> str:
    forward = bed.laptop.command(f"cd {_PROJECT} && timeout 120 .venv/bin/ray dashboard cluster.yaml")
    with subprocess.Popen(forward, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        environment = "export RAY_AUTH_MODE=token RAY_API_SERVER_ADDRESS=http://127.0.0.1:8265"
        ask = "for n in $(seq 20); do .venv/bin/ray job list >/dev/null 2>&1 && break; sleep 1; done"
        job = f"bash -c {shlex.quote(f'cd {_PROJECT} && scripts/miner inspect results/plain')}"
        said = bed.type(f"{environment}; {ask}; .venv/bin/ray job submit -- {job}; .venv/bin/ray job list")
        _expect("succeeded" in said and "SUCCEEDED" in said, said[-2000:])
        bed.type("mkdir -p my-games && cp agent/games/tictactoe.ext.kif my-games/my.kif")
        job = f"bash -c {shlex.quote(f'{_PROJECT}/scripts/agent info my.kif')}"
        said = bed.type(f"{environment}; .venv/bin/ray job submit --working-dir my-games -- {job}")
        _expect("succeeded" in said and "fluents" in said, said[-2000:])
        bed.laptop.run("pkill -f 'ray dashboar[d]'", check=False)
    return "ray dashboard, ray job submit, with rules of its own, and ray job list work"


def _a_raylet_is_killed(bed: _Bed) -> str:
    with bed.running("raylet"):
        bed.one.run("pkill -9 -x raylet", login="root")
    back = bed.await_alive(3, 180)
    return f"{bed.compare('raylet')}; the machine is back {back:.0f} s after the run"


def _a_link_is_cut_for_30_s(bed: _Bed) -> str:
    with bed.running("short"), _cut(bed.two):
        time.sleep(30)
    return bed.compare("short")


def _a_link_is_cut_for_long(bed: _Bed) -> str:
    with _cut(bed.two), bed.running("long"):
        time.sleep(_LONG_CUT_S)
    said = bed.compare("long")
    return f"{said}; the machine is back {bed.await_alive(3, 240):.0f} s after its link"


def _the_driver_is_killed(bed: _Bed) -> str:
    with bed.running("driver", ends_well=False):
        bed.head.run("pkill -9 -f 'bin/miner evolv[e]'")
    bed.on_head(bed.evolve("driver", resume=True))
    return bed.compare("driver")


def _a_disk_is_full(bed: _Bed) -> str:
    folder = "/tmp/gdl-miner-$(id -u miner)/ray"
    free = f"mount -t tmpfs -o size=64m small {folder}"
    bed.two.run(f"mv {folder} {folder}-before; mkdir -m 777 {folder}; {free}; chown miner {folder}", login="root")
    bed.two.run(f"pkill -9 -x raylet; rm -rf {folder}-before", login="root", check=False)
    bed.await_alive(3, 240)
    bed.two.run(f"dd if=/dev/zero of={folder}/filler bs=1M 2>&1", login="root", check=False)
    with bed.running("full"):
        pass
    bed.two.run(f"rm {folder}/filler", login="root")
    back = bed.await_alive(3, 240)
    return f"{bed.compare('full')}; the machine is back {back:.0f} s after there is room again"


def _a_worker_with_other_code_gets_no_work(bed: _Bed) -> str:
    changed = "miner/play/match_tasks.py"
    bed.two.run(f"sed -i '1a # other code' {_PROJECT}/{changed}")
    with bed.running("other") as heard:
        pass
    bed.two.run(f"sed -i '/^# other code$/d' {_PROJECT}/{changed}")
    named = [line for line in heard[0].splitlines() if "gets no work: it has" in line]
    _expect(any(bed.two.address in line and f"other contents of {changed}" in line for line in named), heard[0])
    _expect(all(bed.two.address in line for line in named), heard[0])
    _expect("2 of 3 machines, 4 processors" in heard[0], heard[0])
    return f"{bed.two.address} and the file are named; {bed.compare('other')}"


def _the_head_is_restarted(bed: _Bed) -> str:
    with bed.running("head", ends_well=False) as heard:
        bed.head.run(f"{_PROJECT}/.venv/bin/ray stop --force", check=False)
    _expect("miner resume results/head" in heard[0], heard[0][-2000:])
    begun = time.monotonic()
    bed.type(".venv/bin/ray up cluster.yaml -y")
    took = time.monotonic() - begun
    bed.await_alive(3, 60)
    bed.on_head(bed.evolve("head", resume=True))
    return f"{bed.compare('head')}; ray up again took {took:.0f} s"


def _ray_down_leaves_no_process(bed: _Bed) -> str:
    bed.type(".venv/bin/ray down cluster.yaml -y")
    left = [
        f"{name}: {line[:80]}" for name, host in bed.hosts.items() for word in _RAY for line in host.processes(word)
    ]
    _expect(not left, f"{len(left)} are left: {left[:5]}")
    return "none on any machine"


_CHECKS: tuple[Callable[[_Bed], str], ...] = (
    _a_laptop_is_set_up,
    _a_check_names_all_that_is_lacking,
    _another_python_is_named,
    _another_folder_is_refused,
    _ray_up_names_a_worker_that_does_not_start,
    _ray_up_starts_all_machines,
    _files_that_were_copied,
    _a_run_has_the_bytes_of_a_serial_run,
    _a_job_is_submitted,
    _a_raylet_is_killed,
    _a_link_is_cut_for_30_s,
    _a_link_is_cut_for_long,
    _the_driver_is_killed,
    _a_disk_is_full,
    _a_worker_with_other_code_gets_no_work,
    _the_head_is_restarted,
    _ray_down_leaves_no_process,
)


_NEEDED = (_a_laptop_is_set_up, _ray_up_starts_all_machines, _a_run_has_the_bytes_of_a_serial_run)


@contextmanager
def _cut(host: NetworkHost) -> Iterator[None]:
    host.set_link(up=False)
    try:
        yield
    finally:
        host.set_link(up=True)


def _expect(held: bool, otherwise: str) -> None:
    if not held:
        raise AssertionError(otherwise)
