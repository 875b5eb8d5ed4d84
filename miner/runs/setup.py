"""The setup of a run: the folder of a new run is made, and the folder of an interrupted run is read."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.gdl.rules import read_text
from gdl_miner.agent.knowledge import Provenance
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.version import program_version, version_of
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.json_file import first_difference, read_object
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.entrant import KnowledgeMaker
from gdl_miner.miner.runs.journal import Journal
from gdl_miner.miner.runs.method import LearningMethod, method_of
from gdl_miner.miner.runs.plugins import check_plugins, plugins_of_run
from gdl_miner.miner.runs.settings import LearnerSettings, parse_settings
from gdl_miner.miner.runs.start import RunStart, kept_start
from gdl_miner.miner.runs.task import Learner, Task


@dataclass(frozen=True)
class RunSetup:
    """A run that is ready to be driven: a new run, or an interrupted run with the journal of what it has done."""

    store: RunStore
    game: PreparedGame
    method: LearningMethod[Any]
    settings: LearnerSettings
    maker: KnowledgeMaker
    journal: Journal

    @cached_property
    def replayed(self) -> tuple[Learner, Task[Any] | None]:
        """A learner that was sent all kept results, and the task that comes next; None where there is none.

        Raises ConfigError where the journal is damaged, or the learner asks for other tasks than those of the journal.
        """
        learner = self.method.learn(self.settings, self.maker)
        return learner, self.journal.replay(learner)

    def check(self) -> None:
        """Raise ConfigError where the run cannot go on.

        Then the journal is damaged, the learner asks for other tasks than those of the journal, or what the run has
        written is not as it was: a table, the tuning or a record.
        """
        self.store.check_marks(self.journal.marks)
        self.store.check_records(self.game.circuit)
        _ = self.replayed

    def check_content(self, expected: Mapping[str, Any], advice: str) -> None:
        """Raise ConfigError where this is not the run with the content `expected` of config.json."""
        if self.maker.made.run == expected["fingerprint"]:
            return
        kept = read_object(self.store.folder / "config.json", "restore it")
        where, had, given = first_difference(_decisive(kept), _decisive(expected))
        raise ConfigError(
            f"{self.store.folder}: the run there has another game, configuration, seed or start: {where} was {had} and "
            f"now is {given}; {advice}"
        )

    def is_complete(self) -> bool:
        """Return whether nothing is left to do.

        The end of the run is written again then, because the first time may have been cut short. Raises ConfigError
        where a table is not as it was.
        """
        if not self.store.ended:
            return False
        self.store.check_marks(self.journal.marks)
        self.store.end()
        return True

    def cut_tables(self) -> None:
        """Cut off the rows that came after the last finished task; the run writes them again.

        No table is cut where the run cannot go on. Raises as `check` does.
        """
        self.check()
        self.store.tidy()
        marks = self.journal.marks
        for table in self.store.tables:
            table.cut(marks[table.name].length if table.name in marks else 0)


def fingerprint(settings: LearnerSettings, digest: str, start: RunStart | None = None) -> str:
    """Return a short name of what decides a run.

    That is the rules, the configuration except the settings of execution, and the knowledge that the run starts from.
    """
    decisive = [digest, settings.model_dump_json(exclude={"execution"}), *([] if start is None else [start.digest])]
    return sha256("\n".join(decisive).encode()).hexdigest()[:12]


def run_content(
    method: LearningMethod[Any],
    settings: LearnerSettings,
    sheet: RuleSheet,
    game: str,
    source: str,
    start: RunStart | None = None,
) -> dict[str, Any]:
    """Return the content of a new run's config.json.

    `game` and `source` are the names that the user gave for the game and the configuration.
    """
    given = str(Path(game).resolve()) if Path(game).is_file() else game
    started = {}
    if start is not None:
        has_values = start.knowledge.values is not None
        started = {"start": {"given": start.given, "digest": start.digest, "values": has_values}}
    plugins = plugins_of_run(method.name, settings, None if start is None else start.knowledge)
    return {
        "game": {"name": sheet.name, "given": given, "digest": sheet.digest},
        "learner": method.name,
        "unit": method.unit,
        "steps": settings.planned_steps,
        "validates": settings.validates,
        "fingerprint": fingerprint(settings, sheet.digest, start),
        **started,
        **({"plugins": plugins} if plugins else {}),
        "source": source,
        "config": settings.model_dump(mode="json"),
    }


def new_run(
    folder: Path,
    content: dict[str, Any],
    settings: LearnerSettings,
    machine: Machine,
    command: list[str],
    start: RunStart | None = None,
) -> RunSetup:
    """Make the folder of the run that `content` (of config.json) describes.

    Raises ConfigError where the settings or the knowledge do not fit the game or the learning method, or the folder is
    not empty.
    """
    method, game = method_of(content), PreparedGame(machine.sheet, machine.circuit)
    known, maker = None if start is None else start.knowledge, _maker(settings, machine, start)
    method.check(settings, game, known)
    rules = _text_of(machine.sheet)
    store = RunStore.create(folder, content, describe_environment(command), known, machine.sheet, rules)
    journal = Journal(store.checkpoints, store.maker)
    return RunSetup(store, game, method, settings, maker, journal)


def _decisive(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of config.json decides a run."""
    config = {key: value for key, value in content["config"].items() if key != "execution"}
    game = {key: content["game"][key] for key in ("name", "digest")}
    start = {"start": content["start"]["digest"]} if "start" in content else {}
    return {"game": game, "learner": content["learner"], **start, **config}


