"""Make the environment of this checkout that `.venv` links to; called by scripts/setup, /wheels and /lock.

An environment is a folder in `.venvs` with the libraries, the package and its native module. Its name is a digest of
all that it is made of. It is made aside, and nothing in it changes once it is ready. Then `.venv` becomes a link to it.
So a process keeps the files that it began with, also those that it opens later. A set-up that fails or is interrupted
leaves `.venv` as it was. An environment is removed when two newer ones are there and no process uses it.

Where `dist/wheels` has the native module, made of the sources that are here, nothing is compiled. Where it has the
libraries, too, nothing is downloaded. Libraries and build tools are wheels whose hashes `requirements.txt` has.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD_TOOLS = ("scikit-build-core", "nanobind")
ROOM = 64 << 20  # bytes; a disk with less room counts as full
USED = "all"  # the extra with the libraries of all commands, which every checkout has
KEPT = 2  # environments that stay for a return to them, whether they are used or not
# Settings of pip, and the variables by which uv is told the same.
UV_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
}
# `.venv/bin/python` finds its libraries by way of the link. This module, imported when Python starts, replaces the link
# by the environment itself. Python reads files *.pth in the order of their names, and that of the package comes later.
OWN_NAME = """
import os
import sys

link, environment = sys.prefix, os.path.realpath(sys.prefix)
sys.path[:] = [path.replace(link, environment, 1) if path.startswith(link + os.sep) else path for path in sys.path]
sys.executable = sys.executable.replace(link, environment, 1)
sys.prefix = sys.exec_prefix = environment
"""


class SetupError(Exception):
    """The set-up cannot go on; the text says why and what to do."""


class Environments:
    """The environments of a checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venvs"
        self.link = root / ".venv"
        self.compiler = os.environ.get("CXX") or "c++"
        self.sets = os.environ.get("GDL_MINER_INSTRUCTION_SETS") or "native"
        self._started = time.monotonic()
        self._project = tomllib.loads((root / "pyproject.toml").read_text())

    def prepare(self, extras: Iterable[str]) -> Path:
        """Return the environment with these extras and those that `.venv` has, to which `.venv` then links."""
        known = self._project["project"].get("optional-dependencies", {})
        if unknown := sorted(set(extras) - set(known)):
            raise SetupError(f"there is no extra {unknown[0]}; pyproject.toml has {', '.join(sorted(known))}")
        if self.sets not in ("native", "all"):
            raise SetupError(f"GDL_MINER_INSTRUCTION_SETS is {self.sets}; give native (this processor's) or all")
        wanted = sorted((set(extras) | set(self.installed_extras())) & set(known))
        environment = self.folder / self.fingerprint(wanted)
        if self._links_to(environment):
            return environment
        self.folder.mkdir(exist_ok=True)
        with self._alone():
            if not _stamp(environment).exists():
                self._make(environment, wanted)
            self._switch(environment)
            self._clear()
        return environment

    def installed_extras(self) -> list[str]:
        """Return the extras of the environment that `.venv` links to."""
        try:
            return _stamp(self.link).read_text().split()
        except OSError:
            return []

    def fingerprint(self, extras: list[str]) -> str:
        """Return a digest of what an environment with these extras is made of."""
        wheel = self.prebuilt()
        made_by = [wheel.name] if wheel else [self.sets, self._compiler_version(), _processor()]
        words = [self.source_digest(), str(self.root), sys.version, *extras, *made_by]
        return hashlib.sha256(json.dumps(words).encode() + Path(__file__).read_bytes()).hexdigest()[:16]

    def source_digest(self) -> str:
        """Return a digest of what the package and its native module are made of on every machine."""
        tool = {"scikit-build": self._project.get("tool", {}).get("scikit-build")}
        package = [self._project.get("build-system"), self._project["project"], tool]
        digest = hashlib.sha256(json.dumps(package).encode())
        native = sorted(path for path in (self.root / "agent/native").rglob("*") if path.suffix in (".cpp", ".hpp"))
        for path in (self._lock(), self.root / "CMakeLists.txt", *native):
            digest.update(f"\0{path.relative_to(self.root)}\0".encode() + path.read_bytes())
        return digest.hexdigest()[:16]

    def prebuilt(self) -> Path | None:
        """Return the wheel in `dist/wheels` that has the native module of these sources for this Python, or None."""
        path = self._own_wheel()
        return path if path.exists() else None

    def build_wheels(self, libraries: bool) -> Path:
        """Make the wheel of the native module in `dist/wheels`, with `libraries` also theirs, and return the folder."""
        self.folder.mkdir(exist_ok=True)
        with self._alone():
            wheel = self._own_wheel()
            if wheel.exists():
                self._say(f"{self._name(wheel)} is there already")
            else:
                tools = self._build_tools(compiling=True)
                self._say(f"compiling the native module (instruction sets: {self.sets})")
                self._check_compiler()
                with self._compiling(tools) as compilation:
                    self._await(compilation)
                wheel.parent.mkdir(parents=True, exist_ok=True)
                for old in wheel.parent.glob("gdl_miner-*.whl"):
                    old.unlink()
                [built] = self._wheels().glob("*.whl")
                shutil.copyfile(built, wheel)
            if libraries and not self._has_libraries():
                self._say("fetching the wheels of the libraries")
                tools = self._build_tools(compiling=False)
                wanted = self._locked("wheels", [*self._requirements([USED]), "uv"])
                self._step("wheels", [*_pip(tools), "wheel", "--wheel-dir", str(wheel.parent), *wanted])
                self._libraries_mark().write_text(self.source_digest())
        size = sum(path.stat().st_size for path in wheel.parent.iterdir())
        self._say(f"ready: {self._name(wheel.parent)} has {size / 2**20:.0f} MiB; copy it with the project")
        return wheel.parent

    def renew_lock(self) -> None:
        """Pin the newest versions that pyproject.toml allows for all its Pythons, with the hashes of their files."""
        self.folder.mkdir(exist_ok=True)
        with self._alone():
            tools = self._build_tools(compiling=False)
            if not (tools / "bin/uv").exists():
                raise SetupError("uv cannot be installed (.venvs/logs/uv.log says why); the lock is made with it")
            build = self._logs() / "build-system.txt"
            build.write_text("\n".join(self._project["build-system"]["requires"]))
            oldest = self._project["project"]["requires-python"].strip("<>=~ ")
            settings = _settings_of_uv(tools)
            for further in ("UV_INDEX", "UV_INDEX_STRATEGY", "UV_FIND_LINKS"):
                settings.pop(further, None)  # what only this machine has is not for others
            command = [str(tools / "bin/uv"), "pip", "compile", "--upgrade", "--universal", "--python-version", oldest]
            command += ["--all-extras", "--fork-strategy", "fewest", "--generate-hashes", "--annotation-style", "line"]
            command += ["--custom-compile-command", "scripts/lock", "--output-file", str(self._lock())]
            self._step("lock", [*command, "pyproject.toml", self._name(build)], settings)

    def install(self, environment: Path, extras: list[str]) -> None:
        """Fill a new environment; the native module is compiled while the libraries are downloaded."""
        _check_venv()
        wheel = self.prebuilt()
        if wheel is not None:
            self._say(f"installing libraries; the native module is in {self._name(wheel)}")
            tools = self._build_tools(compiling=False)
            self._install_libraries(tools, environment, extras)
        else:
            if self._own_wheel().parent.exists():
                self._say("dist/wheels was made of other sources or for another Python; scripts/wheels makes it anew")
            self._say(
                f"compiling the native module (instruction sets: {self.sets}), and installing libraries meanwhile"
            )
            self._check_compiler()
            tools = self._build_tools(compiling=True)
            with self._compiling(tools) as compilation:
                self._install_libraries(tools, environment, extras)
                self._say("the libraries are installed")
                self._await(compilation)
            [wheel] = self._wheels().glob("*.whl")
        self._install(tools, environment, "package", ["--no-deps", str(wheel)])
        find_sources(environment, self.root)
        use_own_name(environment)
        self._check_module(environment, wheel)

    def _make(self, environment: Path, extras: list[str]) -> None:
        self._say("preparing .venv")
        with _made_whole(environment):
            self.install(environment, extras)
            _stamp(environment).write_text("".join(f"{extra}\n" for extra in extras))
        self._say("ready")

    def _switch(self, environment: Path) -> None:
        """Let `.venv` link to an environment. At every moment it links to the old one or the new one."""
        if self.link.is_dir() and not self.link.is_symlink():
            self._put_aside()
        new = self.folder / "link"
        new.unlink(missing_ok=True)
        new.symlink_to(environment.relative_to(self.root))
        new.replace(self.link)
        os.utime(_stamp(environment))

    def _put_aside(self) -> None:
        """Rename a `.venv` that is a folder of its own, and not a link to an environment."""
        old = self.root / ".venv-old"
        if process := _user_of(self.link):
            raise SetupError(
                f"process {process} uses the folder .venv, which a link is to replace; try again at its end"
            )
        if old.exists():
            raise SetupError("the folder .venv is to be renamed .venv-old, which is there already; remove that one")
        self.link.rename(old)
        self._say("the folder .venv has been renamed .venv-old, and can be removed")

    def _clear(self) -> None:
        """Remove the environments that are neither new nor in use."""
        if not Path("/proc/self/maps").exists():
            return  # this system does not say which files a process uses
        folders = [path for path in self.folder.iterdir() if path.is_dir() and not path.is_symlink()]
        programs = [path for path in folders if _stamp(path).exists() and not path.name.startswith("tools")]
        programs.sort(key=lambda path: _stamp(path).stat().st_mtime_ns, reverse=True)
        kept = {*programs[:KEPT], self._tools_folder(), self._logs()}
        for path in folders:
            if path not in kept and _user_of(path) is None:
                shutil.rmtree(path, ignore_errors=True)

    def _links_to(self, environment: Path) -> bool:
        return self.link.is_symlink() and self.link.resolve() == environment and _stamp(environment).exists()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One set-up works at a time; others wait, and then find everything done."""
        with (self.folder / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._say("another set-up of this checkout is at work; waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _build_tools(self, *, compiling: bool) -> Path:
        """Return the environment of the installer, and for `compiling` of the build tools.

        As it keeps its place, unchanged files keep their objects.
        """
        tools = self._tools_folder()
        if not _stamp(tools).exists() or (compiling and not (tools / "compiles").exists()):
            with _made_whole(tools):
                self._install_installer(tools)
                if compiling:
                    self._install_build_tools(tools)
                    (tools / "compiles").touch()
                _stamp(tools).touch()
        current = self.folder / "tools"
        current.unlink(missing_ok=True)
        current.symlink_to(tools.name)
        return tools

    def _install_installer(self, tools: Path) -> None:
        self._step("build-tools", [sys.executable, "-m", "venv", str(tools)])
        install = [*_pip(tools), "install", *self._offline(), *self._locked("uv", ["uv"])]
        if not self._quiet("uv", install):
            self._say("uv cannot be installed (.venvs/logs/uv.log says why); pip does its work, which takes longer")
            (tools / "bin/uv").unlink(missing_ok=True)  # half of it may be there

    def _install_build_tools(self, tools: Path) -> None:
        self._install(tools, tools, "build-tools", self._locked("build-tools", BUILD_TOOLS))
        asks = "from scikit_build_core.build import get_requires_for_build_editable as get; print(*get(), sep='\\n')"
        asked = subprocess.run([tools / "bin/python", "-c", asks], capture_output=True, text=True, cwd=self.root)
        if missing := re.findall(r"^(?:cmake|ninja).*", asked.stdout, re.M):
            self._install(tools, tools, "build-tools", self._locked("build-tools", missing))

    def _tools_folder(self) -> Path:
        made_of = self._lock().read_bytes() + json.dumps([str(self.root), sys.version]).encode()
        return self.folder / f"tools-{hashlib.sha256(made_of).hexdigest()[:16]}"

    @contextmanager
    def _compiling(self, tools: Path) -> Iterator[subprocess.Popen[bytes]]:
        """Compile the package with its native module in a process of its own, which ends with the block."""
        wheels = self._wheels()
        shutil.rmtree(wheels, ignore_errors=True)
        settings = {"cmake.define.GDL_INSTRUCTION_SETS": self.sets}
        build = f"from scikit_build_core.build import build_editable as build; build({str(wheels)!r}, {settings!r})"
        environ = {**os.environ, "PATH": f"{tools / 'bin'}:{os.environ['PATH']}"}
        with self._running("build", [str(tools / "bin/python"), "-c", build], environ) as process:
            yield process

    def _await(self, compilation: subprocess.Popen[bytes]) -> None:
        """Wait for the native module, and say now and then how far it is."""
        log = self._logs() / "build.log"
        while True:
            try:
                status = compilation.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                done = re.findall(r"^ *\[(\d+/\d+)\]", log.read_text(errors="replace"), re.M)
                self._say(f"compiling: {done[-1] if done else 'no'} files")
        if status != 0:
            raise SetupError(
                _with_end(log, f"the native module does not compile; the whole output is in {self._name(log)}")
            )

    def _install_libraries(self, tools: Path, environment: Path, extras: list[str]) -> None:
        self._step("environment", [sys.executable, "-m", "venv", str(environment)])
        libraries = self._locked("libraries", self._requirements(extras))
        self._install(tools, environment, "libraries", libraries, extras)

    def _requirements(self, extras: Iterable[str]) -> list[str]:
        """Return what the package needs with these extras."""
        project = self._project["project"]
        wanted, found = list(extras), list(project["dependencies"])
        while wanted:
            for requirement in project["optional-dependencies"][wanted.pop()]:
                if of_own := re.fullmatch(rf"{project['name']}\[(.+)\]", requirement):
                    wanted += of_own[1].split(",")
                else:
                    found.append(requirement)
        return found

    def _install(
        self, tools: Path, environment: Path, step: str, packages: list[str], extras: Sequence[str] = ()
    ) -> None:
        """Install packages with uv, which takes seconds, or with pip, which takes a minute."""
        uv = tools / "bin/uv"
        settings = {}
        if uv.exists():
            installer = [str(uv), "pip", "install", "--python", str(environment / "bin/python")]
            settings = _settings_of_uv(tools)
        else:
            installer = [*_pip(environment), "install"]
        self._step(step, [*installer, *self._offline(extras), *packages], settings)

    def _locked(self, step: str, requirements: Iterable[str]) -> list[str]:
        """Return the options that make pip and uv install what is pinned, from wheels of the hashes in the lock."""
        wanted = self._logs() / f"{step}.txt"
        wanted.write_text(locked(self._lock().read_text(), requirements))
        return ["--require-hashes", "--only-binary", ":all:", "--requirement", str(wanted)]

    def _offline(self, extras: Sequence[str] = ()) -> list[str]:
        """Return the options that make pip and uv take the libraries from `dist/wheels`, where they are there.

        What extras of developers need is not among them.
        """
        if not self._has_libraries():
            return []
        further = set(extras) - {USED}
        return [*([] if further else ["--no-index"]), "--find-links", str(self._own_wheel().parent)]

    def _has_libraries(self) -> bool:
        """Whether `dist/wheels` has the libraries of these sources beside the native module."""
        mark = self._libraries_mark()
        return self.prebuilt() is not None and mark.exists() and mark.read_text() == self.source_digest()

    def _libraries_mark(self) -> Path:
        return self._own_wheel().with_name("libraries")

    def _step(self, name: str, command: list[str], settings: dict[str, str] | None = None) -> None:
        """Run a command, whose output goes to a log; where it fails, the end of the log is in the error."""
        if not self._quiet(name, command, settings):
            log = self._logs() / f"{name}.log"
            why = "; the disk is full" if shutil.disk_usage(self.folder).free < ROOM else ""
            raise SetupError(_with_end(log, f"the set-up failed{why}; the whole output is in {self._name(log)}"))

    def _quiet(self, name: str, command: list[str], settings: dict[str, str] | None = None) -> bool:
        fixed = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "UV_NO_PROGRESS": "1", "UV_SYSTEM_CERTS": "1"}
        with self._running(name, command, {**(settings or {}), **os.environ, **fixed}) as process:
            return process.wait() == 0

    @contextmanager
    def _running(self, name: str, command: list[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command whose output goes to a log, in a group of processes of its own, which ends with the block."""
        with (
            (self._logs() / f"{name}.log").open("wb") as log,
            subprocess.Popen(
                command, cwd=self.root, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            ) as process,
        ):  # fmt: skip
            try:
                yield process
            finally:
                _end_group(process)

    def _check_compiler(self) -> None:
        self._compiler_version()
        source = b"#if __cplusplus < 202002L\n#error old\n#endif\n"
        compiles = [self.compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", "-"]
        if subprocess.run(compiles, input=source, capture_output=True).returncode != 0:
            raise SetupError(
                f"{self.compiler} does not know C++20; install GCC 11, Clang 14 or newer, or set CXX to one"
            )

    def _compiler_version(self) -> str:
        try:
            version = subprocess.run([self.compiler, "--version"], capture_output=True, text=True)
        except OSError:
            raise SetupError(
                f"no C++ compiler ({self.compiler}); install one (Debian: apt install g++), or set CXX"
            ) from None
        return self.compiler + version.stdout

    def _check_module(self, environment: Path, wheel: Path) -> None:
        asked = [str(environment / "bin/python"), "-c", "import gdl_miner.agent._native"]
        if not self._quiet("module", asked):
            log = self._logs() / "module.log"
            raise SetupError(
                _with_end(
                    log, f"the native module of {self._name(wheel)} does not load; was it built on another system?"
                )
            )

    def _lock(self) -> Path:
        """Return the file with the exact versions of all libraries and build tools, and the hashes of their files."""
        return self.root / "requirements.txt"

    def _own_wheel(self) -> Path:
        """Return the place in `dist/wheels` of the wheel of these sources for this Python and kind of machine."""
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
        version = self._project["project"].get("version", "0")
        name = f"gdl_miner-{version}-1{self.source_digest()}-{python}-{python}-{platform}.whl"
        return self.root / "dist/wheels" / name

    def _wheels(self) -> Path:
        return self.root / "build/editable"

    def _logs(self) -> Path:
        logs = self.folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        return logs

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self.root))

    def _say(self, text: str) -> None:
        print(f"[{time.monotonic() - self._started:3.0f} s] {text}", file=sys.stderr, flush=True)


