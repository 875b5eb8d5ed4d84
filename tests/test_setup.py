"""`scripts/setup` and its environments: programs that run keep their files, and calls for help set nothing up."""

import errno
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
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from packaging.requirements import Requirement

from gdl_miner.agent.cli import app as agent
from gdl_miner.miner.cli import app as miner

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "scripts"
_SPEC = importlib.util.spec_from_file_location("environments", SCRIPTS / "environments.py")
assert _SPEC is not None
assert _SPEC.loader is not None
environments: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(environments)

MODULE = """
#include <Python.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, NULL};
PyMODINIT_FUNC PyInit__native(void) {
  PyObject *made = PyModule_Create(&definition);
  PyModule_AddIntConstant(made, "VERSION", %s);
  return made;
}
"""
# Imports the native module, waits for a line, and then imports a library for the first time.
PROGRAM = """
import hashlib, json, os, sys, _editable, _native
def mapped():
    [path] = {line.split()[-1] for line in open("/proc/self/maps") if "_native" in line}
    return [path, os.stat(path).st_ino, hashlib.sha256(open(path, "rb").read()).hexdigest()]
print(json.dumps([_native.VERSION, mapped()]), flush=True)
sys.stdin.readline()
import later
print(json.dumps([later.VERSION, mapped(), sys.executable, _editable.__file__]), flush=True)
"""


class Quick(environments.Environments):  # type: ignore[misc]  # the script is imported by its path, without types
    """Environments whose package is a module of C and one of Python, which both say the version of a native source."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.installed: list[list[str]] = []

    def install(self, environment: Path, extras: list[str]) -> None:
        self.installed.append(extras)
        version = (self.root / "agent/native/version.cpp").read_text()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        site = environments._site(environment)
        (site / "later.py").write_text(f"VERSION = {version}")
        (site / "_editable.py").write_text("")  # as the package is found
        (site / "_editable.pth").write_text("import _editable\n")
        environments.use_own_name(environment)
        source = environment / "module.c"
        source.write_text(MODULE % version)
        command = ["cc", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", str(source), "-o"]
        subprocess.run([*command, str(site / "_native.so")], check=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "agent/native").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "tiny"\ndependencies = []\n[project.optional-dependencies]\nall = []\ntest = []\ndev = []\n'
    )
    (tmp_path / "requirements.txt").write_text("")
    (tmp_path / "CMakeLists.txt").write_text("")
    change(tmp_path, 1)
    return tmp_path


def change(checkout: Path, version: int) -> None:
    """Change the native source, so that the next set-up makes another environment."""
    (checkout / "agent/native/version.cpp").write_text(str(version))


def version(checkout: Path) -> int:
    """The version of the native module that a program gets which starts at this moment."""
    asked = [checkout / ".venv/bin/python", "-c", "import _native; print(_native.VERSION)"]
    return int(subprocess.run(asked, check=True, capture_output=True).stdout)


@contextmanager
def running(python: Path) -> Iterator[Callable[[], Any]]:
    """A program that has imported the native module; each call gives what it says next."""
    command = [python, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        first = json.loads(stdout.readline())

        def goes_on() -> Any:
            stdin.write("\n")
            stdin.flush()
            return json.loads(stdout.readline())

        answers = iter([first])
        yield lambda: next(answers, None) or goes_on()


def fingerprint(path: Path) -> list[Any]:
    return [path.stat().st_ino, hashlib.sha256(path.read_bytes()).hexdigest()]


def test_a_program_that_runs_keeps_its_module_and_libraries_when_they_are_rebuilt(checkout: Path) -> None:
    first = Quick(checkout).prepare([])
    with running(checkout / ".venv/bin/python") as says:
        number, [path, *before] = says()
        assert (number, path) == (1, str(environments._site(first) / "_native.so"))
        for number in (2, 3, 4):
            change(checkout, number)
            Quick(checkout).prepare([])
            assert version(checkout) == number
        assert fingerprint(Path(path)) == before
        late, after, executable, found = says()
    assert (late, after) == (1, [path, *before])  # also what it opens only now is of its own environment
    assert executable == str(first / "bin/python")  # and so are the processes that it starts
    assert found == str(environments._site(first) / "_editable.py")


def test_environments_that_no_process_uses_are_removed_when_two_newer_ones_are_there(checkout: Path) -> None:
    made = []
    for number in (1, 2, 3):
        change(checkout, number)
        made.append(Quick(checkout).prepare([]))
    assert [path.exists() for path in made] == [False, True, True]


def test_nothing_is_made_again_that_is_there(checkout: Path) -> None:
    quick = Quick(checkout)
    first = quick.prepare([])
    assert quick.prepare([]) == first
    change(checkout, 2)
    second = quick.prepare([])
    change(checkout, 1)
    assert quick.prepare([]) == first != second
    assert quick.installed == [[], []]
    assert version(checkout) == 1


def test_extras_stay_when_others_are_asked_for(checkout: Path) -> None:
    quick = Quick(checkout)
    quick.prepare(["test"])
    quick.prepare([])
    quick.prepare(["dev"])
    assert quick.installed == [["test"], ["dev", "test"]]
    with pytest.raises(environments.SetupError, match=r"no extra tset; pyproject\.toml has all, dev, test"):
        quick.prepare(["tset"])


def test_two_setups_at_once_make_one_environment(checkout: Path) -> None:
    both = [Quick(checkout), Quick(checkout)]
    threads = [threading.Thread(target=each.prepare, args=([],)) for each in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(len(each.installed) for each in both) == 1
    assert version(checkout) == 1


def test_a_setup_that_fails_leaves_everything_as_it_was(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Quick(checkout).prepare([])
    change(checkout, 2)

    def full(_: object, environment: Path, extras: list[str]) -> None:
        (environment / "bin").mkdir(parents=True)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Quick, "install", full)
        with pytest.raises(OSError, match="No space left"):
            Quick(checkout).prepare([])
    assert version(checkout) == 1
    assert [path.name for path in (checkout / ".venvs").iterdir() if path.name not in ("lock", "logs")] == [first.name]
    Quick(checkout).prepare([])
    assert version(checkout) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_setup_that_is_interrupted_leaves_everything_as_it_was(checkout: Path, number: signal.Signals) -> None:
    Quick(checkout).prepare([])
    change(checkout, 2)
    program = f"""
