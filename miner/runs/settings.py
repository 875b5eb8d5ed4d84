"""Configurations, which are read once from TOML, checked and frozen, with the sections that every learning method has.

A file only says what differs from the defaults of its learning method, which are in the shipped configuration `default`
and, for sections that no other method has, in one of the method's own. The other shipped configurations do the same.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from gdl_miner.agent.errors import ConfigError, why_unreadable
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_SECONDS
from gdl_miner.agent.reading import read_bounded
from gdl_miner.miner.mining.config import MiningConfig

_MAX_BYTES = 1 << 20  # of a configuration

Model = TypeVar("Model", bound="Settings")


def _mining_config(value: object) -> object:
    """Return the mining configuration of a TOML table. Raises ValueError on unknown keys and impossible values."""
    if not isinstance(value, dict):
        return value
    _refuse_unknown(value, MiningConfig())
    try:
        return TypeAdapter(MiningConfig).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}, not {_shown(first['input'])}") from None
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _refuse_unknown(values: dict[str, Any], known: Any) -> None:
    """Raise ValueError where `values` has, at any depth, a key that the dataclass value `known` does not have."""
    names = [each.name for each in fields(known)]
    for key, value in values.items():
        if key not in names:
            raise ValueError(f"there is no key {key}; known here: {', '.join(names)}")
        if isinstance(value, dict):
            _refuse_unknown(value, getattr(known, key))


MiningTable: TypeAlias = Annotated[MiningConfig, BeforeValidator(_mining_config)]


class Settings(BaseModel):
    """A table of a configuration: every key is known and has the right type, and no value changes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    defaults: ClassVar[tuple[str, ...]] = ("default",)
    """The shipped configurations that complete one of a learning method."""


class SearchSettings(Settings):
    """Settings of the players' searches; the baseline is bare UCT."""

    playouts: int = Field(ge=1, le=MAX_PLAYOUTS)
    playouts_without_knowledge: int = Field(ge=1, le=MAX_PLAYOUTS)
    equal: Literal["work", "playouts"]
    handicap: float = Field(gt=0, le=10)
    uct_c: Literal["tuned"] | Annotated[float, Field(ge=0, le=MAX_FACTOR)]
    tuning_matches: float = Field(ge=2, le=MAX_COUNT)
    expansions: float = Field(gt=0, le=MAX_FACTOR)
    max_states: int = Field(ge=0, le=10 * MAX_PLAYOUTS)

    @property
    def baseline_playouts(self) -> int:
        """The number of playouts per move of the baseline."""
        return max(1, round(self.handicap * self.playouts))

    def check_depth(self, times: float, key: str, without: str) -> None:
        """Raise ValueError where so many times the playouts, as a key says, are more than a search may have.

        `without` is a setting with which there are no such searches.
        """
        if (playouts := times * self.playouts) > MAX_PLAYOUTS:
            raise ValueError(
                f"{key} makes {playouts:,.0f} playouts of search.playouts, and {MAX_PLAYOUTS:,} are possible; "
                f"lower one of them, or set {without}"
            )

    def deeper(self, times: float) -> SearchSettings:
        """Return the same settings for so many times the playouts, at least 1."""
        return self.model_copy(update={"playouts": round(times * self.playouts)})


class RecordSettings(Settings):
    """Settings of how match records are used and written."""

    generations_mined: int = Field(ge=1, le=999)
    matches_written: int = Field(ge=0, le=MAX_COUNT)


class PruningSettings(Settings):
    """The search for the smallest part of the best player's features that is not weaker than all of them."""

    matches: int = Field(ge=0, le=MAX_COUNT)  # most matches of a size against the whole; 0: nothing is pruned
    elo: float = Field(gt=0, le=1000)
    positions: int = Field(ge=10, le=MAX_COUNT)