def locked(lock: str, requirements: Iterable[str]) -> str:
    """Return the part of a lock with what packages are, and with all that they need.

    A comment `# via` in the lock names the packages that need the one above it.
    """

    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    pins = {plain(pin.partition("==")[0]): pin for pin in re.split(r"\n(?=\w)", lock) if re.match(r"[\w.-]+==", pin)}
    needed_by = {name: set(", ".join(re.findall(r"# via (.+)", pin)).split(", ")) for name, pin in pins.items()}
    wanted = {plain(match[0]) for match in (re.match(r"[\w.-]+", each) for each in requirements) if match}
    if lacking := sorted(wanted - set(pins)):
        raise SetupError(f"requirements.txt does not have {lacking[0]}; scripts/lock makes it anew")
    while further := {name for name, needing in needed_by.items() if name not in wanted and needing & wanted}:
        wanted |= further
    return "\n".join(pins[name].rstrip() for name in sorted(wanted)) + "\n"


def use_own_name(environment: Path) -> None:
    """Let Python call an environment by its own name where it was called as `.venv/bin/python`."""
    (_site(environment) / "_by_own_name.py").write_text(OWN_NAME)
    (_site(environment) / "_by_own_name.pth").write_text("import _by_own_name\n")


def find_sources(environment: Path, root: Path) -> None:
    """Let the package find its sources in this checkout, also where its wheel was built in another."""
    for marker in _site(environment).glob("_editable_skbc_*.pth"):
        built_in = marker.read_text().splitlines()[-1]
        for path in (marker, marker.with_suffix(".py")):
            path.write_text(path.read_text().replace(built_in, str(root)))