import sys, time
sys.path.insert(0, {str(SCRIPTS)!r})
import environments
from pathlib import Path
class Slow(environments.Environments):
    def install(self, environment, extras):
        environment.mkdir(parents=True)
        (environment / "half").touch()
        time.sleep(60)
environments.ROOT, environments.Environments = Path({str(checkout)!r}), Slow
sys.argv = ["setup"]
sys.exit(environments.main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while not list(checkout.glob(".venvs/*/half")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(number)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert version(checkout) == 1
    if number != signal.SIGKILL:
        assert not list(checkout.glob(".venvs/*/half"))
    Quick(checkout).prepare([])  # what a killed set-up left is made anew
    assert version(checkout) == 2
    assert not list(checkout.glob(".venvs/*/half"))


def test_a_folder_in_the_place_of_the_link_is_put_aside_unless_a_process_uses_it(checkout: Path) -> None:
    Quick(checkout).install(checkout / ".venv", [])
    with running(checkout / ".venv/bin/python") as says:
        says()
        with pytest.raises(environments.SetupError, match=r"process .* uses the folder \.venv"):
            Quick(checkout).prepare([])
    Quick(checkout).prepare([])
    assert (checkout / ".venv-old/bin/python").exists()
    assert (checkout / ".venv").is_symlink()


def test_a_wheel_of_these_sources_spares_the_compiler(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/c++")
    quick = Quick(checkout)
    with pytest.raises(environments.SetupError, match="no C\\+\\+ compiler"):
        quick.prepare([])
    wheel = quick._own_wheel()
    wheel.parent.mkdir(parents=True)
    wheel.touch()
    assert (quick.prebuilt(), quick._offline()) == (wheel, [])
    first = quick.prepare([])
    (wheel.parent / "libraries").write_text(quick.source_digest())
    assert quick._offline() == ["--no-index", "--find-links", str(wheel.parent)]
    assert quick._offline(["test"]) == ["--find-links", str(wheel.parent)]
    assert quick.prepare([]) == first
    change(checkout, 2)
    assert (quick.prebuilt(), quick._offline()) == (None, [])  # it was made of other sources


def test_a_package_from_another_checkout_finds_the_sources_of_this_one(tmp_path: Path) -> None:
    site = environments._site(tmp_path / "environment")
    site.mkdir(parents=True)
    (site / "_editable_skbc_gdl_miner.pth").write_text("import _editable_skbc_gdl_miner\n/built/there")
    (site / "_editable_skbc_gdl_miner.py").write_text("install({'a': '/built/there/a.py', 'b': ['/built/there/b']})")
    environments.find_sources(tmp_path / "environment", tmp_path)
    assert (site / "_editable_skbc_gdl_miner.pth").read_text().endswith(f"\n{tmp_path}")
    expected = f"install({{'a': '{tmp_path}/a.py', 'b': ['{tmp_path}/b']}})"
    assert (site / "_editable_skbc_gdl_miner.py").read_text() == expected


LOCK = """# made by scripts/lock
aa==1 \\
    --hash=sha256:a1 \\
    --hash=sha256:a2
    # via b-b
b-b==2 ; sys_platform == 'linux' \\
    --hash=sha256:b1
    # via c, tiny (pyproject.toml)
c==3 \\
    --hash=sha256:c1
    # via tiny (pyproject.toml)
"""


def test_packages_are_installed_with_all_that_they_need_and_nothing_else() -> None:
    assert [line.split()[0] for line in environments.locked(LOCK, ["B_b[x]>=1,<2"]).splitlines() if line[0] != " "] == [
        "aa==1",
        "b-b==2",
    ]
    assert environments.locked(LOCK, ["c>=1"]).count("--hash") == 4
    with pytest.raises(environments.SetupError, match="does not have d; scripts/lock makes it anew"):
        environments.locked(LOCK, ["d>=1"])


def test_the_lock_has_every_package_in_its_range_with_hashes() -> None:
    lock = (ROOT / "requirements.txt").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["build-system"]["requires"], *environments.Environments(ROOT)._requirements(extras)]
    pins = dict(re.findall(r"^([\w.-]+)==([^ ;]+)", lock, re.M))
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[requirement.name])
    packages = re.split(r"\n(?=\w)", lock)[1:]
    assert len(packages) == len(pins) > 100
    assert all("--hash=sha256:" in package for package in packages)
    assert {"cmake", "ninja", "uv", "nanobind", "scikit-build-core"} <= set(pins)
    assert environments.locked(lock, wanted).count("\n") > 1000


def test_an_extra_of_extras_brings_what_they_bring(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text("""
        [project]
        name = "tiny"
        dependencies = ["core"]
        [project.optional-dependencies]
        all = ["tiny[one,two]"]
        one = ["first>=1", "tiny-tools[x]"]
        two = ["second"]
        three = ["third"]
    """)
    made = environments.Environments(checkout)
    assert made._requirements([]) == ["core"]
    assert sorted(made._requirements(["all"])) == ["core", "first>=1", "second", "tiny-tools[x]"]


def test_every_checkout_has_what_all_commands_need(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(environments.Environments, "prepare", lambda self, extras: asked.append(extras))
    monkeypatch.setattr(environments.signal, "signal", lambda *_: None)  # the handlers of the tests stay
    monkeypatch.setattr("sys.argv", ["environments.py", "test"])
    assert environments.main() == 0
    assert asked == [["all", "test"]]


def test_uv_is_told_what_pip_is_told(tmp_path: Path) -> None:
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.write_text("""#!/bin/sh
echo ":env:.index-url='http://mirror/simple'"
echo "global.extra-index-url='http://one/simple http://two/simple'"
echo "global.find-links='/wheels /more'"
echo "global.index-url='http://other/simple'"
""")
    python.chmod(0o755)
    assert environments._settings_of_uv(tmp_path) == {
        "UV_DEFAULT_INDEX": "http://mirror/simple",
        "UV_INDEX": "http://one/simple http://two/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


FILES = [path for path in SCRIPTS.iterdir() if path.is_file()]
WRAPPERS = sorted(path.name for path in FILES if path.read_text().startswith("#!/usr/bin/env bash"))


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a script where no Python and no compiler can be called."""
    environ = {**os.environ, "PYTHON": "/nowhere/python", "CXX": "/nowhere/c++"}
    return subprocess.run([str(checkout / words[0]), *words[1:]], env=environ, capture_output=True, text=True)


@pytest.fixture
def scripts(checkout: Path) -> Path:
    shutil.copytree(SCRIPTS, checkout / "scripts")
    return checkout


@pytest.mark.parametrize("word", ["--help", "-h", "--version"])
@pytest.mark.parametrize("script", WRAPPERS)
def test_a_call_for_help_sets_nothing_up(scripts: Path, script: str, word: str) -> None:
    if script == "chaos":
        (scripts / "scripts/chaos").write_text((scripts / "scripts/chaos").read_text().replace("${PYTHON:-}", ""))
    before = sorted(scripts.rglob("*"))
    done = run(scripts, f"scripts/{script}", "first", word)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) > 15
    assert "#" not in done.stdout
    assert sorted(scripts.rglob("*")) == before


def test_an_environment_that_is_there_answers_calls_for_help_without_a_setup(scripts: Path) -> None:
    program = scripts / ".venvs/some/bin/miner"
    program.parent.mkdir(parents=True)
    (scripts / ".venv").symlink_to(".venvs/some")
    program.write_text('#!/bin/sh\necho "asked: $*"\nif [ "$1" = nonsense ]; then echo "no command" >&2; exit 2; fi\n')
    program.chmod(0o755)
    done = run(scripts, "scripts/miner", "evolve", "--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, "asked: evolve --help\n", "")
    done = run(scripts, "scripts/miner", "nonsense", "--help")
    assert (done.returncode, done.stderr) == (2, "no command\n")
    program.write_text('#!/bin/sh\necho "ImportError" >&2\nexit 1\n')  # the sources have gone on
    done = run(scripts, "scripts/miner", "evolve", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "scripts/miner COMMAND" in done.stdout
    done = run(scripts, "scripts/miner", "evolve")
    assert done.returncode == 1
    assert "/nowhere/python not found" in done.stderr


@pytest.mark.parametrize(("script", "app"), [("agent", agent), ("miner", miner)])
def test_the_comment_of_a_program_names_all_its_commands(script: str, app: typer.Typer) -> None:
    comment = " ".join(re.findall(r"^#.*", (SCRIPTS / script).read_text(), re.M))
    group: Any = typer.main.get_command(app)
    commands = set(group.commands)
    assert len(commands) > 10
    assert commands <= set(re.findall(r"\w+", comment))
