"""Values as JSON with arrays beside it, and back by their types: a journal of results holds data and no code.

A type is made of dataclasses, named tuples, tuples, mappings, literals, unions, numbers, texts, bytes and arrays. A
dataclass or named tuple becomes an object that names its class, so that a field may hold any subclass of its type. Only
classes that the expected type reaches are ever made.
"""

from __future__ import annotations

import base64
import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

_CLASS, _ARRAY, _BYTES = "class", "array", "bytes"
_PLAIN: tuple[type, ...] = (bool, int, float, str)


def to_json(value: object, arrays: list[NDArray[Any]]) -> Any:
    """Return a JSON value, and append the arrays that it names by their numbers. Raises TypeError for other values."""
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}
    if isinstance(value, np.generic):
        return to_json(value.item(), arrays)
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if (names := _fields_of(type(value))) is not None:
        return {_CLASS: type(value).__qualname__, **{name: to_json(getattr(value, name), arrays) for name in names}}
    if isinstance(value, Mapping):
        return [[to_json(key, arrays), to_json(entry, arrays)] for key, entry in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(entry, arrays) for entry in value]
    raise TypeError(
        f"a {type(value).__name__} is no data; use dataclasses, tuples, mappings, numbers, texts and arrays"
    )


def from_json(found: Any, expected: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return the value of the expected type. Raises ValueError, which says what does not fit, and where."""
    try:
        return _read(found, expected, arrays)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{_name(expected)}: {type(error).__name__}: {error}") from None


def digest_of(value: object) -> str:
    """Return a short hash of a value, equal for equal data."""
    arrays: list[NDArray[Any]] = []
    text = json.dumps(to_json(value, arrays), separators=(",", ":"))
    hashed = sha256(text.encode())
    for array in arrays:
        hashed.update(f"{array.dtype.str}{array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()[:16]


def _fields_of(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass or named tuple; None for other types.

    A field that does not count in comparisons, such as the place in a file that a value was read from, is no data.
    """
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.init and field.compare)
    named: tuple[str, ...] | None = getattr(kind, "_fields", None) if issubclass(kind, tuple) else None
    return named


def _read(found: Any, expected: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    expected = _without_alias(expected)
    origin, parts = get_origin(expected), get_args(expected)
    if expected is None or expected is type(None):
        return _checked(found, found is None, expected)
    if expected in _PLAIN:
        fits = type(found) is expected or (expected is float and type(found) is int)
        return _checked(found, fits, expected)
    if origin is Literal:
        return _checked(found, found in parts, expected)
    if origin in (Union, types.UnionType):
        return _read_one_of(found, parts, arrays)
    if origin is np.ndarray or expected is np.ndarray:
        return _read_array(found, expected, arrays)
    if expected is bytes:
        return base64.b64decode(found[_BYTES], validate=True)
    if isinstance(origin or expected, type):
        kind: type = origin or expected
        if issubclass(kind, tuple) and _fields_of(kind) is None:
            return _read_tuple(found, parts, arrays)
        if issubclass(kind, Mapping) and not isinstance(found, dict):
            entries = _checked(found, isinstance(found, list), expected)
            return {_read(key, parts[0], arrays): _read(entry, parts[1], arrays) for key, entry in entries}
        if issubclass(kind, Sequence) and _fields_of(kind) is None:
            return tuple(_read(entry, parts[0], arrays) for entry in _checked(found, isinstance(found, list), expected))
        return _read_object(found, kind, arrays)
    raise TypeError(f"the type {expected!r} cannot be read from JSON")


def _without_alias(expected: Any) -> Any:
    """Return what a type alias stands for; NDArray is one from NumPy 2.5 on."""
    alias = getattr(get_origin(expected) or expected, "__value__", None)
    if alias is None or isinstance(expected, type):
        return expected
    return alias[get_args(expected)] if get_args(expected) else alias


def _checked(found: Any, fits: bool, expected: Any) -> Any:
    if not fits:
        raise ValueError(f"{str(found)[:40]!r} is no {_name(expected)}")
    return found


def _read_one_of(found: Any, kinds: Sequence[Any], arrays: Sequence[NDArray[Any]]) -> Any:
    """Return the value of the first type of a union that it fits."""
    problems = []
    for kind in kinds:
        try:
            return _read(found, kind, arrays)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            problems.append(str(error))
    raise ValueError("; ".join(problems))


def _read_array(found: Any, expected: Any, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    array: NDArray[Any] = arrays[found[_ARRAY]]
    for of_array in get_args(expected)[1:]:  # NDArray[T] is ndarray[shape, dtype[T]]
        [scalar] = get_args(of_array)
        if isinstance(scalar, type) and array.dtype != np.dtype(scalar):
            raise ValueError(f"an array of {array.dtype} is none of {scalar.__name__}")
    return array


def _read_tuple(found: Any, parts: tuple[Any, ...], arrays: Sequence[NDArray[Any]]) -> tuple[Any, ...]:
    entries = _checked(found, isinstance(found, list), tuple)
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(_read(entry, parts[0], arrays) for entry in entries)
    if len(entries) != len(parts):
        raise ValueError(f"{len(entries)} entries where {len(parts)} are expected")
    return tuple(_read(entry, part, arrays) for entry, part in zip(entries, parts, strict=True))


def _read_object(found: Any, kind: type, arrays: Sequence[NDArray[Any]]) -> Any:
    """Return an object of a class, or of the subclass that the JSON object names."""
    named = _checked(found, isinstance(found, dict), kind)[_CLASS]
    made = _family(kind).get(named)
    if made is None:  # perhaps a class of a package that was loaded after others were read
        _family.cache_clear()
        made = _family(kind).get(named)
    if made is None:
        raise ValueError(f"{named!r} is no {kind.__name__}")
    hints = _hints(made)
    return made(**{name: _read(found[name], hints[name], arrays) for name in _fields_of(made) or ()})


@cache
def _family(kind: Any) -> dict[str, type]:
    """Return a class and its subclasses by name, as far as they are dataclasses or named tuples."""
    family = {kind.__qualname__: kind} if _fields_of(kind) is not None else {}
    for derived in kind.__subclasses__():
        family |= _family(derived)
    return family


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _name(expected: Any) -> str:
    return getattr(expected, "__qualname__", None) or str(expected)