@contextmanager
def _made_whole(folder: Path) -> Iterator[None]:
    """Make a folder that is there as a whole after the block, or not at all."""
    shutil.rmtree(folder, ignore_errors=True)  # what a killed set-up left
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _stamp(environment: Path) -> Path:
    """Return the file that a ready environment has; it lists the extras."""
    return environment / ".ready"


def _site(environment: Path) -> Path:
    return environment / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


def _pip(environment: Path) -> list[str]:
    return [str(environment / "bin/python"), "-m", "pip"]


def _settings_of_uv(tools: Path) -> dict[str, str]:
    """Return pip's settings of indices as variables of uv, which does not read them itself."""
    asked = subprocess.run([*_pip(tools), "config", "list"], capture_output=True, text=True).stdout
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # the later counts
        found |= dict(re.findall(rf"^{section}\.([\w-]+)='(.*)'$", asked, re.M))
    settings = {
        UV_SETTINGS[name]: (",".join if name == "find-links" else " ".join)(value.replace("\\n", " ").split())
        for name, value in found.items()
        if name in UV_SETTINGS
    }
    if "UV_INDEX" in settings:
        settings["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # all indices count alike, as for pip
    return settings


def _check_venv() -> None:
    if importlib.util.find_spec("ensurepip") is None:
        lack = "this Python cannot make virtual environments"
        raise SetupError(f"{lack}; install its venv package (Debian: apt install python3-venv)")


def _processor() -> str:
    """Return what decides which instruction sets this processor has."""
    try:
        flags = re.search(r"^flags.*", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        return ""
    return flags[0] if flags else ""


def _user_of(folder: Path) -> str | None:
    """Return the number of a process that was started from a folder or has a file of it in its memory."""
    inside = f"{folder}/".encode()
    for process in Path("/proc").glob("[0-9]*"):
        for file in ("cmdline", "maps"):
            try:
                if inside in (process / file).read_bytes():
                    return process.name
            except OSError:
                continue  # the process has ended, or belongs to somebody else
    return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group. On SIGTERM ninja also ends its compilers, which are not of the group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        with suppress(ProcessLookupError):
            for _ in range(20):
                os.killpg(process.pid, 0)
                time.sleep(0.1)
            os.killpg(process.pid, signal.SIGKILL)


def _with_end(log: Path, text: str) -> str:
    """Return a text after the last lines of a log."""
    return "\n".join([*log.read_text(errors="replace").splitlines()[-25:], f"error: {text}"])


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    """Prepare the environment; the exit status is 1 where that fails."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGHUP, _end)
    words = sys.argv[1:]
    try:
        if words[:1] == ["--wheels"]:
            os.environ.setdefault("GDL_MINER_INSTRUCTION_SETS", "all")  # other machines may have other processors
            Environments(ROOT).build_wheels(libraries=words[1:] == ["libraries"])
        elif words == ["--lock"]:
            Environments(ROOT).renew_lock()
        elif words == ["--digest"]:
            print(Environments(ROOT).source_digest())
        else:
            Environments(ROOT).prepare([USED, *words])
    except SetupError as error:
        text = str(error)
        print(text if "error: " in text else f"error: {text}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: the set-up failed: {error}; .venv is as it was", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
