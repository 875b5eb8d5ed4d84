"""The cache of circuits on disk, keyed by the digest of the rules and the version of the compiler.

An entry is a line with the SHA-256 of the rest, then a line of JSON with the names, then the arrays (npz). A damaged
entry counts as absent and is written anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import clingo
import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import FORMAT_VERSION, Circuit

_ARRAYS = tuple(field.name for field in fields(Circuit) if field.type in ("Ints", "Literals", "Bytes"))
_NAMES = ("roles", "fluents", "moves", "never")
_SCALARS = tuple(field.name for field in fields(Circuit) if field.name not in _ARRAYS + _NAMES)
COMPILER = ("circuit", "clingo_process", "compile", "grounding", "normal_form", "prepare", "rewriting")


@cache
def compiler_version() -> str:
    """Return a digest of everything besides the rules that determines a circuit: the compiler's code and the grounder.

    The code of the compiler is the Python modules in COMPILER and the native module.
    """
    digest = hashlib.sha256(f"{FORMAT_VERSION} clingo {clingo.__version__}".encode())
    for file in (*(Path(__file__).with_name(f"{module}.py") for module in COMPILER), Path(_native.__file__)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def cache_folder() -> Path:
    """Return the folder of cached circuits: ``$XDG_CACHE_HOME/gdl-miner`` or ``~/.cache/gdl-miner``."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(root) if Path(root).is_absolute() else Path.home() / ".cache") / "gdl-miner"


def entry_path(rules_digest: str) -> Path:
    """Return the file of the circuit of the rules with this digest."""
    return cache_folder() / f"{rules_digest[:32]}-{compiler_version()[:16]}.circuit"


def load(rules_digest: str) -> Circuit | None:
    """Return the cached circuit of some rules, None if the cache has no valid one."""
    try:
        content = entry_path(rules_digest).read_bytes()
        checksum, _, rest = content.partition(b"\n")
        if hashlib.sha256(rest).hexdigest().encode() != checksum:
            return None
        circuit = _decoded(rest)
        _native.check_circuit(circuit)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return circuit if circuit.rules_digest == rules_digest else None


def store(circuit: Circuit) -> None:
    """Write a circuit to the cache, completely or not at all. Raises OSError if the folder cannot be written."""
    path = entry_path(circuit.rules_digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    rest = _encoded(circuit)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _encoded(circuit: Circuit) -> bytes:
    names = {field: getattr(circuit, field) for field in _SCALARS + _NAMES}
    arrays = io.BytesIO()
    np.savez(arrays, allow_pickle=False, **{field: getattr(circuit, field) for field in _ARRAYS})
    return json.dumps(names).encode() + b"\n" + arrays.getvalue()


def _decoded(content: bytes) -> Circuit:
    names, _, arrays = content.partition(b"\n")
    fields: dict[str, Any] = json.loads(names)
    fields.update({field: tuple(fields[field]) for field in _NAMES})
    with np.load(io.BytesIO(arrays), allow_pickle=False) as loaded:
        fields.update({field: loaded[field] for field in _ARRAYS})
    return Circuit(**fields)
