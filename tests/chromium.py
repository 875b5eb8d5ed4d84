"""The browser that some tests drive."""

import shutil

from tests.needs import skip_without

__all__ = ["chromium"]

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """Return the path of the browser; skip the calling test if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), None) or skip_without("chromium", "no Chromium is installed")
