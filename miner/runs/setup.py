"""The setup of a run: the folder of a new run is made, and the folder of an interrupted run is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, Provenance, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.version import program_version
from gdl_miner.miner.learners.learner import KnowledgeMaker, Learner, OtherVersionError
from gdl_miner.miner.learners.method import LearningMethod, tables_of
from gdl_miner.miner.learners.registry import method_of
from gdl_miner.miner.learners.settings import RunSettings
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.results.table_file import CsvTable
from gdl_miner.miner.runs.environment import describe_environment
from gdl_miner.miner.runs.start import RunStart, kept_start

__all__ = ["RunSetup", "fingerprint", "interrupted_run", "new_run", "read_settings", "run_content"]


@dataclass(frozen=True)
class RunSetup:
    """A run that is ready to be driven: a new run, or an interrupted run as it was at its last checkpoint."""

    store: RunStore
    game: PreparedGame
    method: LearningMethod[Any, Any]
    settings: RunSettings
    learner: Learner
    lengths: Mapping[str, int] = field(default_factory=dict)  # bytes of each table at the checkpoint

    @property
    def own_tables(self) -> dict[str, CsvTable]:
        """The tables of the learning method, by file name."""
        return {
            name: self.store.table(name, columns) for name, columns in tables_of(self.method, self.settings).items()
        }

    @property
    def tables(self) -> tuple[CsvTable, ...]:
        """All tables."""
        return (*self.own_tables.values(), self.store.matches, self.store.timings)

    def cut_tables(self) -> None:
        """Cut off the rows that came after the checkpoint; the run writes them again.

        Raises ConfigError where a table has other columns than this version; then no table is cut.
        """
        for table in self.tables:
            if self.lengths.get(table.name, 0):
                table.check_columns()
        for table in self.tables:
            table.cut(self.lengths.get(table.name, 0))


def fingerprint(settings: RunSettings, digest: str, start: RunStart | None = None) -> str:
    """Return a short name of what decides a run.

    That is the rules, the configuration except the settings of execution, and the knowledge that the run starts from.
    """
    decisive = [digest, settings.model_dump_json(exclude={"execution"}), *([] if start is None else [start.digest])]
    return sha256("\n".join(decisive).encode()).hexdigest()[:12]


def run_content(
    method: LearningMethod[Any, Any],
    settings: RunSettings,
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
    return {
        "game": {"name": sheet.name, "given": given, "digest": sheet.digest},
        "learner": method.name,
        "fingerprint": fingerprint(settings, sheet.digest, start),
        **started,
        "source": source,
        "config": settings.model_dump(mode="json"),
    }


def new_run(
    folder: Path,
    content: dict[str, Any],
    settings: RunSettings,
    machine: Machine,
    command: list[str],
    start: RunStart | None = None,
) -> RunSetup:
    """Make the folder of the run that `content` (of config.json) describes.

    Raises ConfigError where the settings or the knowledge do not fit the game or the learning method, or the folder is
    not empty.
    """
    method, game = method_of(content), PreparedGame(machine.sheet, machine.circuit)
    method.check_game(settings, game)
    if start is not None:
        method.check_start(settings, game, start.knowledge)
    known, maker = None if start is None else start.knowledge, _maker(settings, machine, start)
    store = RunStore.create(folder, content, describe_environment(command), known, machine.sheet)
    return RunSetup(store, game, method, settings, method.begin(settings, maker))


def interrupted_run(folder: Path) -> RunSetup:
    """Read a run's folder and change nothing there.

    Raises ConfigError where the folder holds no run, or its files are damaged or of other rules; RuleError where the
    game cannot be read any more.
    """
    store, content = RunStore.open(folder)
    method = method_of(content)
    settings = read_settings(method, folder, content)
    machine = load_machine(content["game"]["given"])
    if machine.sheet.digest != content["game"]["digest"]:
        given = content["game"]["given"]
        raise ConfigError(f"{given}: the rules are not those the run began with; restore them, or begin anew")
    start = kept_start(store, content, machine.sheet)
    game, maker = PreparedGame(machine.sheet, machine.circuit), _maker(settings, machine, start)
    checkpoint = store.read_json("checkpoints/state.json")
    if checkpoint is None:
        return RunSetup(store, game, method, settings, method.begin(settings, maker))
    learner, lengths = _read_checkpoint(store, method, settings, maker, machine.sheet, checkpoint)
    return RunSetup(store, game, method, settings, learner, lengths)


def read_settings(method: LearningMethod[Any, Any], folder: Path, content: dict[str, Any]) -> RunSettings:
    """Return the configuration in a run's config.json. Raises ConfigError where it does not fit this version."""
    try:
        settings: RunSettings = method.parse_config(content["config"])
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


def _maker(settings: RunSettings, machine: Machine, start: RunStart | None) -> KnowledgeMaker:
    sheet = machine.sheet
    return KnowledgeMaker(
        game=sheet.name,
        digest=sheet.digest,
        roles=sheet.roles,
        made=Provenance(fingerprint(settings, sheet.digest, start), 0, settings.seed, program_version()),
        start=None if start is None else start.knowledge,
        symmetries=sharing_of(machine, settings.mining.symmetries).names,
    )


def _read_checkpoint(
    store: RunStore,
    method: LearningMethod[Any, Any],
    settings: RunSettings,
    maker: KnowledgeMaker,
    sheet: RuleSheet,
    checkpoint: dict[str, Any],
) -> tuple[Learner, dict[str, int]]:
    """Return the learner in the state of a checkpoint, and the length of each table in bytes."""

    def knowledge(step: int, name: str) -> Knowledge:
        return read_knowledge(store.knowledge_path(step, name), sheet)

    path = store.folder / "checkpoints/state.json"
    try:
        lengths = {str(name): int(rows) for name, rows in checkpoint["tables"].items()}
        return method.resume(settings, maker, checkpoint, knowledge), lengths
    except OtherVersionError as error:
        raise ConfigError(
            f"{path}: a checkpoint of another version: {error}; go on with the program that made the run "
            f"({store.maker}), or begin a new run"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}: the checkpoint is damaged or of another version ({type(error).__name__}: {error}); begin a new "
            "run"
        ) from None
    except KnowledgeError as error:
        raise ConfigError(f"{error} (a knowledge file of the run; restore it, or begin a new run)") from None
