"""The configuration of a run: read once from TOML, checked, and frozen.

A file only says what differs from the shipped `default`; so do the other shipped ones, `quick`, `deep` and `thesis`.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from agent.errors import ConfigError, why_unreadable
from agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_SECONDS
from miner.learners.evolution.genome import GENOME, Genome
from miner.learners.evolution.population import Breeding
from miner.mining.config import MiningConfig

__all__ = [
    "EvolutionSettings",
    "ExecutionSettings",
    "RecordSettings",
    "RunConfig",
    "SearchSettings",
    "TeachingSettings",
    "TournamentSettings",
    "read_config",
    "shipped_configs",
]

GeneLimit: TypeAlias = bool | int | float | str | list[int | float] | list[str]


def _mining_config(value: object) -> object:
    """The mining configuration of a TOML table. Raises ValueError on unknown keys and impossible values."""
    if not isinstance(value, dict):
        return value
    _refuse_unknown(value, MiningConfig())
    try:
        return TypeAdapter(MiningConfig).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}, not {first['input']!r}") from None
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _refuse_unknown(values: dict[str, Any], known: Any) -> None:
    """Raises ValueError where `values` has a key that the dataclass value `known` has not, at any depth."""
    names = [each.name for each in fields(known)]
    for key, value in values.items():
        if key not in names:
            raise ValueError(f"there is no key {key}; known here: {', '.join(names)}")
        if isinstance(value, dict):
            _refuse_unknown(value, getattr(known, key))


MiningTable: TypeAlias = Annotated[MiningConfig, BeforeValidator(_mining_config)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class EvolutionSettings(_Settings):
    """The genetic algorithm."""

    generations: int = Field(ge=1, le=999)
    population: int = Field(ge=2, le=999)
    crossover: float = Field(ge=0, le=1)
    mutation: float = Field(ge=0, le=1)
    elitism: float = Field(ge=0, lt=1)
    newcomers: float = Field(ge=0, lt=1)
    spread: float = Field(ge=0, le=1)
    elites_learn: bool

    @model_validator(mode="after")
    def _room_for_children(self) -> Self:
        if round(self.elitism * self.population) + round(self.newcomers * self.population) >= self.population:
            raise ValueError("elitism and newcomers together leave no room for children; lower one of them")
        return self

    def breeding(self) -> Breeding:
        """What the population needs to know of it."""
        return Breeding(self.population, self.crossover, self.mutation, self.elitism, self.newcomers, self.spread)


class TournamentSettings(_Settings):
    """How individuals are measured."""

    matches_without_knowledge: int = Field(ge=2, le=MAX_COUNT)
    matches_per_individual: float = Field(ge=2, le=MAX_COUNT)
    rounds: int = Field(ge=0, le=999)
    growth: float = Field(ge=1, le=8)
    prior_sd: float = Field(gt=0, le=MAX_FACTOR)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)


class TeachingSettings(_Settings):
    """Lessons: positions of a generation's matches that are searched deeper, for the weights to be fitted to."""

    positions: int = Field(ge=0, le=MAX_COUNT)
    playouts: int = Field(ge=1, le=MAX_PLAYOUTS)


class SearchSettings(_Settings):
    """How the players search; the baseline is bare UCT."""

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
        """Playouts per move of the baseline."""
        return max(1, round(self.handicap * self.playouts))


class RecordSettings(_Settings):
    """What becomes of the match records."""

    generations_mined: int = Field(ge=1, le=999)
    matches_written: int = Field(ge=0, le=MAX_COUNT)


class ExecutionSettings(_Settings):
    """How the work is cut; none of it changes a result."""

    matches_per_task: int = Field(ge=1, le=MAX_COUNT)
    deadline_s: float = Field(gt=0, le=MAX_SECONDS)


class RunConfig(_Settings):
    """Everything that decides a run besides the game. Same configuration, same game: same bytes."""

    seed: int = Field(ge=0)
    evolution: EvolutionSettings
    tournament: TournamentSettings
    search: SearchSettings
    teaching: TeachingSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings
    genes: dict[str, GeneLimit]

    @model_validator(mode="after")
    def _genes_exist(self) -> Self:
        GENOME.restrict(self.genes)
        return self

    def genome(self) -> Genome:
        """The genes with the limits of this run."""
        return GENOME.restrict(self.genes)


def shipped_configs() -> tuple[str, ...]:
    """Names of the configurations in the package."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in files("configs").iterdir() if entry.name.endswith(".toml"))
    )


def read_config(name_or_path: str, changes: dict[str, dict[str, Any]] | None = None) -> RunConfig:
    """A shipped configuration by name, or a file by path, over `default`; `changes` (section, key, value) over both.

    Raises ConfigError with file, line and key where something is unknown or impossible.
    """
    base, _, _ = _read("default")
    values, place, text = _read(name_or_path)
    merged = _merge(base, values)
    for section, entries in (changes or {}).items():
        merged = _merge(merged, entries if section == "" else {section: entries})
    try:
        return RunConfig.model_validate(merged)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(place, text, entry) for entry in error.errors())) from None


def _read(name_or_path: str) -> tuple[dict[str, Any], str, str]:
    """Content, place for messages, and text of a configuration."""
    place, text = _locate(name_or_path)
    try:
        return tomllib.loads(text), place, text
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place}: this is no valid TOML: {error}; mend the line") from None


def _locate(name_or_path: str) -> tuple[str, str]:
    if name_or_path in shipped_configs():
        resource = files("configs") / f"{name_or_path}.toml"
        return str(resource), resource.read_text("utf-8")
    path = Path(name_or_path)
    try:
        return str(path), path.read_text("utf-8")
    except FileNotFoundError:
        near = difflib.get_close_matches(name_or_path, shipped_configs(), 1)
        advice = f"did you mean {near[0]}?" if near else f"give a file, or one of {', '.join(shipped_configs())}"
        raise ConfigError(f"{name_or_path}: there is no such configuration; {advice}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{name_or_path}: the configuration cannot be read ({why_unreadable(error)}); give a readable TOML file"
        ) from None


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _explain(place: str, text: str, error: Any) -> str:
    """`file:line: section.key: what; what to do` for one finding of pydantic's."""
    path = [str(part) for part in error["loc"]]
    key = ".".join(path[:2])
    line = _line_of(text, path)
    where = f"{place}:{line}" if line else place
    if error["type"] == "extra_forbidden":
        known = _known_keys(path[:-1])
        near = difflib.get_close_matches(path[-1], known, 1)
        advice = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
        return f"{where}: {key}: there is no such key; {advice}"
    what = str(error["msg"]).removeprefix("Value error, ")
    what = what[:1].lower() + what[1:]
    return (
        f"{where}: {key}: {what} (it is {error['input']!r})"
        if not isinstance(error["input"], dict)
        else (f"{where}: {key}: {what}" if key else f"{where}: {what}")
    )


def _known_keys(path: list[str]) -> list[str]:
    model: Any = RunConfig
    for part in path:
        model = model.model_fields[part].annotation
    return list(model.model_fields)


def _line_of(text: str, path: list[str]) -> int | None:
    """Line where a file sets `path` (section, key), None where it does not."""
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
