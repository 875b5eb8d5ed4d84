"""Things that some tests need and that a machine may lack; `--strict-skips` says which of them must be there."""

import os
from typing import Final, NoReturn

import pytest

__all__ = ["NEEDS", "STRICT", "skip_without"]

NEEDS: Final = ("chromium", "corpus", "docs")
STRICT: Final = "GDL_MINER_STRICT_SKIPS"  # environment variable in which the option reaches all test processes


def skip_without(need: str, reason: str) -> NoReturn:
    """Skip the calling test because something in NEEDS is not there; fail it where that must be there."""
    if need in os.environ.get(STRICT, "").split(","):
        pytest.fail(f"{reason} (--strict-skips)", pytrace=False)
    pytest.skip(reason)
