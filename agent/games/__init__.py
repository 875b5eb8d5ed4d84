"""The rule sheets that are shipped with the package."""

from pathlib import Path

__all__ = ["bundled"]


def bundled() -> dict[str, Path]:
    """Return the files of the bundled rule sheets by their names without `.kif`, sorted by name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*.kif"))}
