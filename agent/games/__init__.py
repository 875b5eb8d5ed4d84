"""Our own rule sheets, shipped with the package."""

from pathlib import Path

__all__ = ["bundled"]


def bundled() -> dict[str, Path]:
    """Return the bundled rule sheets: name without `.kif` to file, sorted by name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*.kif"))}
