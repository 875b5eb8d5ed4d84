"""What the source distribution and the wheel hold, and a stranger's session with nothing but what the wheel holds."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl_miner.agent import _native

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DATA = {
    ".css",
    ".html",
    ".js",
    ".json",
    ".kif",
    ".npy",
    ".py",
    ".pyi",
    ".toml",
    ".typed",
    ".xml",
    ".xsd",
}  # suffixes of what a wheel holds
MOST_OF_SDIST = 2 << 20  # bytes


def built(kind: str, folder: Path) -> Path:
    """A distribution, made as pip makes it; the native module, which takes minutes, is left out."""
    settings = {"wheel.cmake": "false", "wheel.py-api": ""}
    build = f"from scikit_build_core.build import {kind} as build; print(build({str(folder)!r}, {settings}))"
    ended = subprocess.run([sys.executable, "-c", build], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder / ended.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("build_wheel", tmp_path_factory.mktemp("wheel"))


def tracked(*folders: str) -> set[str]:
    """The files of the repository in some folders."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this is no clone of the repository")
    return set(listed.stdout.split())


def packaged() -> Iterator[str]:
    """The files of the package that an installation has a use for."""
    for path in tracked("agent", "miner", "cluster", "api", "configs"):
        if not path.startswith("agent/native/") and Path(path).suffix in DATA - {".yaml"}:
            yield f"gdl_miner/{path}"
    yield from ("gdl_miner/__init__.py", "gdl_miner/__main__.py", "gdl_miner/py.typed")


def test_the_source_distribution_has_what_a_build_needs_and_no_more(tmp_path: Path) -> None:
    path = built("build_sdist", tmp_path)
    with tarfile.open(path) as archive:
        files = {member.name.partition("/")[2] for member in archive if member.isfile()}
        assert not any(member.issym() or member.islnk() for member in archive)
    assert path.stat().st_size < MOST_OF_SDIST
    beside = {"CHANGELOG.md", "CMakeLists.txt", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert beside <= files
    assert tracked("agent/native") <= files
    assert set(packaged()) <= files
    others = files - beside - tracked("agent/native") - set(packaged())
    assert {Path(name).name for name in others} <= {"README.md"}


def test_the_wheel_has_the_package_with_its_data_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        [entry_points] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        text = archive.read(entry_points).decode()
    assert set(packaged()) <= files
    assert {Path(name).name for name in files - set(packaged())} <= {"README.md"}
    for program in PROJECT["project"]["scripts"]:
        assert f"{program} = gdl_miner.{program}.__main__:main" in text.replace("=", " = ").replace("  ", " ")


@pytest.mark.slow
def test_a_stranger_plays_searches_and_learns_where_he_stands(wheel: Path, tmp_path: Path) -> None:
    """The files of the wheel, with the native module of these sources, are found before those of the checkout."""
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    module = Path(_native.__file__)
    (site / "gdl_miner/agent" / module.name).symlink_to(module)
    # Without the module `site`, no file *.pth leads to the checkout.
    python = [sys.executable, "-S"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), sysconfig.get_paths()["purelib"]])}
    commands = [
        ["-c", "import gdl_miner; print(gdl_miner.__file__)"],
        *(command.split()[1:] for command in PROJECT["tool"]["cibuildwheel"]["test-command"]),
        ["-m", "gdl_miner.miner", "export", "BEST", "--game", "tictactoe.ext", "--html", "page.html"],
    ]
    said = []
    for command in commands:
        best = [str(path) for path in here.glob("results/*/*/best.xml")]
        words = [best[0] if word == "BEST" else word for word in command]
        call = [*python, *words]
        ended = subprocess.run(call, cwd=here, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, (words, ended.stderr)
        said.append(ended.stdout)
    assert said[0] == f"{site}/gdl_miner/__init__.py\n"
    assert {path.name for path in here.iterdir()} == {"results", "page.html"}
    [run] = here.glob("results/tictactoe.ext/*")
    assert {"best.xml", "steps.csv", "report.html"} < {path.name for path in run.iterdir()}
    assert re.search(rf"best knowledge: results/tictactoe.ext/{run.name}/best.xml", said[-2])
