"""The index of released knowledge, and the files that its names stand for."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from gdl_miner.agent.errors import KnowledgeError, why_unreadable
from gdl_miner.agent.reading import read_bounded

FOLDER = Path(__file__).parent
INDEX = "index.json"
LEVELS: Mapping[str, str] = MappingProxyType({"quick": "release", "strong": "strong"})
"""The configuration of `miner evolve` with which each level is learned, the weakest level first."""

_NAME = re.compile(r"[A-Za-z0-9_-]+")  # no path of a file: it has neither a separator nor a suffix
_MOST_BYTES = 64 << 20
_ADVICE = "restore the file, or install the package anew"


class _Rules(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


@dataclass(frozen=True)
class Released:
    """A knowledge file of a bundled game, how it was learned, and how strong it is."""

    game: str
    digest: str
    """Of the rules that it was learned from."""
    level: str
    file: str
    """Its path in the folder of released knowledge."""
    sha256: str
    """Of the file, which has the hash of the table of its values."""
    bytes: int
    """Of the file and this table."""
    command: str
    config: str
    run: str
    """The fingerprint of the run, from its game and its whole configuration."""
    seed: int
    version: str
    commit: str
    """Of the sources with which it was learned."""
    processor_s: float
    """Measured seconds of learning on one processor."""
    strength: tuple[Mapping[str, Any], ...]
    """Fresh matches: the keys of `miner score --json`, `opponent`, which says who that was, `opponent_level`, which is
    None for bare UCT, and `seed`."""

    def path(self, folder: Path = FOLDER) -> Path:
        """Return the path of the file. Raises KnowledgeError where it is not there, or is not the one released."""
        path = folder / self.file
        try:
            content = read_bounded(path, _MOST_BYTES)
        except (OSError, ValueError) as error:
            raise KnowledgeError(f"{path}: cannot be read ({why_unreadable(error)}); {_ADVICE}") from None
        found = sha256(content).hexdigest()
        if found != self.sha256:
            raise KnowledgeError(
                f"{path}: the file has the hash {found[:16]}…, not {self.sha256[:16]}… as released; {_ADVICE}, or copy "
                "it to a place of your own and give the path"
            )
        return path

    def as_json(self) -> dict[str, Any]:
        """Return the entry of the index."""
        return asdict(self)


def read_index(folder: Path = FOLDER) -> tuple[Released, ...]:
    """Return all entries of an index, by game and level. Raises KnowledgeError where it cannot be read."""
    path = folder / INDEX
    try:
        entries = json.loads(read_bounded(path))["knowledge"]
        return tuple(_entry(path, number, each) for number, each in enumerate(entries, 1))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KnowledgeError(f"{path}: cannot be read ({why_unreadable(error)}); {_ADVICE}") from None


def knowledge_file(given: str | os.PathLike[str], rules: _Rules | None) -> Path:
    """Return the file that a path or the name of a level of released knowledge means; a file of that name comes first.

    Args:
        given: a path, or a name such as `quick`.
        rules: the game, without which no name can be told.

    Raises:
        KnowledgeError: there is no such file and no such level, or the file is not the one released; the message says
            which levels the game has.
    """
    name, path = os.fspath(given), Path(given)
    if not _NAME.fullmatch(name) or path.is_file():
        return path
    if rules is None:
        if name not in LEVELS:
            return path
        raise KnowledgeError(f"{name}: released knowledge of which game? name it with --game, or give a file")
    of_game = {each.level: each for each in _index() if each.digest == rules.digest}
    if name in of_game:
        return of_game[name].path()
    raise KnowledgeError(f"{name}: neither a file nor released knowledge of {rules.name}; {_advice(name, rules)}")


def levels_of(rules: _Rules) -> tuple[str, ...]:
    """Return the levels of which there is released knowledge of a game, the weakest first."""
    return tuple(each.level for each in _index() if each.digest == rules.digest)


def level_files(level: str) -> dict[str, Path]:
    """Return the files of a level by the digest of their rules; none where there is no such level.

    Raises KnowledgeError where a file is not the one released.
    """
    return {each.digest: each.path() for each in _index() if each.level == level}


@cache
def _index() -> tuple[Released, ...]:
    return read_index()


def _entry(path: Path, number: int, entry: Mapping[str, Any]) -> Released:
    """Return an entry of an index, the first being number 1."""
    wanted = {field.name for field in fields(Released)}
    if set(entry) != wanted:
        wrong = ", ".join(sorted(set(entry) ^ wanted))
        raise KnowledgeError(f"{path}: entry {number}: {wrong}: missing or unknown; {_ADVICE}")
    if not all(isinstance(entry[key], str) for key in ("game", "digest", "level", "file", "sha256")):
        raise KnowledgeError(f"{path}: entry {number}: a text is expected for its names and hashes; {_ADVICE}")
    return Released(**{**entry, "strength": tuple(entry["strength"])})


def _advice(name: str, rules: _Rules) -> str:
    """Return what may be given in place of a name that is none of the levels of a game."""
    levels = levels_of(rules)
    if levels:
        close = difflib.get_close_matches(name.lower(), levels, n=1, cutoff=0.5)
        return f"{f'did you mean {close[0]}? ' if close else ''}give the path of a file, or one of: {', '.join(levels)}"
    others = [each for each in _index() if each.game == rules.name]
    if others:
        return (
            f"there is some of other rules of this name ({others[0].digest[:12]}, not {rules.digest[:12]}); give a file"
        )
    return "this game has none; give the path of a file"
