"""JSON files that hold one object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from gdl_miner.agent.errors import ConfigError, why_unreadable
from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.reading import read_bounded


def read_object(path: Path, advice: str, shape: type[BaseModel] | None = None) -> dict[str, Any]:
    """Return the object in a JSON file, which is of the shape given.

    `advice` says what to do where the file is missing or damaged, which raises ConfigError.
    """
    try:
        value = json.loads(read_bounded(path))
        if isinstance(value, dict) and shape is not None:
            shape.model_validate(value)
    except FileNotFoundError:
        raise ConfigError(f"{path}: the file is missing; {advice}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; {advice}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}; {advice}") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: an object is expected; {advice}")
    return value


def write_object(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON file; after a crash either the old or the new content is there, whole."""
    replace_file(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def first_difference(had: object, given: object, place: str = "") -> tuple[str, str, str]:
    """Return where two different JSON values first differ, as dotted keys, and what each has there, cut where long.

    The place is empty where the values themselves differ, and a value is `missing` where there is none.
    """
    if isinstance(had, dict) and isinstance(given, dict):
        for key in dict.fromkeys((*had, *given)):
            below = f"{place}.{key}" if place else str(key)
            if key not in had or key not in given:
                return below, _shown(had, key), _shown(given, key)
            if had[key] != given[key]:
                return first_difference(had[key], given[key], below)
    return place, _short(had), _short(given)


def _shown(values: dict[str, Any], key: str) -> str:
    return _short(values[key]) if key in values else "missing"


def _short(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False):.60}"