def interrupted_run(folder: Path, machine: Machine | None = None) -> RunSetup:
    """Read a run's folder and change nothing there. `machine` is the game, by default that of the rules in the folder.

    Raises ConfigError where the folder holds no run, its files are damaged or of other rules, or its plug-ins are not
    those that it was begun with; RuleError where the game cannot be read any more.
    """
    store, content = RunStore.open(folder)
    check_plugins(content, store.folder / "config.json")
    method = method_of(content)
    settings = read_settings(method, folder, content)
    if machine is None:
        machine = load_machine(kept_rules(store, content))
    elif machine.sheet.digest != content["game"]["digest"]:
        raise ConfigError(
            f"{folder}: the run there is about other rules than {machine.sheet.name}; give another folder"
        )
    start = kept_start(store, content, machine.sheet)
    _check_content(store, content, run_content(method, settings, machine.sheet, "", "", start))
    game, maker = PreparedGame(machine.sheet, machine.circuit), _maker(settings, machine, start)
    journal = Journal(store.checkpoints, store.maker)
    return RunSetup(store, game, method, settings, maker, journal)


def kept_rules(store: RunStore, content: dict[str, Any]) -> RuleSheet:
    """Return the rules of a run from the copy in its folder, or from the user's sheet where there is no copy.

    Raises ConfigError where they are not the rules that the run began with, and RuleError where they cannot be read.
    """
    game, copy = content["game"], store.rules_path
    sheet = read_sheet(copy if copy.exists() else game["given"])
    if sheet.digest != game["digest"]:
        where = copy if copy.exists() else game["given"]
        raise ConfigError(f"{where}: the rules are not those the run began with; restore them, or begin anew")
    return replace(sheet, name=Path(game["given"]).name.removesuffix(".kif"))


def _text_of(sheet: RuleSheet) -> str | None:
    """Return the text of a sheet; None where its file is not on this machine, or has other rules by now."""
    if not Path(sheet.source).is_file():
        return None
    text, source = read_text(sheet.source)
    return text if parse_sheet(text, source).digest == sheet.digest else None


def _check_content(store: RunStore, content: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raise ConfigError where config.json is not what its configuration makes of it.

    The names that the user gave may be others, because rule sheets can be moved.
    """
    content, expected = ({**each, "source": "", "game": {**each["game"], "given": ""}} for each in (content, expected))
    for key, value in expected.items():
        if content.get(key) != value:
            path, found = store.folder / "config.json", str(content.get(key))[:80]
            raise ConfigError(f"{path}: {key} is {found}, so it was changed; restore the file, or begin a new run")


def read_settings(method: LearningMethod[Any], folder: Path, content: dict[str, Any]) -> LearnerSettings:
    """Return the configuration in a run's config.json. Raises ConfigError where it does not fit this version."""
    try:
        settings: LearnerSettings = parse_settings(method.settings, content["config"])
    except KeyError:
        what = "config: Field required"
    except ValueError as error:
        what = str(error)
    else:
        return settings
    raise ConfigError(
        f"{folder / 'config.json'}: the configuration is damaged or of another version ({what}); restore the file, or "
        "begin a new run"
    )


def _maker(settings: LearnerSettings, machine: Machine, start: RunStart | None) -> KnowledgeMaker:
    sheet = machine.sheet
    return KnowledgeMaker(
        game=sheet.name,
        digest=sheet.digest,
        roles=sheet.roles,
        made=Provenance(fingerprint(settings, sheet.digest, start), 0, settings.seed, program_version()),
        start=None if start is None else start.knowledge,
        symmetries=sharing_of(machine, settings.mining.symmetries).names,
    )


_LIBRARIES = ("clingo", "deap", "lxml", "numpy", "pandas", "ray", "scipy")


def describe_environment(command: list[str]) -> dict[str, Any]:
    """Return versions, processor, machine, time and command line."""
    return {
        "command": command,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "version": program_version(),
        "python": platform.python_version(),
        "libraries": {name: version for name in _LIBRARIES if (version := version_of(name)) is not None},
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
