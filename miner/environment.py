"""Where a run took place: versions, machine and time, for env.json."""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agent import _native

__all__ = ["describe_environment", "program_version"]

_LIBRARIES = ("clingo", "deap", "lxml", "numpy", "pandas", "ray", "scipy")


def program_version() -> str:
    """The version of this program; `source` where it runs uninstalled."""
    return _version("gdl-miner") or "source"


def describe_environment(command: list[str]) -> dict[str, Any]:
    """Versions, processor, machine, time and command line."""
    return {
        "command": command,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "version": program_version(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
        "instruction_set": _native.chosen_instruction_set(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "executable": sys.executable,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
