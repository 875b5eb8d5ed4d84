"""The journal of a run: the results of its tasks, by which an interrupted run goes on.

    checkpoints/journal.jsonl       a line for each finished task: its name, a digest of its arguments, its result as
                                    JSON, a mark of each table after it, and the hash of the line up to there
    checkpoints/arrays/00012.npz    the arrays that the result of line 12 names

A run goes on by replay: a new learner is sent the kept results in turn. The tasks for which it is sent them must be
those of the journal, so a learner of another version, or with other settings, is noticed. The line of a task is
written whole and last; a line that a crash has cut off is as if it were not there, and its task is done again.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays
from gdl_miner.agent.files.new_file import append_file, replace_file, storing
from gdl_miner.agent.reading import read_bounded
from gdl_miner.miner.results.tables import FileMark
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.typed_json import digest_of, from_json, to_json


@dataclass(frozen=True)
class Entry:
    """A finished task."""

    task: str  # its function
    digest: str  # of its arguments
    step: int | None  # of the run, where the task says it
    files: Mapping[str, FileMark]  # of the tables of the run after the task, and of other files that never change
    result: Any  # JSON
    arrays: int  # number of arrays of the result
    sum: str = ""  # hash of the line up to it


_ENTRY = TypeAdapter(Entry)
_SUM = b',"sum":"'


class Journal:
    """The journal in a run's folder."""

    def __init__(self, checkpoints: Path, maker: str) -> None:
        """Read the journal, or begin one. `maker` names the program that made the run.

        Raises ConfigError where a line that is written whole cannot be read.
        """
        self._path = checkpoints / "journal.jsonl"
        self._folder = checkpoints / "arrays"
        self._maker = maker
        self._bytes = 0  # of whole lines
        self._entries = self._read()

    @property
    def marks(self) -> Mapping[str, FileMark]:
        """The marks of the run's files after the last finished task."""
        return self._entries[-1].files if self._entries else {}

    @property
    def step(self) -> int:
        """The step of the last finished task that says its step."""
        return next((entry.step for entry in reversed(self._entries) if entry.step is not None), 0)

    @property
    def finished(self) -> int:
        """The number of finished tasks."""
        return len(self._entries)

    def replay(self, learner: Learner) -> Task[Any] | None:
        """Send the kept results to a new learner; return the task that comes next, None where there is none.

        Raises ConfigError where the learner is no generator, or asks for other tasks than those of the journal.
        """
        if not isinstance(learner, Generator):
            raise ConfigError(
                f"the learner returned {type(learner).__name__}; write it as a generator that yields tasks"
            )
        task = next(learner, None)
        for number, entry in enumerate(self._entries):
            result = self._result(number, entry, self._checked(number, entry, task))
            try:
                task = learner.send(result)
            except StopIteration:
                task = None
        return task

    def append(self, task: Task[Any], result: object, files: Mapping[str, FileMark]) -> Any:
        """Keep the result of a task, and return it as a replay will send it."""
        arrays: list[Any] = []
        step = task.arguments.get("step")
        number = len(self._entries)
        entry = Entry(
            task=task.name,
            digest=digest_of(task.arguments),
            step=step if isinstance(step, int) else None,
            files=dict(files),
            result=to_json(result, arrays),
            arrays=len(arrays),
        )
        if arrays:
            replace_file(
                self._arrays_path(number), pack_arrays({str(place): each for place, each in enumerate(arrays)})
            )
        line = sealed_line({name: value for name, value in vars(entry).items() if name != "sum"})
        with storing(self._path):
            append_file(self._path, line, self._bytes)
        self._bytes += len(line)
        self._entries.append(entry)
        return from_json(entry.result, _result_type(task), arrays)

    def _arrays_path(self, number: int) -> Path:
        return self._folder / f"{number:05d}.npz"

    def _read(self) -> list[Entry]:
        try:
            content = read_bounded(self._path) if self._path.exists() else b""
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self._path}: cannot be read: {error}; begin a new run") from None
        entries = []
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                break
            try:
                entries.append(_ENTRY.validate_json(line, strict=True))
                what = "" if _sum_of(line.rpartition(_SUM)[0]) == entries[-1].sum else "its hash is another"
            except ValidationError as error:
                first = error.errors()[0]
                what = ": ".join([*map(str, first["loc"]), first["msg"]])
            if what:
                raise ConfigError(
                    f"{self._path}:{number}: damaged, or of another version ({what}); go on with the program that made "
                    f"the run ({self._maker}), or begin a new run"
                ) from None
            self._bytes += len(line)
        return entries

    def _checked(self, number: int, entry: Entry, task: Task[Any] | None) -> Task[Any]:
        """Return the task for which a learner asks. Raises ConfigError where it is not that of the entry."""
        if task is not None and entry.task == task.name and entry.digest == digest_of(task.arguments):
            return task
        asked = "its end" if task is None else task.name
        other = "other arguments" if asked == entry.task else f"{asked} where it says {entry.task}"
        raise ConfigError(
            f"{self._path}:{number + 1}: the run would go on differently from here ({other}), so it was made by "
            f"another version or with other settings; go on with the program that made it ({self._maker}), or begin a "
            "new run"
        )

    def _result(self, number: int, entry: Entry, task: Task[Any]) -> Any:
        try:
            kept = load_arrays(self._arrays_path(number)) if entry.arrays else {}
            return from_json(entry.result, _result_type(task), [kept[str(place)] for place in range(entry.arrays)])
        except (ValueError, KeyError) as error:
            what = f"there is no array {error}" if isinstance(error, KeyError) else error
            raise ConfigError(
                f"{self._path}:{number + 1}: the result is damaged ({what}); restore the folder, or begin a new run"
            ) from None


def sealed_line(entry: Mapping[str, Any]) -> bytes:
    """Return the line of an entry, with its hash at the end."""
    content = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).removesuffix("}").encode()
    return content + _SUM + _sum_of(content).encode() + b'"}\n'


def _sum_of(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def _result_type(task: Task[Any]) -> Any:
    """Return the type that the function of a task says it returns."""
    function = task.function
    said = types.SimpleNamespace(__annotations__={"return": function.__annotations__.get("return")})
    return typing.get_type_hints(said, function.__globals__)["return"]
