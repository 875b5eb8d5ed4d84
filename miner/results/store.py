"""A run's folder: the results of the run, and the files that it needs to go on.

    results/<game>/<run>/
      env.json rules.kif start.xml config.json
                                      written first, in this order: a folder with config.json is a run; start.xml is
                                      there if the run starts from a knowledge file
      steps.csv matches.csv timings.csv
      knowledge/gen_003/g003-i007.xml best.xml champion.json
      whole.xml pruning.json          of a learning method that prunes in the end: the best before, and what was tried
      acceptance.json                 of one that has parts of its best accepted: their matches against the best without
      value_trial.json                of a run that tried its values: how they did in deeper searches
      last.xml                        of a learning method whose best may be older than what it has learned last
      values-0123456789abcdef.npy     a table of many weights that best.xml names; others are beside files in knowledge/
      records/gen_003.xml.gz
      checkpoints/journal.jsonl       the results of the tasks of the run: see miner.runs.journal
      checkpoints/work.json           how far the tasks are on which machines, while the run goes on
      checkpoints/ray.log             what Ray wrote of its troubles, if there were any
      checkpoints/arrays/ tasks/ gen_003.npz lessons_003.npz round_003_001.npz ended

An interruption costs only the matches in progress. A resumed run cuts the tables back to the end of the last task in
the journal and writes the same rows again.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import is_unfinished, remove_unfinished, replace_file, storing
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, size_with_table, table_beside, write_knowledge
from gdl_miner.agent.reading import read_bounded, strange_entry
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.search.records import MatchBatchRecord, load_record, pack_record
from gdl_miner.agent.values.table_file import PATTERN as TABLES
from gdl_miner.miner.play.executor import WorkProgress
from gdl_miner.miner.results.json_file import read_object, write_object
from gdl_miner.miner.results.shapes import ConfigShape, EnvironmentShape
from gdl_miner.miner.results.tables import (
    MATCHES,
    MATCHES_FILE,
    STEPS,
    STEPS_FILE,
    TIMINGS,
    TIMINGS_FILE,
    CsvTable,
    FileMark,
    mark_of,
)

FORMAT = 3
BEST, LAST, WHOLE = "best.xml", "last.xml", "whole.xml"
PRUNING, TUNING, VALUE_TRIAL = "pruning.json", "tuning.json", "value_trial.json"
ACCEPTANCE = "acceptance.json"
FOLDERS = ("knowledge", "records", "checkpoints/tasks", "checkpoints/arrays")
RULES = "rules.kif"  # the run's own copy of the rule sheet
WORK, RAY_LOG = "checkpoints/work.json", "checkpoints/ray.log"
MIRROR = "checkpoints/mirror"  # URL of a copy of the folder
LONG_TRIAL = "long searches"  # the trial of values in long searches, beside the trials of players in VALUE_TRIAL

KeptKind: TypeAlias = Literal["gen", "lessons"]  # matches, and training positions
_ENDED = "ended"
_RESTORE = "restore the file, or start a new run"
_KEPT: Final[tuple[KeptKind, ...]] = ("gen", "lessons")


class RunStore:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.matches = CsvTable(folder / MATCHES_FILE, MATCHES)
        self.timings = CsvTable(folder / TIMINGS_FILE, TIMINGS)
        self.steps = CsvTable(folder / STEPS_FILE, STEPS)

    @classmethod
    def create(
        cls,
        folder: Path,
        config: dict[str, Any],
        environment: dict[str, Any],
        start: Knowledge | None = None,
        sheet: RuleSheet | None = None,
        rules: str | None = None,
    ) -> RunStore:
        """Make the folder of a new run and write its configuration, environment, rules and the knowledge of its start.

        `start` is written in the spelling of `sheet`, whose text is `rules`.
        The files of a run that was killed before it had begun are replaced. Raises ConfigError where the folder holds
        any other file, or cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            check_entries(folder)
            files = [path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()]
            if not all(map(_is_unbegun, files)):
                raise ConfigError(
                    f"{folder}: the folder is not empty, and nothing is overwritten; continue a run there with "
                    f"`miner resume {folder}`, or give another --out"
                )
            for path in files:
                (folder / path).unlink()
        except OSError as error:
            raise ConfigError(f"{folder}: cannot be made: {error.strerror}; give another --out") from error
        store = cls(folder)
        for name in FOLDERS:
            with storing(folder / name):
                (folder / name).mkdir(parents=True, exist_ok=True)
        store.write_json("env.json", environment)
        if rules is not None:
            replace_file(store.rules_path, rules.encode())
        if start is not None:
            write_knowledge(start, store.start_path, sheet)
        store.write_json("config.json", {"format": FORMAT, **config})
        return store

    @classmethod
    def open(cls, folder: Path) -> tuple[RunStore, dict[str, Any]]:
        """Open an existing run and read its configuration.

        Raises ConfigError where there is no run, or a run of another format, or there are links in the folder.
        """
        path = folder / "config.json"
        check_entries(folder)
        if not path.exists():
            raise ConfigError(f"{folder}: this is no run; give a folder that `miner learn` made")
        config = read_object(path, _RESTORE)
        if config.get("format") != FORMAT:
            raise ConfigError(_foreign(folder, config))
        return cls(folder), read_object(path, _RESTORE, ConfigShape)

    @property
    def maker(self) -> str:
        """The name and version of the program that made the run."""
        return _maker(self.folder)

    @property
    def checkpoints(self) -> Path:
        """The folder of what a run keeps in order to go on."""
        return self.folder / "checkpoints"

    @property
    def start_path(self) -> Path:
        """The path of the knowledge file that the run starts from, if it starts from one."""
        return self.folder / "start.xml"

    @property
    def rules_path(self) -> Path:
        """The path of the run's own copy of the rule sheet; runs of rules without a file have none."""
        return self.folder / RULES

    @property
    def tables(self) -> tuple[CsvTable, ...]:
        """All tables."""
        return self.steps, self.matches, self.timings

    def marks(self) -> dict[str, FileMark]:
        """Return the marks of each table and of the tuning, which does not change once it is there, by file name."""
        marks = {table.name: table.mark() for table in self.tables}
        tuning = self.folder / TUNING
        return {**marks, TUNING: mark_of(read_bounded(tuning))} if tuning.exists() else marks

    def check_marks(self, marks: Mapping[str, FileMark]) -> None:
        """Raise ConfigError where a table or the tuning does not begin with what had the mark."""
        for table in self.tables:
            table.check(marks.get(table.name, FileMark(0, "")))
        path = self.folder / TUNING
        if TUNING in marks and not (path.exists() and mark_of(read_bounded(path)) == marks[TUNING]):
            raise ConfigError(f"{path}: missing, or changed since the run wrote it; {_RESTORE}")

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        """Write a JSON file; after a crash either the old or the new content is there, whole."""
        write_object(self.folder / name, value)

    def read_json(self, name: str, shape: type[BaseModel] | None = None) -> dict[str, Any] | None:
        """Return the content of a JSON file; None where there is no file. Raises ConfigError where it is damaged."""
        path = self.folder / name
        return read_object(path, "start a new run", shape) if path.exists() else None

    def knowledge_path(self, step: int, entrant: str) -> Path:
        """Return the path of an entrant's knowledge file."""
        return self.folder / "knowledge" / f"gen_{step:03d}" / f"{entrant}.xml"

    def write_step_knowledge(self, step: int, knowledge: Sequence[tuple[str, Knowledge]], sheet: RuleSheet) -> None:
        """Write the knowledge files (entrant, knowledge) of a step in place of all earlier files of the step."""
        folder = self.folder / "knowledge" / f"gen_{step:03d}"
        with storing(folder):
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
            for entrant, value in knowledge:
                write_knowledge(value, self.knowledge_path(step, entrant), sheet)

    def write_best(self, step: int, best: str, last: str | None = None) -> None:
        """Copy the knowledge files of entrants to the run's best.xml and last.xml, and their tables to their side.

        Where no last one is given, a last.xml stays as it is. Tables that no file names are removed, except that of
        start.xml.
        """
        copied = [(self.knowledge_path(step, best), BEST)]
        copied += [] if last is None else [(self.knowledge_path(step, last), LAST)]
        tables = {table.name: table for path, _ in copied if (table := table_beside(path)) is not None}
        for name, table in tables.items():
            replace_file(self.folder / name, read_bounded(table))
        for path, name in copied:
            replace_file(self.folder / name, read_bounded(path))
        kept = table_beside(self.folder / LAST) if last is None and (self.folder / LAST).exists() else None
        self._drop_tables({*tables, *([] if kept is None else [kept.name])})

    def write_empty_best(self, empty: Knowledge, sheet: RuleSheet) -> None:
        """Write empty knowledge to best.xml, because none that was learned helps."""
        write_knowledge(empty, self.folder / BEST, sheet)
        others = [self.folder / name for name in (LAST, WHOLE) if (self.folder / name).exists()]
        self._drop_tables([table.name for path in others if (table := table_beside(path)) is not None])

    def write_pruned(self, whole: Knowledge, small: Knowledge, sheet: RuleSheet) -> tuple[int, int]:
        """Write the pruned knowledge to best.xml and the whole to whole.xml.

        Where nothing was pruned, there is no whole.xml. Returns the bytes of whole and small, with their tables.
        """
        if small != whole:
            write_knowledge(whole, self.folder / WHOLE, sheet)
            write_knowledge(small, self.folder / BEST, sheet)
        paths = (self.folder / (WHOLE if small != whole else BEST), self.folder / BEST)
        before, after = map(size_with_table, paths)
        return before, after

    def tidy(self) -> None:
        """Remove the files that an interruption has left unfinished."""
        remove_unfinished(self.folder)

    def _drop_tables(self, kept: Collection[str]) -> None:
        """Remove the tables of values in the folder, except those of these names and that of start.xml."""
        of_start = table_beside(self.start_path) if self.start_path.exists() else None
        for old in self.folder.glob(TABLES):
            if old.name not in kept and old != of_start:
                old.unlink()

    def write_record(self, step: int, record: MatchBatchRecord, machine: Machine) -> None:
        """Write matches of a step as XML, for people and for `miner mine`; without matches no file is written."""
        path = self.folder / "records" / f"gen_{step:03d}.xml.gz"
        if record.ids:
            with storing(path):
                write_records(record, machine, path)

    def task_path(self, task: str) -> Path:
        """Return the path at which the result of a task is kept until its step is finished."""
        return self.checkpoints / "tasks" / f"{task}.npz"

    def keep_task(self, task: str, record: MatchBatchRecord) -> None:
        """Keep the matches of a finished task."""
        replace_file(self.task_path(task), pack_record(record))

    def kept_task(self, task: str, circuit: Circuit) -> MatchBatchRecord | None:
        """Return the matches of a task that was finished before an interruption; None where there are none.

        Raises RecordError where they are damaged.
        """
        path = self.task_path(task)
        return load_record(path, circuit) if path.exists() else None

    def check_records(self, circuit: Circuit) -> None:
        """Raise RecordError where a record that is kept in order to go on is damaged, or of another game."""
        for folder in (self.checkpoints, self.checkpoints / "tasks"):
            for path in sorted(folder.glob("*.npz")):
                load_record(path, circuit)

    def record_path(self, step: int, kind: KeptKind) -> Path:
        """Return the path at which a record of a finished step is kept for mining."""
        return self.checkpoints / f"{kind}_{step:03d}.npz"

    def keep_record(self, step: int, record: MatchBatchRecord, kind: KeptKind) -> None:
        """Keep a record of a finished step for the mining of later steps."""
        replace_file(self.record_path(step, kind), pack_record(record))

    def kept_record(self, step: int, kind: KeptKind, circuit: Circuit) -> MatchBatchRecord:
        """Return the record of an earlier step. Raises RecordError where it is missing or damaged."""
        return load_record(self.record_path(step, kind), circuit)

    def round_path(self, step: int, number: int) -> Path:
        """Return the path at which the matches of a round are kept until its step has ended."""
        return self.checkpoints / f"round_{step:03d}_{number:03d}.npz"

    def keep_round(self, step: int, number: int, record: MatchBatchRecord) -> None:
        """Keep the matches of a round of a step."""
        replace_file(self.round_path(step, number), pack_record(record))

    def kept_rounds(self, step: int) -> list[int]:
        """Return the numbers of the rounds of a step that are kept, in ascending order."""
        paths = self.checkpoints.glob(f"round_{step:03d}_*.npz")
        return sorted(int(path.stem.rpartition("_")[2]) for path in paths)

    def kept_round(self, step: int, number: int, circuit: Circuit) -> MatchBatchRecord:
        """Return the matches of a round. Raises RecordError where they are missing or damaged."""
        return load_record(self.round_path(step, number), circuit)

    def forget_tasks(self) -> None:
        """Remove the kept results of parts of tasks."""
        for path in sorted((self.checkpoints / "tasks").glob("*.npz")):
            path.unlink(missing_ok=True)

    def forget(self, oldest: int, step: int) -> None:
        """Remove the kept records of all steps before `oldest`, and the rounds of all steps before `step`."""
        kept = self.checkpoints
        old = [self.record_path(number, kind) for number in range(oldest) for kind in _KEPT]
        old += [path for number in range(step) for path in kept.glob(f"round_{number:03d}_*.npz")]
        for path in old:
            path.unlink(missing_ok=True)

    def write_work(self, work: WorkProgress) -> None:
        """Write how far the tasks of the run are, for those who look on."""
        self.write_json(WORK, {"text": "; ".join(work.in_words())})

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return (self.checkpoints / _ENDED).exists()

    def end(self) -> None:
        """Note that nothing is left to do, and remove all that a run keeps in order to go on, but the journal."""
        kept = self.checkpoints
        replace_file(kept / _ENDED, b"")
        for path in (*sorted(kept.rglob("*.npz")), self.folder / WORK):
            path.unlink(missing_ok=True)