class AcceptanceSettings(Settings):
    """The tests that a part of the best player must pass, beside what it begins with."""

    matches: int = Field(ge=0, le=MAX_COUNT)  # most matches of each test; 0: there are none
    elo: float = Field(gt=0, le=1000)
    depth: float = Field(ge=1, le=1000)


class LongSearchSettings(Settings):
    """The trial in long searches of values that are used alone."""

    playouts: int = Field(ge=0, le=MAX_PLAYOUTS)
    matches: int = Field(ge=1, le=MAX_COUNT)
    share: float = Field(gt=0, le=MAX_FACTOR)


class ExecutionSettings(Settings):
    """Settings of how the work is cut into tasks; none of them changes a result."""

    matches_per_task: int = Field(ge=1, le=MAX_COUNT)
    deadline_s: float = Field(gt=0, le=MAX_SECONDS)


class LearnerSettings(Protocol):
    """The part of a configuration that a run reads, for every learning method.

    A configuration is a `Settings` with these and the method's own sections; it decides everything in a run besides the
    game.
    """

    @property
    def seed(self) -> int:
        """The seed from which every random decision of the run follows."""

    @property
    def search(self) -> SearchSettings:
        """Settings of the players' searches."""

    @property
    def records(self) -> RecordSettings:
        """Settings of how match records are used and written."""

    @property
    def mining(self) -> MiningConfig:
        """Settings of how features are counted, fitted and backed with itemsets."""

    @property
    def execution(self) -> ExecutionSettings:
        """Settings of how the work is cut into tasks."""

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return the configuration with some settings changed."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the configuration as a JSON value (mode "json")."""

    def model_dump_json(self, *, exclude: set[str]) -> str:
        """Return the configuration as JSON text, without the sections in `exclude`."""


def shipped_configs() -> tuple[str, ...]:
    """Return the names of the configurations in the package."""
    return tuple(
        sorted(
            entry.name.removesuffix(".toml")
            for entry in files("gdl_miner.configs").iterdir()
            if entry.name.endswith(".toml")
        )
    )


def read_settings(
    model: type[Model],
    name_or_path: str,
    changes: dict[str, dict[str, Any]] | None = None,
    beside: Sequence[type[Settings]] = (),
) -> Model:
    """Read a shipped configuration by name or a file by path, and complete it.

    Missing values come from `model.defaults`; `changes` (section, key, value) replace values of both. The shipped
    configurations serve all learning methods, so their sections for other methods are left out, and so are in a file
    those that only models `beside` this one know. Raises ConfigError with file, line and key where something else is
    unknown or impossible; what is wrong in `changes` is in no file.
    """
    merged: dict[str, Any] = {}
    for name in model.defaults:
        merged = _merge(merged, _known(model, _read(name)[0]))
    values, place, text = _read(name_or_path)
    others = {key for each in beside for key in each.model_fields} - set(model.model_fields)
    values = {key: value for key, value in values.items() if key not in others}
    try:
        merged = _merge(merged, _known(model, values) if name_or_path in shipped_configs() else values)
        for section, entries in (changes or {}).items():
            merged = _merge(merged, entries if section == "" else {section: entries})
        return model.model_validate(merged)
    except RecursionError:
        raise ConfigError(f"{place}: keys with thousands of dots; mend them") from None
    except ValidationError as error:
        changed = {section: entries for section, entries in (changes or {}).items() if section} | (changes or {}).get(
            "", {}
        )
        said = [
            _explain(model, *(("changes", "") if _has(changed, entry["loc"]) else (place, text)), entry)
            for entry in error.errors()
        ]
        raise ConfigError("\n".join(said)) from None


def read_sections(model: type[Settings], name_or_path: str) -> dict[str, dict[str, Any]]:
    """Return the sections of a shipped configuration or a file as they are written there, unchecked.

    The sections of a shipped configuration for other methods are left out. Raises ConfigError where there is no such
    configuration.
    """
    values, _, _ = _read(name_or_path)
    known = _known(model, values) if name_or_path in shipped_configs() else values
    return {name: section for name, section in known.items() if isinstance(section, dict)}


