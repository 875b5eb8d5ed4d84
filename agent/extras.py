"""The extras of the package: which libraries each brings, and what to say where one of them is not installed.

The core plays, searches and evaluates. All else needs libraries of an extra, as in `pip install 'gdl-miner[learn]'`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from gdl_miner.agent.errors import ConfigError

_MODULES = {
    "learn": ("deap", "pandas", "scipy"),
    "cluster": ("ray", "yaml"),
    "serve": ("aiohttp",),
    "plots": ("matplotlib",),
    "tracking": ("mlflow",),
    "gymnasium": ("gymnasium",),
    "pettingzoo": ("pettingzoo",),
    "openspiel": ("pyspiel",),
}


def is_installed(extra: str) -> bool:
    """Whether all libraries of an extra are there; none is imported."""
    return all(find_spec(module) is not None for module in _MODULES[extra])


def check_extra(extra: str, what: str) -> None:
    """Raise ConfigError where a library of an extra is not installed; `what` names the thing that needs it."""
    for module in _MODULES[extra]:
        if find_spec(module) is None:
            raise ConfigError(f"{what}: {_advice(module, extra)}")


@contextmanager
def named_extra(what: str, extra: str | None = None) -> Iterator[None]:
    """Raise ConfigError in place of the error of an import in the block that lacks a library of an extra.

    `what` names the thing that needs it, and `extra` is to be installed; by default the one that has the library.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        brings = [name for name, modules in _MODULES.items() if module in modules]
        if not brings:
            raise
        raise ConfigError(f"{what}: {_advice(module, extra or brings[0])}") from None


def _advice(module: str, extra: str) -> str:
    return (
        f"{module} is not installed; pip install 'gdl-miner[{extra}]' brings it (in a checkout: scripts/setup {extra})"
    )
