"""What runs in the processes of workers. Ray sends this code itself, so that machines whose code is another say so.

The results of tasks depend on the code that does them. Each process compares its code with the driver's before its
first task; the name of the driver's stands for it.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import platform
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import ray

_LIBRARIES = ("clingo", "deap", "lxml", "numpy", "pandas", "pydantic", "ray", "scipy")
_MISSING = "missing"

Code: TypeAlias = Mapping[str, str]  # Python files by path, libraries by name, and others; digests and versions

_known: dict[str, Code] = {}  # the code of this process, by its name


@ray.remote(num_cpus=1, max_retries=0)
def perform(work: Callable[..., Any], code: str, limit_s: float, payload: Any, *values: Any) -> tuple[Any, Any]:
    """Do the work in a worker and return it beside None; where its code is another, return what `describe` gives.

    The worker ends with a traceback in its log if the work takes longer than the limit. Ray's cancellation interrupts
    Python code only, and may not reach a worker at all. The limit works without the help of the code that hangs.
    """
    if not _known:
        here = code_here()
        _known[name_of(here)] = here
    if code not in _known:
        return describe_node(next(iter(_known.values()))), None
    faulthandler.dump_traceback_later(limit_s, exit=True, file=sys.stderr)
    try:
        return None, work(*values, payload)
    finally:
        faulthandler.cancel_dump_traceback_later()


@ray.remote(num_cpus=0, max_retries=0)
def look_at_code() -> tuple[str, Code]:
    """Return the id of this node, and the code that its processes run."""
    return describe_node(code_here())


def describe_node(code: Code) -> tuple[str, Code]:
    """Return the id of this node beside the code."""
    return str(ray.get_runtime_context().get_node_id()), code


def code_here() -> Code:
    """Return what decides results in this process: Python, libraries, the native module and the package's files."""
    found = {"Python": platform.python_version()}
    named = entry_points()
    groups = [named.select(group=group) for group in named.groups if group.startswith("gdl_miner")]
    extensions = {entry.dist.name for entries in groups for entry in entries if entry.dist}
    for name in (*_LIBRARIES, *sorted(extensions)):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _MISSING
    try:
        package = importlib.import_module("gdl_miner").__path__[0]
        found["the native module"] = importlib.import_module("gdl_miner.agent._native").sources
    except (ImportError, AttributeError) as error:
        found["the package gdl_miner"] = f"not to be used: {error}"
        return found
    for folder, folders, files in os.walk(package, followlinks=True):
        folders[:] = [each for each in folders if each not in ("__pycache__", "native")]
        for path in (Path(folder, each) for each in files if each.endswith(".py")):
            found[str(path.relative_to(package))] = sha256(path.read_bytes()).hexdigest()
    return found


def name_of(code: Code) -> str:
    """Return a digest that stands for the code."""
    return sha256(repr(sorted(code.items())).encode()).hexdigest()


def differences(there: Code, here: Code) -> str:
    """Return in words how the code of another machine differs from the code here; it is empty where they agree."""
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    files = sorted(name for name in names if name.endswith(".py"))
    said = [_difference(name, there, here) for name in names if name not in files]
    if files and "the package gdl_miner" not in there:
        more = f" and {len(files) - 3} more files" if len(files) > 3 else ""
        said.append(f"other contents of {', '.join(files[:3])}{more}")
    return ", ".join(each for each in said if each)


def _difference(name: str, there: Code, here: Code) -> str:
    if name == "the native module":
        return "" if name not in there else "a native module of other sources"
    if name == "the package gdl_miner":
        return f"{name} is {there[name]}" if name in there else ""
    return f"{name} {there.get(name, _MISSING)} in place of {here.get(name, _MISSING)}"


_send_itself: Callable[[ModuleType], None] = ray.cloudpickle.register_pickle_by_value  # without annotations in Ray
_send_itself(sys.modules[__name__])
