"""Which version of this program runs."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["program_version", "version_of"]


def program_version() -> str:
    """The version of this program; `source` where it runs uninstalled."""
    return version_of("gdl-miner") or "source"


def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