def check_entries(folder: Path) -> None:
    """Raise ConfigError where something in the folder of a run or a sweep is a link, or else no file and no folder."""
    found = strange_entry(folder)
    if found is not None:
        path, kind = found
        raise ConfigError(
            f"{path}: {kind}, through which writing could leave the folder, and no run makes one; put what it leads "
            f"to in its place, as `cp -rL {folder} COPY` does, or remove it"
        )


def _is_unbegun(path: Path) -> bool:
    """Whether a run can leave a file, by its path in the folder, if it is killed before it has begun."""
    known = path.name in ("env.json", RULES, "start.xml") or path.match(TABLES) or is_unfinished(path)
    return len(path.parts) == 1 and known


def _foreign(folder: Path, config: dict[str, Any]) -> str:
    """Return the message about a run of a format that this version does not read."""
    found = str(config.get("format"))[:20]
    return (
        f"{folder / 'config.json'}: a run of format {found}, made by {_maker(folder)}; this version reads "
        f"format {FORMAT}; use the version that made it"
    )


def _maker(folder: Path) -> str:
    """Return the name and version of the program that made a run, as far as its folder tells."""
    try:
        version = read_object(folder / "env.json", "restore it", EnvironmentShape).get("version")
    except ConfigError:
        version = None
    return f"gdl-miner {version or 'unknown'}"
