"""Packages with entry points, as an installation leaves them in a folder: their modules and what describes them."""

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def describe(folder: Path, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Write the description of an installed package."""
    described = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = list[str]()
    for group, of in entry_points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in of.items())]
    (described / "entry_points.txt").write_text("\n".join(lines))


def make_package(folder: Path, name: str, kind: str, entry: str, source: str, version: str = "1.0") -> None:
    """Make and install a package of one module, `name`, with one entry point of a kind, such as `learner`."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    describe(folder, name, version, {f"gdl_miner.{kind}s": {entry: f"{name}:THING"}})


def install_example(example: str, folder: Path) -> None:
    """Install an example into a folder, without a network and without a build."""
    project = tomllib.loads((EXAMPLES / example / "pyproject.toml").read_text())["project"]
    for module in (EXAMPLES / example).glob("*.py"):
        folder.mkdir(exist_ok=True)
        shutil.copy(module, folder)
    describe(folder, project["name"], project["version"], project["entry-points"])
