"""Versions of this program and of the packages it uses."""

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """Return the version of this program, `source` if it runs uninstalled."""
    return version_of("gdl-miner") or "source"


def version_of(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
