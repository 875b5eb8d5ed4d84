"""Extensions of the program by other packages: entry points name them, and the first use loads them."""

from importlib.metadata import entry_points
from typing import Any

from gdl_miner.agent.errors import ConfigError


def extension_names(group: str) -> tuple[str, ...]:
    """Return the names of the entry points of a group, in alphabetical order."""
    return tuple(sorted({each.name for each in entry_points(group=group)}))


def load_extension(group: str, name: str) -> tuple[Any, str]:
    """Return what the entry point of a group with this name stands for, and where it is (`module:attribute`).

    Raises ConfigError where its package cannot be loaded.
    """
    [entry, *_] = (each for each in entry_points(group=group) if each.name == name)
    try:
        return entry.load(), entry.value
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{name}: {entry.value} cannot be loaded ({error}); mend or uninstall its package") from None
