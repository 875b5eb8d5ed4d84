"""Plug-ins: what other packages add to the program. Entry points name it, and the first use loads it.

An entry point stands in the `pyproject.toml` of a package, in the table of its kind:

    [project.entry-points."gdl_miner.features"]
    FeatureCrowd = "crowd:FeatureCrowd"

Nothing is loaded before a configuration, a file or a command names it, so a package that is broken costs only those
who use it (docs/extending.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gdl_miner.agent.errors import ConfigError

PluginKind: TypeAlias = Literal["learner", "feature", "metafact", "evaluator", "opponent"]

GROUPS: dict[PluginKind, str] = {
    "learner": "gdl_miner.learners",
    "feature": "gdl_miner.features",
    "metafact": "gdl_miner.metafacts",
    "evaluator": "gdl_miner.evaluators",
    "opponent": "gdl_miner.opponents",
}
"""The groups of entry points, by the kind of what they name."""

_DIGITS = 12  # of a digest


@dataclass(frozen=True)
class Plugin:
    """An entry point of another package."""

    kind: PluginKind
    name: str
    place: str  # `module:attribute`
    package: str  # the distribution that has it
    version: str  # of the distribution
    _entry: EntryPoint = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.name} of {self.package} {self.version}"

    @property
    def digest(self) -> str:
        """A hash of the sources of its top-level module, 12 digits; empty where they are not Python files."""
        return _digest_of(self.place.partition(":")[0].partition(".")[0])

    def record(self) -> dict[str, str]:
        """Return what results say of the plug-in: its kind, name, package, version and a digest of its sources."""
        found = {"kind": self.kind, "name": self.name, "package": self.package, "version": self.version}
        return {**found, "digest": self.digest}

    def load(self) -> Any:
        """Return what the entry point stands for. Raises ConfigError where that fails, for whatever reason."""
        try:
            return self._entry.load()
        except (Exception, SystemExit) as error:  # whatever the code of others raises at its import
            said = ": ".join(filter(None, (type(error).__name__, str(error).strip().partition("\n")[0])))
            raise self.refused(f"cannot be loaded ({said})") from None

    def refused(self, why: str) -> ConfigError:
        """Return the error that says what is wrong with the plug-in, and where it is."""
        return ConfigError(
            f"{self.package} {self.version}: the {self.kind} {self.name} ({self.place}) {why}; "
            f"mend {self.package}, or uninstall it"
        )


def installed_plugins(kind: PluginKind) -> tuple[Plugin, ...]:
    """Return all plug-ins of a kind that are installed, by name; none is loaded."""
    return _installed(kind, tuple((path, _changed(path)) for path in sys.path))


def plugin_names(kind: PluginKind) -> tuple[str, ...]:
    """Return the names of the plug-ins of a kind, in alphabetical order."""
    return tuple(dict.fromkeys(each.name for each in installed_plugins(kind)))


def plugin_named(kind: PluginKind, name: str) -> Plugin:
    """Return the plug-in of a kind with this name, unloaded.

    Raises ConfigError where there is none, or two packages have one.
    """
    found = [each for each in installed_plugins(kind) if each.name == name]
    if not found:
        known = ", ".join(plugin_names(kind)) or "none"
        raise ConfigError(
            f"{name}: no package that is installed has this {kind}; there are: {known}; see `miner plugins`"
        )
    if len(found) > 1:
        owners = " and ".join(f"{each.package} {each.version}" for each in found)
        raise ConfigError(f"{name}: {owners} both have a {kind} of this name; uninstall one of them")
    return found[0]


@lru_cache(maxsize=16)
def _installed(kind: PluginKind, paths: tuple[tuple[str, int], ...]) -> tuple[Plugin, ...]:
    """Return the plug-ins that packages in these paths have; looking through all packages takes milliseconds.

    Each path goes with the time of its last change, so that what is installed meanwhile is found.
    """
    found = []
    for entry in entry_points(group=GROUPS[kind]):
        package, version = (entry.dist.name, entry.dist.version) if entry.dist is not None else ("unknown", "")
        found.append(Plugin(kind, entry.name, entry.value, package, version, entry))
    return tuple(sorted(found, key=lambda each: (each.name, each.package)))


def _changed(path: str) -> int:
    """Return the time at which something was last put into a folder, 0 where there is none."""
    try:
        return Path(path or ".").stat().st_mtime_ns
    except OSError:
        return 0


def _digest_of(module: str) -> str:
    """Return a hash of the Python files of a module or package, which is not imported."""
    summed, any_file = sha256(), False
    for name, path in _sources(module):
        any_file = True
        summed.update(f"{name}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return summed.hexdigest()[:_DIGITS] if any_file else ""


def _sources(module: str) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of the Python files of a module or package, in the order of their names."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        for path in sorted(Path(folder).rglob("*.py")):
            yield path.relative_to(folder).as_posix(), path
    if not spec.submodule_search_locations and spec.origin is not None and spec.origin.endswith(".py"):
        yield Path(spec.origin).name, Path(spec.origin)
