"""The environment of a run for env.json: versions, machine and time."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from gdl_miner.agent import _native
from gdl_miner.agent.version import program_version, version_of

_LIBRARIES = ("clingo", "deap", "lxml", "numpy", "pandas", "ray", "scipy")


def describe_environment(command: list[str]) -> dict[str, Any]:
    """Return versions, processor, machine, time and command line."""
    return {
        "command": command,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "version": program_version(),
        "python": platform.python_version(),
        "libraries": {name: version_of(name) for name in _LIBRARIES},
        "instruction_set": _native.chosen_instruction_set(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "executable": sys.executable,
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