def _read(name_or_path: str) -> tuple[dict[str, Any], str, str]:
    """Return the content of a configuration, its place for messages, and its text."""
    place, text = _locate(name_or_path)
    try:
        return tomllib.loads(text), place, text
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place}: this is no valid TOML: {error}; mend the line") from None
    except RecursionError:
        lines = text.splitlines()
        deepest = max(range(len(lines)), key=lambda number: lines[number].count("[") + lines[number].count("{"))
        raise ConfigError(f"{place}:{deepest + 1}: this is nested too deeply; mend the line") from None
    except ValueError:  # of Python, which reads no integer of thousands of digits
        longest = max(re.finditer("[0-9_]+", text), key=lambda found: len(found[0]))
        line = text.count("\n", 0, longest.start()) + 1
        raise ConfigError(f"{place}:{line}: a number of {len(longest[0])} digits; mend the line") from None


def _locate(name_or_path: str) -> tuple[str, str]:
    if name_or_path in shipped_configs():
        resource = files("gdl_miner.configs") / f"{name_or_path}.toml"
        return str(resource), resource.read_text("utf-8")
    path = Path(name_or_path)
    try:
        return str(path), read_bounded(path, _MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        near = difflib.get_close_matches(name_or_path, shipped_configs(), 1)
        advice = f"did you mean {near[0]}?" if near else f"give a file, or one of {', '.join(shipped_configs())}"
        raise ConfigError(f"{name_or_path}: there is no such configuration; {advice}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{name_or_path}: the configuration cannot be read ({why_unreadable(error)}); give a readable TOML file"
        ) from None


def _known(model: type[Settings], values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key in model.model_fields}


def _has(values: Any, path: Sequence[int | str]) -> bool:
    """Return whether nested tables say something of a path, or have a value where it has keys."""
    for key in path:
        if not isinstance(values, dict):
            return True
        if key not in values:
            return False
        values = values[key]
    return bool(path)


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def parse_settings(model: type[Model], value: object) -> Model:
    """Return the settings in a JSON value of `model_dump`. Raises ValueError naming the first key that does not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _explain(model: type[Settings], place: str, text: str, error: Any) -> str:
    """Return `file:line: section.key: what is wrong; what to do` for one error of pydantic."""
    path = [str(part) for part in error["loc"]]
    key = ".".join(path[:2])
    line = _line_of(text, path)
    where = f"{place}:{line}" if line else place
    if error["type"] == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        near = difflib.get_close_matches(path[-1], known, 1)
        advice = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
        return f"{where}: {key}: there is no such key; {advice}"
    if error["type"] in ("model_type", "dataclass_type") and not text:
        return f"{where}: {key}: a section, not a value; give a dictionary of its keys"
    if error["type"] in ("model_type", "dataclass_type"):
        return f"{where}: {key}: a section, not a value; write [{key}], and its keys in the lines below it"
    what = str(error["msg"]).removeprefix("Value error, ")
    what = what[:1].lower() + what[1:]
    return (
        f"{where}: {key}: {what} (it is {_shown(error['input'])})"
        if not isinstance(error["input"], dict)
        else (f"{where}: {key}: {what}" if key else f"{where}: {what}")
    )


def _shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # of Python, which writes no integer of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 200 else f"{text[:200]}…"


def _known_keys(model: type[Settings], path: list[str]) -> list[str]:
    found: Any = model
    for part in path:
        found = found.model_fields[part].annotation
    return list(found.model_fields)


def _line_of(text: str, path: list[str]) -> int | None:
    """Return the line in which a file sets `path` (section, key); None where it does not."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]").strip()
            if [section] == path:
                return number
        elif "=" in stripped:
            name = stripped.partition("=")[0].strip().strip('"')
            if [*filter(None, [section]), name] == path[:2]:
                return number
    return None
